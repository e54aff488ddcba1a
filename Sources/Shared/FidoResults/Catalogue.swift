/// The texts of one language.
///
/// A further language is one more conforming type and one more case of ``Language``.
protocol Catalogue {
  /// Texts of the listed results, by number.
  static func results(_ codes: CodeUse) -> [UInt32: ResultText]

  /// The text about the only way for a person who has forgotten a value.
  static func ifForgotten(_ codes: CodeUse) -> String

  /// Prompts and notes.
  static func text(_ prompt: PromptText, _ codes: CodeUse) -> String

  /// Why a conversation ended, and what can be done about it.
  static func told(_ cause: EndCause, _ codes: CodeUse) -> ResultText

  /// Messages of the built-in passcode rules.
  static func text(_ rule: RuleText) -> String

  /// The words of the ten digits, from zero.
  static var digits: [String] { get }

  /// How to use a shuffled keypad's rows; one line above them.
  static var keypadExplanation: String { get }

  /// The labels of a shuffled keypad's rows; both have the same width.
  static var keypadHeads: (digit: String, key: String) { get }

  /// The beginning of a shuffled keypad in words.
  static var keypadOpening: String { get }

  /// A shuffled keypad in words.
  static func text(keypad: [(digit: String, key: String)]) -> String
}

// How each language describes the layout of a shuffled keypad.

extension EnglishCatalogue {
  static let digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

  static let keypadExplanation = "The keys are shuffled: for each digit, press the key below it."

  static let keypadHeads = (digit: "Digit", key: "Press")

  static let keypadOpening = "Keys: "

  static func text(keypad: [(digit: String, key: String)]) -> String {
    keypadOpening + keypad.map { "for \($0.digit) press \($0.key)" }.joined(separator: ", ") + "."
  }
}

extension KoreanCatalogue {
  static let digits = ["영", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구"]

  static let keypadExplanation = "키가 섞여 있습니다. 숫자마다 바로 아래에 있는 키를 누르십시오."

  static let keypadHeads = (digit: "숫자", key: "누름")

  static let keypadOpening = "누를 키: "

  static func text(keypad: [(digit: String, key: String)]) -> String {
    // The particle follows from whether the digit's word ends in a consonant.
    let open: Set<String> = ["이", "사", "오", "구"]
    let pairs = keypad.map { "\($0.digit)\(open.contains($0.digit) ? "는" : "은") \($0.key)" }
    return keypadOpening + pairs.joined(separator: ", ") + "."
  }
}

/// A language for texts to people; this is the list of catalogues.
public enum Language: String, CaseIterable, Sendable {
  /// English.
  case english = "en"
  /// Korean.
  case korean = "ko"

  /// The language of a locale name such as `ko_KR.UTF-8`; nil for `C`, `POSIX`, languages without a catalogue and anything odd.
  ///
  /// The name comes from the caller of the conversation: it is compared with the list above and never used to find a
  /// file.
  public init?(locale: String) {
    let bytes = locale.utf8
    guard bytes.prefix(Self.longestLocale + 1).count <= Self.longestLocale else { return nil }
    let letters = bytes.prefix { isLetter($0) }
    guard letters.count == bytes.count || "_-.@".utf8.contains(bytes[letters.endIndex]) else { return nil }
    self.init(rawValue: String(Substring(letters)).lowercased())
  }

  /// The language of a locale, or the configured one if there is no catalogue for it.
  public static func matching(_ locale: String?, default configured: Language) -> Language {
    locale.flatMap(Language.init(locale:)) ?? configured
  }

  /// Whether a locale name has UTF-8 for its characters; false if there is none.
  public static func hasUTF8(locale: String?) -> Bool {
    guard let bytes = locale?.utf8, bytes.prefix(Self.longestLocale + 1).count <= Self.longestLocale,
      let dot = bytes.firstIndex(of: UInt8(ascii: "."))
    else { return false }
    let charset = String(decoding: bytes[bytes.index(after: dot)...].prefix { $0 != UInt8(ascii: "@") }, as: UTF8.self)
    return ["utf-8", "utf8"].contains(charset.lowercased())
  }

  private static let longestLocale = 64

  var catalogue: any Catalogue.Type {
    switch self {
    case .english: EnglishCatalogue.self
    case .korean: KoreanCatalogue.self
    }
  }
}

private func isLetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

/// The text about a result for the person, and what can be done about it.
struct ResultText: Equatable, Sendable {
  let text: String
  let nextStep: String?

  init(_ text: String, _ nextStep: String? = nil) {
    self.text = text
    self.nextStep = nextStep
  }
}

/// A text of the administrator for people: one for everybody, or one for each language.
public struct AdministratorText: Hashable, Sendable {
  /// The texts as they were written, by language; at least one.
  private let texts: [Language: String]

  /// A text for every language.
  public init(_ text: String) {
    texts = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, text) })
  }

  /// A text for each language that is named.
  ///
  /// - Returns: nil if none is named.
  public init?(_ texts: [Language: String]) {
    guard !texts.isEmpty else { return nil }
    self.texts = texts
  }

  /// The text for a person, cleaned; nil if the administrator wrote none in that language.
  public func text(in language: Language) -> String? { texts[language].map { Text.cleaned($0) } }
}

extension AdministratorText: ExpressibleByStringLiteral {
  /// A text for every language.
  public init(stringLiteral text: String) { self.init(text) }
}

/// Who can give an account a new value, and whether with an enrolment code, from the view of the reader of a text.
///
/// The texts that lead to a new registration name the command that works for their reader.
public enum CodeUse: Hashable, Sendable {
  /// The reader, for the reader's own account.
  case persons
  /// Only root, if the account is in use: nothing proves to this machine that the server accepted a code.
  case roots
  /// The reader, who is root and names the account.
  case root(of: String)
  /// The server takes no codes: once root has reset the account's value, its person registers again.
  ///
  /// The name is that of the account if the reader is root, and nil for its person.
  case noCodes(root: String?)

  /// The command that sets a new value for an account in use; at a server that takes no codes, root's command that makes it
  /// possible to set one.
  ///
  /// - Parameter kinds: the kinds of value; if there is only one, the command names it.
  public func setting(_ kinds: [ValueKind] = []) -> String {
    switch self {
    case .persons: "uafctl register --code FILE\(PromptText.named(kinds))"
    case .roots: "uafctl register USER\(PromptText.named(kinds)) --code FILE"
    case .root(let user): "uafctl register \(PromptText.shown(user))\(PromptText.named(kinds)) --code FILE"
    case .noCodes(let user): "uafctl reset \(user.map(PromptText.shown) ?? "USER")\(PromptText.named(kinds))"
    }
  }

  /// A different command for the account, in the form for the reader: with the account's name if the reader is root.
  public func command(_ verb: String, _ rest: String = "") -> String {
    let words = named.map { [verb, PromptText.shown($0), rest] } ?? [verb, rest]
    return "uafctl " + words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The command that registers an account that is not in use, if a code of the person is enough.
  public var registration: String { command("register", takesCodes ? "--code FILE" : "") }

  /// The command that gives a known value a new key.
  public var repair: String { command("repair", takesCodes ? "--code FILE" : "") }

  /// Whether the server takes enrolment codes.
  public var takesCodes: Bool {
    if case .noCodes = self { false } else { true }
  }

  /// Whether root reads the text.
  public var isRoot: Bool { named != nil }

  /// The account that the commands must name; nil if its person reads the text.
  private var named: String? {
    switch self {
    case .persons, .roots: nil
    case .root(let user): user
    case .noCodes(let user): user
    }
  }
}
