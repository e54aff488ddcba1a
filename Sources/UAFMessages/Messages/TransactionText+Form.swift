// Purpose: from bytes to the text that shows them, and back.

extension TransactionText {
  /// What is shown of bytes.
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

  /// Whether this is the form of some bytes, in either charset.
  static func isForm(_ text: String) -> Bool {
    let text = Array(text.utf8)
    guard let bytes = bytes(of: text) else { return false }
    // Byte by byte: comparing Strings would ignore differences between equivalent texts.
    return Array(form(of: bytes, in: .utf8).utf8) == text || Array(form(of: bytes, in: .ascii).utf8) == text
  }

  /// The bytes that a form stands for; nil for a text that is no form.
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
    // Many spaces would push what follows to the next line of a terminal, where it looks like a text of its own.
    case UInt8(ascii: " ") where previous == byte: return "\\x20"
    case 0x20...0x7E: return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "\\x0" + digits : "\\x" + digits
    }
  }
}
