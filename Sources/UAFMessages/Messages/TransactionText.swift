/// A text a person confirms, in the forms both ends derive alike: whole, within a screen, and signed within UAF's 200
/// characters.
///
/// No two texts share a form. A backslash is doubled and every byte that is not printable ASCII becomes `\xHH`, so what is
/// shown says what was sent byte by byte; the marks of a shortened form, `\..` and `\#`, cannot come from a text.
public struct TransactionText: Equatable, Sendable {
  /// The whole text: 1 to 2048 printable ASCII characters.
  public let shown: String

  /// Most characters that are shown; what is longer is no text anybody would read before agreeing.
  public static let maximumShown = 2048
  /// Most characters UAF lets a `text/plain` transaction have (UAF protocol, section 3.5.1).
  public static let maximumSigned = 200

  /// Most characters of a text that its person did not choose: seven lines of 80 columns, with words of ours before it.
  ///
  /// What is longer could push its own beginning off a screen of 24 lines.
  public static let maximumOnScreen = 520

  /// How many characters of the beginning of a longer one are shown.
  public static let headOnScreen = 300

  /// Makes the text of bytes that may be anything, such as a command line.
  ///
  /// - Returns: nil if there are none, or too many to be shown.
  public init?(bytes: [UInt8]) {
    // One byte is shown as four characters at the most: nothing longer is worth escaping.
    guard bytes.count <= Self.maximumShown else { return nil }
    self.init(shown: bytes.map(Self.escape).joined())
  }

  /// Makes the text a client sent to be confirmed.
  ///
  /// What ``init(bytes:)`` could have made at the other end stands for itself; any other text is escaped here.
  ///
  /// - Returns: nil for an empty text, and one too long to be shown.
  public init?(sent text: String) {
    if Self.isEscaped(Array(text.utf8)) { self.init(shown: text) } else { self.init(bytes: Array(text.utf8)) }
  }

  private init?(shown: String) {
    guard (1...Self.maximumShown).contains(shown.utf8.count) else { return nil }
    self.shown = shown
  }

  /// Whether this is the escaped form of some bytes.
  private static func isEscaped(_ text: [UInt8]) -> Bool {
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        guard (0x20...0x7E).contains(byte) else { return false }
        continue
      }
      if rest.first == UInt8(ascii: "\\") {
        rest.removeFirst()
        continue
      }
      let digits = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
      guard rest.first == UInt8(ascii: "x"), let value = UInt8(digits, radix: 16), escape(value) == "\\x" + digits
      else {
        return false
      }
      rest.removeFirst(3)
    }
    return true
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\\"): return "\\\\"
    case 0x20...0x7E: return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "\\x0" + digits : "\\x" + digits
    }
  }

  /// What is signed: the shown text where it is short enough, else its head, its tail, its length and its SHA-256.
  ///
  /// - Parameter hash: SHA-256.
  public func signed<Failure: Error>(hash: ([UInt8]) throws(Failure) -> [UInt8]) throws(Failure) -> String {
    try shown.utf8.count > Self.maximumSigned ? shortened(head: 80, tail: 60, hash: hash) : shown
  }

  /// What a screen has room for: the whole text where it is short enough, else more of its head and its tail than is
  /// signed, its length and its SHA-256; and how many characters were left out.
  ///
  /// - Parameter hash: SHA-256.
  public func onScreen<Failure: Error>(
    hash: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> (text: String, left: Int) {
    let count = shown.utf8.count
    guard count > Self.maximumOnScreen else { return (shown, 0) }
    let (head, tail) = (Self.headOnScreen, 160)
    return (try shortened(head: head, tail: tail, hash: hash), count - head - tail)
  }

  private func shortened<Failure: Error>(
    head: Int, tail: Int, hash: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> String {
    let digest = Base64URL.encode(try hash(Array(shown.utf8)))
    return "\(shown.prefix(head))\\..\(shown.suffix(tail))\\#\(shown.utf8.count):\(digest)"
  }
}
