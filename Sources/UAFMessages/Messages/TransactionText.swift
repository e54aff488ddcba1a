/// A text that a person confirms, in the forms that both ends derive alike: whole, within a screen, and signed within
/// UAF's 200 bytes.
///
/// No two texts share a form. A backslash is doubled, and every byte that the charset does not show becomes `\xHH`, so
/// the shown text says each byte that was sent; the marks of a shortened form, `\..` and `\#`, cannot come from a text.
/// Nothing is normalised: a letter that is not in Normalization Form C is escaped, since another spelling is another
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

  /// How many columns of the beginning of a longer one are shown.
  public static let headOnScreen = 300

  /// Makes the text of bytes that may be anything, such as a command line.
  ///
  /// - Returns: nil if there are none, or too many to be shown.
  public init?(bytes: [UInt8], in charset: TransactionCharset = .ascii) {
    // One byte is shown as four characters at the most, so no longer text needs escaping.
    guard bytes.count <= Self.maximumShown else { return nil }
    self.init(shown: Self.form(of: bytes, in: charset))
  }

  /// Makes the text a client sent to be confirmed.
  ///
  /// A text that ``init(bytes:in:)`` could have made at the other end, in either charset, is kept. Any other text is
  /// escaped.
  ///
  /// - Returns: nil for an empty text, and one too long to be shown.
  public init?(sent text: String) {
    if Self.isForm(text) { self.init(shown: text) } else { self.init(bytes: Array(text.utf8), in: .utf8) }
  }

  private init?(shown: String) {
    guard (1...Self.maximumShown).contains(shown.utf8.count) else { return nil }
    self.shown = shown
  }

  /// How many columns a terminal takes for it at the most: two for each letter beyond ASCII.
  public var columns: Int { shown.unicodeScalars.reduce(0) { $0 + Self.columns($1) } }

  private static func columns(_ scalar: Unicode.Scalar) -> Int { scalar.isASCII ? 1 : 2 }

  /// The text to sign: the shown text if it is short enough, else its head, its tail, its length and its SHA-256.
  ///
  /// - Parameter hash: SHA-256.
  public func signed<Failure: Error>(hash: ([UInt8]) throws(Failure) -> [UInt8]) throws(Failure) -> String {
    guard shown.utf8.count > Self.maximumSigned else { return shown }
    return try shortened(head: 80, tail: 60, { UTF8.width($0) }, hash: hash).text
  }

  /// The part that a screen has room for, and how many characters were left out: the whole text if it is short enough;
  /// else its length, its SHA-256, and more of its head and tail than is signed.
  ///
  /// - Parameter hash: SHA-256.
  public func onScreen<Failure: Error>(
    hash: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> (text: String, left: Int) {
    guard columns > Self.maximumOnScreen else { return (shown, 0) }
    return try shortened(head: Self.headOnScreen, tail: 160, Self.columns, hash: hash)
  }

  /// Head and tail have at most so many units each, in whole characters.
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
