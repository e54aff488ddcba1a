/// A text that a person confirms, in forms that both ends derive in the same way: whole, within a screen, and signed within
/// UAF's 200 bytes.
///
/// No two texts share a form. A backslash is doubled, and every byte that the charset does not show becomes `\xHH`, so the
/// shown text determines each byte that was sent; the marks of a shortened form, `\..` and `\#`, cannot come from a text.
/// Nothing is normalised: a letter that is not in Normalization Form C is escaped, because a different spelling is a different
/// file name.
public struct TransactionText: Equatable, Sendable {
  /// The whole text: 1 to 2048 bytes of printable ASCII and, in UTF-8, letters.
  public let shown: String

  /// Most bytes that are shown.
  ///
  /// Nobody would read a longer text before agreeing to it.
  public static let maximumShown = 2048
  /// Most bytes of the signed text: the limit of a `text/plain` transaction (UAF protocol 1.1, section 3.5.1).
  public static let maximumSigned = 200

  /// Most columns of a text that another program may have chosen: seven lines of 80, with our own words before it.
  ///
  /// A longer text could scroll its own beginning off a screen of 24 lines.
  public static let maximumOnScreen = 520

  /// How many columns of the beginning of a longer text are shown.
  public static let headOnScreen = 300

  /// Makes the text from bytes that may be anything, such as a command line.
  ///
  /// - Returns: nil if there are none, or too many to be shown.
  public init?(bytes: [UInt8], in charset: TransactionCharset = .ascii) {
    // One byte is shown as four characters at most, so a text with more bytes is not escaped.
    guard bytes.count <= Self.maximumShown else { return nil }
    self.init(shown: Self.form(of: bytes, in: charset))
  }

  /// Makes the text a client sent to be confirmed.
  ///
  /// A text that ``init(bytes:in:)`` could have made at the other end, in either charset, is kept. Any other text is
  /// escaped.
  ///
  /// - Returns: nil for a text that is empty or too long to be shown.
  public init?(sent text: String) {
    if Self.isForm(text) { self.init(shown: text) } else { self.init(bytes: Array(text.utf8), in: .utf8) }
  }

  private init?(shown: String) {
    guard (1...Self.maximumShown).contains(shown.utf8.count) else { return nil }
    self.shown = shown
  }

  /// The most columns that a terminal needs for it: two for each letter beyond ASCII.
  public var columns: Int { shown.unicodeScalars.reduce(0) { $0 + Self.columns($1) } }

  private static func columns(_ scalar: Unicode.Scalar) -> Int { scalar.isASCII ? 1 : 2 }

  /// The text to sign: the shown text if it is short enough, otherwise its head, its tail, its length and its SHA-256.
  ///
  /// - Parameter hash: SHA-256.
  public func signed<Failure: Error>(hash: ([UInt8]) throws(Failure) -> [UInt8]) throws(Failure) -> String {
    guard shown.utf8.count > Self.maximumSigned else { return shown }
    return try shortened(head: 80, tail: 60, { UTF8.width($0) }, hash: hash).text
  }

