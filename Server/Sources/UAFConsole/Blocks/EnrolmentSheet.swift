import CQREncode
import FidoResults
import UAFAdministration
import UAFMessages

/// A printed sheet for one person: what their enrolment code is for, how long it is valid, and what to do with it.
struct EnrolmentSheet: Equatable {
  /// The longest text of a field, in characters; names of accounts have at most 128.
  private static let mostCharacters = 300

  let language: PageLanguage
  let account: String
  /// The person's name; empty if it is not known.
  let displayName: String
  let server: String
  /// The code that the person types; nil if only the line has it.
  let code: String?
  /// The payload.
  let line: String
  /// When the code expires, as text for people.
  let end: String
  /// The name of the file in which the steps on the sheet save the code; see ``PayloadFileName``.
  let file: String
  /// The line as a QR code; nil if it is too long for one.
  let picture: QRCode?

  /// - Throws: the errors of hashing a long name.
  init(_ listed: ListedCode, language: PageLanguage, time: (Int64) -> String) throws {
    let payload = listed.payload
    self.language = language
    displayName = Self.shown(listed.displayName ?? "")
    account = Self.shown(payload.username)
    server = Self.shown(payload.server)
    code = payload.code?.text
    line = payload.encoded
    end = time(payload.expires)
    file = try PayloadFileName.name(for: payload.username)
    picture = QRCode(line)
  }

  /// A text on one line, without hidden characters.
  ///
  /// If it is too long for a sheet, it is cut off.
  private static func shown(_ text: String) -> String {
    let whole = Text.marked(text)
    let shown = Text.marked(text, limit: mostCharacters)
    return shown.isIdentical(to: whole) ? shown : shown + "…"
  }

  /// The values for the template.
  var context: [String: Any] {
    let name = displayName.isEmpty ? [] : [["fact": language.text(.displayName), "value": displayName]]
    return [
      "sheetLanguage": language.rawValue,
      "sheetTitle": language.text(.sheetTitle, displayName.isEmpty ? account : displayName),
      "sheetFacts": name + [
        ["fact": language.text(.account), "value": account], ["fact": language.text(.sheetServer), "value": server],
        ["fact": language.text(.sheetEnd), "value": end],
      ],
      "hasCode": code != nil, "sheetCode": language.text(.sheetCode), "sheetCharacters": code ?? "",
      "sheetEnter": language.text(.sheetEnter), "sheetEntry": "uafctl register --code -",
      "sheetSave": language.text(.sheetSave, file), "sheetRun": language.text(.sheetRun),
      "sheetCommand": "uafctl register --code \(file)", "sheetAfter": language.text(.sheetAfter),
      "sheetLineTitle": language.text(.sheetLine), "sheetLine": line, "hasPicture": picture != nil,
      "sheetPicture": language.text(.payloadPicture), "side": picture?.side ?? 0, "path": picture?.path ?? "",
      "sheetNoPicture": language.text(.sheetNoPicture),
    ]
  }
}

/// A text as a QR code: rows of light and dark modules.
package struct QRCode: Equatable, Sendable {
  /// How many modules a row has.
  let width: Int
  /// Row by row; true is dark.
  let modules: [Bool]

  /// The width of the light margin around the code, in modules (ISO/IEC 18004).
  private static let margin = 4

  /// Makes a code with the lowest level of error correction: payloads are long, and a screen does not damage the code.
  ///
  /// - Returns: nil if the text is empty or has more than 2,953 bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { return nil }
    // SAFETY: the library reads as many bytes as it is told, and keeps none of them.
    guard let code = unsafe QRcode_encodeData(CInt(clamping: bytes.count), bytes, 0, QR_ECLEVEL_L) else { return nil }
    defer { unsafe QRcode_free(code) }
    let width = unsafe Int(code.pointee.width)
    // SAFETY: a code has width × width modules, which live until it is freed.
    let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    self.width = width
    modules = unsafe data.map { $0 & 1 == 1 }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return modules[row * width + column]
  }

  /// The side of the picture, in modules.
  var side: Int { width + 2 * Self.margin }

  /// The dark modules as an SVG path, with one rectangle for each run of modules in a row.
  var path: String {
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while isDark(row, column) { column += 1 }
        if column > start {
          path += "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
        } else {
          column += 1
        }
      }
    }
    return path
  }

  /// The code as text for a terminal.
  ///
  /// Each line shows two rows of modules, dark on light, whatever the terminal's colours are.
  package var terminalText: String {
    let range = -Self.margin..<width + Self.margin
    return stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
      let line = range.map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1B}[30;107m\(line.joined())\u{1B}[0m"
    }.joined(separator: "\n")
  }
}
