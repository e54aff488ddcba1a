import FidoResults
import UAFAdministration

/// A language of the console.
package enum PageLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case korean = "ko"

  /// The language's own name.
  var name: String {
    switch self {
    case .english: "English"
    case .korean: "한국어"
    }
  }

  /// The language that a browser prefers, from its Accept-Language header (RFC 9110, section 12.5.4); English if it accepts
  /// none of ours.
  init(accepted header: String?) {
    let wanted = (header ?? "").split(separator: ",").compactMap { part -> (language: PageLanguage, weight: Double)? in
      let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
      let tag = pieces.first.map { $0.prefix { $0 != "-" }.lowercased() } ?? ""
      guard let language = PageLanguage(rawValue: tag) else { return nil }
      let weight = pieces.dropFirst().first.flatMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil } ?? 1
      return (language, weight)
    }
    self = wanted.filter { $0.weight > 0 }.max { $0.weight < $1.weight }?.language ?? .english
  }

  private func form(_ text: PageText) -> String? {
    switch self {
    case .english:
      EnglishPageTexts.all[text] ?? EnglishListTexts.all[text] ?? EnglishListingTexts.all[text]
        ?? EnglishStepTexts.all[text]
    case .korean:
      KoreanPageTexts.all[text] ?? KoreanListTexts.all[text] ?? KoreanListingTexts.all[text]
        ?? KoreanStepTexts.all[text]
    }
  }

  /// Whether this language has a text for a key.
  func has(_ text: PageText) -> Bool { form(text) != nil }

  /// A text in this language, with each `{}` replaced by the next value.
  func text(_ text: PageText, _ values: String...) -> String {
    let pieces = (form(text) ?? text.rawValue).split(separator: "{}", omittingEmptySubsequences: false)
    let filled = zip(pieces, values + Array(repeating: "", count: pieces.count)).reduce(into: "") { $0 += $1.0 + $1.1 }
    return self == .korean ? KoreanParticles.resolved(filled) : filled
  }

  /// A number with a comma before each group of three digits, as both languages write it.
  func grouped(_ number: Int) -> String {
    let digits = String(number)
    return digits.enumerated().reduce(into: "") { text, digit in
      let left = digits.count - digit.offset
      if digit.offset > 0, left.isMultiple(of: 3) { text += "," }
      text.append(digit.element)
    }
  }
}

extension PageLanguage {
  /// The text about a fault of a list of people, or of one of its lines.
  func text(_ problem: PeopleListProblem) -> String {
    switch problem {
    case .empty: text(.listEmpty)
    case .notUTF8: text(.listNotUTF8)
    case .utf16: text(.listUTF16)
    case .tooMany: text(.listTooMany, String(PeopleList.maximumCount))
    case .noUsername: text(.listNoUsername)
    case .unknownColumn(let name): text(.listUnknownColumn, name, PeopleListProblem.optionalColumns)
    case .columnTwice(let name): text(.listColumnTwice, name)
    case .emptyLine: text(.lineEmpty)
    case .tooLong: text(.lineTooLong, String(PeopleList.maximumLine))
    case .controlCharacter: text(.lineControl)
    case .openQuote: text(.lineOpenQuote)
    case .afterQuote: text(.lineAfterQuote)
    case .innerQuote: text(.lineInnerQuote)
    case .fields(let found, let wanted): text(.lineFields, String(found), String(wanted))
    case .emptyUsername: text(.lineNoName)
    case .longUsername: text(.lineLongName)
    case .invalidUsername(let name): text(.lineBadName, name)
    case .usernameTwice(let name, let first): text(.lineTwice, name, String(first))
    case .notANumber(let text): self.text(.lineNoNumber, text)
    case .lifetimeRange(let seconds): text(.lineLifetime, String(seconds), String(PeopleList.longestLifetime))
    case .column(let name, let problem): text(problem, of: name)
    case .externalIDTaken(let id, let name): text(.lineIDTaken, id, name)
    case .privileged(let name): text(.linePrivileged, name)
    }
  }
}