  /// The part that fits on a screen, and how many characters were left out: the whole text if it is short enough; otherwise its
  /// length, its SHA-256, and more of its head and tail than is signed.
  ///
  /// - Parameter hash: SHA-256.
  public func onScreen<Failure: Error>(
    hash: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> (text: String, left: Int) {
    guard columns > Self.maximumOnScreen else { return (shown, 0) }
    return try shortened(head: Self.headOnScreen, tail: 160, Self.columns, hash: hash)
  }

  /// Head and tail have at most this many units each, in whole characters.
  private func shortened<Failure: Error>(
    head: Int, tail: Int, _ width: (Unicode.Scalar) -> Int, hash: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> (text: String, left: Int) {
    let scalars = Array(shown.unicodeScalars)
    func fitting(_ scalars: some Sequence<Unicode.Scalar>, _ limit: Int) -> Int {
      var left = limit
      return scalars.prefix { scalar in
        left -= width(scalar)
        return left >= 0
      }.count
    }
    let (first, last) = (fitting(scalars, head), fitting(scalars.reversed(), tail))
    let digest = Base64URL.encode(try hash(Array(shown.utf8)))
    var text = String.UnicodeScalarView(scalars.prefix(first))
    text.append(contentsOf: "\\..".unicodeScalars)
    text.append(contentsOf: scalars.suffix(last))
    return ("\(String(text))\\#\(shown.utf8.count):\(digest)", scalars.count - first - last)
  }
}

// From bytes to the text that shows them, and back.

extension TransactionText {
  /// The text that shows the bytes.
  static func form(of bytes: [UInt8], in charset: TransactionCharset) -> String {
    var previous: UInt8?
    guard charset == .utf8 else {
      return bytes.map { byte in
        defer { previous = byte }
        return escape(byte, after: previous)
      }.joined()
    }
    var shown = ""
    var word: [Unicode.Scalar] = []
    func endWord() {
      // A letter that looks like a Latin one is shown as a letter only among letters of its own script.
      let isLatin = word.contains(where: TransactionLetter.isLatin)
      for scalar in word {
        if isLatin, TransactionLetter.isLookalike(scalar) {
          shown += String(scalar).utf8.map { escape($0) }.joined()
        } else {
          shown.unicodeScalars.append(scalar)
        }
      }
      word = []
    }
    var rest = bytes[...]
    while let byte = rest.first {
      if let scalar = letter(at: rest) {
        word.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
        previous = nil
      } else {
        endWord()
        shown += escape(byte, after: previous)
        rest = rest.dropFirst()
        previous = byte
      }
    }
    endWord()
    return shown
  }

  /// Whether a text has only characters that a form can have: none that controls a terminal or hides text.
  public static func isShowable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { (" "..."~").contains($0) || TransactionLetter.contains($0) }
  }

  /// Whether ``form(of:in:)`` could have made this text, in either charset.
  static func isForm(_ text: String) -> Bool {
    let text = Array(text.utf8)
    guard let bytes = bytes(of: text) else { return false }
    // Byte by byte: comparing Strings would ignore differences between equivalent texts.
    return Array(form(of: bytes, in: .utf8).utf8) == text || Array(form(of: bytes, in: .ascii).utf8) == text
  }

  /// The bytes that a form represents; nil for a text that is not a form.
  private static func bytes(of form: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = form[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let mark = rest.popFirst() else { return nil }
      if mark == byte {
        bytes.append(byte)
        continue
      }
      guard mark == UInt8(ascii: "x"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// The letter, the digit, the hyphen or the underscore that the bytes begin with; nil for anything else.
  private static func letter(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let length: Int
    switch bytes.first {
    case .some(0x30...0x39), .some(0x41...0x5A), .some(0x61...0x7A), .some(0x2D), .some(0x5F): length = 1
    case .some(0xC2...0xDF): length = 2
    case .some(0xE0...0xEF): length = 3
    default: return nil
    }
    guard bytes.count >= length, let text = String(validating: bytes.prefix(length), as: UTF8.self),
      let scalar = text.unicodeScalars.first
    else { return nil }
    return length == 1 || TransactionLetter.contains(scalar) ? scalar : nil
  }

  private static func escape(_ byte: UInt8, after previous: UInt8? = nil) -> String {
    switch byte {
    case UInt8(ascii: "\\"): return "\\\\"
    // Many spaces would push the rest of the text to the next line of a terminal, where it would look like a separate text.
    case UInt8(ascii: " ") where previous == byte: return "\\x20"
    case 0x20...0x7E: return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "\\x0" + digits : "\\x" + digits
    }
  }
}

/// The letters beyond ASCII that can appear in a text to be confirmed.
///
/// Each has one form in Unicode (NFC), joins with no other character, runs from left to right, is visible, and is no
/// other form of a syntax character. The table is fixed, so that both ends have the same table, whatever Unicode version
/// their libraries have. Left out are combining marks and the scripts that need them, scripts that are written from
/// right to left, compatibility forms (full width, ligatures, mathematical letters), and all spaces, digits and
/// punctuation beyond ASCII.
enum TransactionLetter {
  private static let ranges: [ClosedRange<UInt32>] = [
    // Latin
    0x00C0...0x00D6, 0x00D8...0x00F6, 0x00F8...0x0131, 0x0134...0x013E, 0x0141...0x0148, 0x014A...0x017E,
    0x0180...0x01BF, 0x01CD...0x01F0, 0x01F4...0x024F, 0x1E00...0x1E99, 0x1E9C...0x1EFF,
    // Greek, Cyrillic, Armenian, Georgian
    0x0386...0x0386, 0x0388...0x038A, 0x038C...0x038C, 0x038E...0x03A1, 0x03A3...0x03CF, 0x0400...0x0481,
    0x048A...0x0527, 0x0531...0x0556, 0x0561...0x0586, 0x10D0...0x10FA,
    // Ethiopic
    0x1200...0x1248, 0x124A...0x124D, 0x1250...0x1256, 0x1258...0x1258, 0x125A...0x125D, 0x1260...0x1288,
    0x128A...0x128D, 0x1290...0x12B0, 0x12B2...0x12B5, 0x12B8...0x12BE, 0x12C0...0x12C0, 0x12C2...0x12C5,
    0x12C8...0x12D6, 0x12D8...0x1310, 0x1312...0x1315, 0x1318...0x135A,
    // Kana and Bopomofo, with the marks of repetition and length
    0x3005...0x3005, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FC, 0x3105...0x312D, 0x31A0...0x31BA,
    // Hangul: syllables, and single letters but those that look like a dash and a bar
    0x3131...0x3160, 0x3162...0x3162, 0xAC00...0xD7A3,
    // Han
    0x3400...0x4DB5, 0x4E00...0x9FCB,
    // Pound, yen, won and euro signs
    0x00A3...0x00A3, 0x00A5...0x00A5, 0x20A9...0x20A9, 0x20AC...0x20AC,
  ]

  /// Greek, Cyrillic and Armenian; many of their letters look like Latin ones.
  private static let lookalikes: [ClosedRange<UInt32>] = [0x0386...0x03CF, 0x0400...0x0527, 0x0531...0x0586]

  static func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar.value) } }

  /// Whether the letter may be mistaken for a Latin one.
  static func isLookalike(_ scalar: Unicode.Scalar) -> Bool { lookalikes.contains { $0.contains(scalar.value) } }

  /// Whether it is one of the letters that others look like.
  static func isLatin(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z": true
    default: (0x00C0...0x024F).contains(scalar.value) || (0x1E00...0x1EFF).contains(scalar.value)
    }
  }
}

