/// Text from outside, made safe to show.
public enum Text {
  /// The longest text of a server, or name, that is shown.
  public static let defaultLimit = 512

  /// The text without anything that controls a terminal or is invisible, at most `limit` code points long.
  ///
  /// Control, format (bidirectional and zero-width included), private, unassigned and invisible code points are dropped; white
  /// space of any kind, line ends included, becomes one space, so that a text is always one line; none is left at the ends. The
  /// limit counts code points, because one character may consist of any number of them.
  public static func cleaned(_ text: String, limit: Int = defaultLimit) -> String {
    var kept = String.UnicodeScalarView()
    var count = 0
    var pendingSpace = false
    for scalar in text.unicodeScalars {
      if isSpace(scalar) {
        pendingSpace = count > 0
        continue
      }
      guard isVisible(scalar) else { continue }
      let needed = pendingSpace ? 2 : 1
      guard count + needed <= limit else { break }
      if pendingSpace { kept.append(" ") }
      kept.append(scalar)
      count += needed
      pendingSpace = false
    }
    return String(kept)
  }

  /// The text with `[U+202E]` instead of each character that is invisible or moves other characters, at most `limit` code points.
  ///
  /// For texts that must be compared or judged: a character that ``cleaned(_:limit:)`` drops could be the difference between two
  /// names.
  ///
  /// - Parameter keepsLines: whether line feeds and tabs stay as they are.
  public static func marked(_ text: String, limit: Int = .max, keepsLines: Bool = false) -> String {
    var shown = String.UnicodeScalarView()
    var left = limit
    for scalar in text.unicodeScalars {
      guard isHidden(scalar, keepsLines) else {
        guard left > 0 else { break }
        shown.append(scalar)
        left -= 1
        continue
      }
      let mark = "[\(name(of: scalar))]".unicodeScalars
      guard left >= mark.count else { break }
      shown += mark
      left -= mark.count
    }
    return String(shown)
  }

  /// The first character that ``marked(_:limit:keepsLines:)`` would write differently, as `U+202E`; nil if there is none.
  public static func firstHidden(in text: String, keepsLines: Bool = false) -> String? {
    text.unicodeScalars.first { isHidden($0, keepsLines) }.map(name)
  }

  private static func isHidden(_ scalar: Unicode.Scalar, _ keepsLines: Bool) -> Bool {
    switch scalar.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator: true
    default: !isVisible(scalar) && !(keepsLines && (scalar == "\n" || scalar == "\t"))
    }
  }

  private static func name(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    default: (0x09...0x0d).contains(scalar.value) || scalar.value == 0x85
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned: false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}

/// The text of a rule for new passcodes if a secret breaks it and the administrator gave no text.
public enum RuleText: Hashable, Sendable {
  /// Fewer characters than `min_length`.
  case minimumLength(Int)
  /// More characters than `max_length`.
  case maximumLength(Int)
  /// Not exactly that many digits (`pin4`, `pin6`).
  case exactDigits(Int)
  /// Nothing was entered.
  case empty
  /// More bytes than any secret may have.
  case tooLong
  /// Control, private-use or unassigned characters, or not UTF-8.
  case unusableCharacters
  /// Something other than digits (`digits_only`).
  case digitsOnly
  /// `equal_character`.
  case equalCharacter
  /// `ascending_descending`.
  case ascendingDescending
  /// `two_character_repeat`.
  case twoCharacterRepeat
  /// `two_equal_character_repeat`.
  case twoEqualCharacterRepeat
  /// `not_number_english`.
  case notNumberEnglish
  /// A pattern of fewer nodes than `min_nodes`.
  case minimumNodes(Int)
  /// A pattern that contains something other than nodes.
  case nodesOnly
  /// A pattern that visits a node twice.
  case nodeTwice
  /// An expression without a text of its own.
  case regularExpression
  /// An ignore list entry without a text of its own.
  case ignored
  /// There is an expression without a text of its own; shown before anything is entered.
  case ownForm
  /// There is an ignore list entry without a text of its own; shown before anything is entered.
  case ownExclusions

  /// The message.
  public func text(in language: Language) -> String { language.catalogue.text(self) }
}

/// The text for a person that says which key means which digit.
public struct KeypadText: Hashable, Sendable {
  /// The key, 0 to 9, of each digit starting with 0.
  public let keys: [UInt8]

  /// Whether the text is in words on one line, for a screen reader; otherwise, it is in two rows below a line that explains them.
  public let isSpeltOut: Bool

  /// Makes the text of a layout of ten keys.
  public init(keys: [UInt8], isSpeltOut: Bool) {
    self.keys = keys
    self.isSpeltOut = isSpeltOut
  }

  /// Whether a prompt's text shows a keypad, in any language: its entry is typed only with that keypad.
  ///
  /// Other text may look the same. The caller must make sure that a mistake costs at most one more prompt.
  public static func isPart(of text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      Language.allCases.contains { language in
        line == language.catalogue.keypadExplanation || line.hasPrefix(language.catalogue.keypadOpening)
      }
    }
  }

  /// The text.
  ///
  /// Each row but the last ends with a line end; the form in words ends with a full stop.
  public func text(in language: Language) -> String {
    let catalogue = language.catalogue
    let names = catalogue.digits
    guard isSpeltOut, keys.count == names.count, keys.allSatisfy({ names.indices.contains(Int($0)) }) else {
      let digits = keys.indices.map { "\($0)" }.joined(separator: " ")
      let pressed = keys.map { "\($0)" }.joined(separator: " ")
      let heads = catalogue.keypadHeads
      return "\(catalogue.keypadExplanation)\n\(heads.digit)  \(digits)\n\(heads.key)  \(pressed)"
    }
    return catalogue.text(keypad: keys.enumerated().map { (digit: names[$0.offset], key: names[Int($0.element)]) })
  }
}

/// The sensors that can identify a person, as texts name them.
public enum SensorKind: Hashable, Sendable, CaseIterable {
  /// A fingerprint sensor.
  case finger
  /// A camera that a face is shown to.
  case camera
}

/// The result of a touch of the fingerprint sensor or of a look at the camera, as shown to people.
public enum TouchText: Hashable, Sendable, CaseIterable {
  /// The finger or face is not one that the account has enrolled.
  case notMatched
  /// Nothing could be read.
  case again
  /// The swipe was too short.
  case tooShort
  /// The finger or face was not in the middle.
  case notCentred
  /// The finger must be lifted first.
  case liftFirst
  /// The finger was lifted too soon.
  case tooFast
  /// Nobody has used the sensor yet.
  case waiting
}

/// Why there was no answer from the server (4001).
public enum NetworkFailure: CaseIterable, Sendable {
  /// The name was not found.
  case dns
  /// The connection was refused.
  case refused
  /// No route to the server: the network is down, or a router, a firewall or the proxy reports that there is no route.
  case unreachable
  /// The answer came too late.
  case timeOut
  /// The secure connection could not be made.
  case tls
  /// The proxy of the configuration rejected the request: it requires a password, or forbids the server.
  case proxy
  /// The connection broke, or the bytes received were not an answer.
  case connectionLost
  /// This machine lacked a thread, a descriptor, memory or a port, so it is unknown whether the server is reachable.
  case ownMeans
}
