import FidoResults
import UAFAdministration
import UAFMessages

/// A sheet of paper for one person: what their code is for, until when it is good, and what to do with it.
struct EnrolmentSheet: Equatable {
  /// The longest text of a field, in characters; names of accounts have at most 128.
  private static let mostCharacters = 300

  let language: PageLanguage
  let account: String
  let server: String
  let code: String
  /// Until when it is good, as people read it.
  let end: String
  /// What the steps call the file with the code, as ``PayloadFileName`` names it.
  let file: String
  /// nil for a code that is too long for one.
  let picture: QRCode?

  /// - Throws: what hashing a long name throws.
  init(_ payload: EnrolmentPayload, language: PageLanguage, time: (Int64) -> String) throws {
    self.language = language
    account = Self.shown(payload.username)
    server = Self.shown(payload.server)
    code = payload.encoded
    end = time(payload.expires)
    file = try PayloadFileName.name(for: payload.username)
    picture = QRCode(code)
  }

  /// A text in one line, with nothing hidden in it; cut if it is too long for a sheet.
  private static func shown(_ text: String) -> String {
    let whole = Text.marked(text)
    let shown = Text.marked(text, limit: mostCharacters)
    return shown.isIdentical(to: whole) ? shown : shown + "…"
  }

  /// As the template reads it.
  var context: [String: Any] {
    [
      "sheetLanguage": language.rawValue, "sheetTitle": language.text(.sheetTitle, account),
      "sheetFacts": [
        ["fact": language.text(.account), "value": account], ["fact": language.text(.sheetServer), "value": server],
        ["fact": language.text(.sheetEnd), "value": end],
      ],
      "sheetSave": language.text(.sheetSave, file), "sheetRun": language.text(.sheetRun),
      "sheetCommand": "uafctl register --code \(file)", "sheetAfter": language.text(.sheetAfter),
      "sheetCode": language.text(.sheetCode), "sheetLine": code, "hasPicture": picture != nil,
      "sheetPicture": language.text(.payloadPicture), "side": picture?.side ?? 0, "path": picture?.path ?? "",
      "sheetNoPicture": language.text(.sheetNoPicture),
    ]
  }
}