/// The character set in which a text to be confirmed is shown and signed.
public enum TransactionCharset: Sendable {
  /// Printable ASCII, as UAF requires; every other byte is escaped.
  case ascii
  /// Letters beyond ASCII, too, as ``TransactionLetter`` names them; every other byte is escaped.
  case utf8
}

/// One form of a transaction to be shown and confirmed (UAF protocol 1.1, section 3.5.1).
public struct Transaction: JSONRepresentable, Equatable, Sendable {
  /// The type of the content.
  public enum ContentType: String, Sendable {
    case plainText = "text/plain"
    case png = "image/png"
  }

  /// The type of the content.
  public let contentType: ContentType

  /// The content's bytes; these are hashed, not their base64url text.
  public let content: [UInt8]

  /// How to draw the image; required for PNG.
  public let tcDisplayPNGCharacteristics: DisplayPNGCharacteristics?

  /// Makes a text transaction.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` unless the text is 1 to 200 bytes of ASCII and ``TransactionLetter``s.
  public init(text: String) throws(MessageError) {
    guard Self.isPlainText(Array(text.utf8)) else { throw .outOfRange("transaction.content") }
    contentType = .plainText
    content = Array(text.utf8)
    tcDisplayPNGCharacteristics = nil
  }

  /// Reads one form.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    guard let contentType = ContentType(rawValue: try reader.string("contentType")) else {
      throw .outOfRange(reader.name("contentType"))
    }
    self.contentType = contentType
    content = try reader.base64URL("content", counts: 1...Self.maximumCount)
    let characteristics = "tcDisplayPNGCharacteristics"
    tcDisplayPNGCharacteristics = try reader.optionalChild(characteristics, as: DisplayPNGCharacteristics.self)
    switch contentType {
    case .plainText:
      guard Self.isPlainText(content) else { throw .outOfRange(reader.name("content")) }
    case .png:
      guard tcDisplayPNGCharacteristics != nil else { throw .missing(reader.name(characteristics)) }
    }
  }

  /// The form as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "contentType": .string(contentType.rawValue), "content": .string(Base64URL.encode(content)),
    ]
    object.set("tcDisplayPNGCharacteristics", tcDisplayPNGCharacteristics?.json)
    return .object(object)
  }

  /// No image needs more, and the whole message is capped at 256 KiB anyway.
  private static let maximumCount = 131_072

  private static func isPlainText(_ bytes: [UInt8]) -> Bool {
    guard (1...200).contains(bytes.count), let text = String(validating: bytes, as: UTF8.self) else { return false }
    return text.unicodeScalars.allSatisfy { $0.isASCII || TransactionLetter.contains($0) }
  }
}
