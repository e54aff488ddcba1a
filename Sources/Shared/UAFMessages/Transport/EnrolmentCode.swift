/// An enrolment code of this project's server, which never leaves the machine where it is typed (docs/protocol.md,
/// "Enrolment code").
///
/// 16 characters of Crockford's base32 in four groups: 15 with 75 random bits, and one that detects a typing error before any
/// server is asked. Both ends derive a key from it, slowly, and authenticate with that. Only HMAC-SHA-256 values made with this
/// key are sent; docs/decisions.md says what it costs to guess the code from one.
///
/// Codes that a server issued before it knew this form have 20 characters and a key that is derived fast. They are read until
/// the last of them has expired, and never made.
public struct EnrolmentCode: Equatable, Sendable {
  /// How many random bytes a new code needs.
  public static let randomByteCount = 10
  /// The length of the key that is derived from it, in bytes.
  public static let keyByteCount = 32

  /// The characters of the alphabet, without the separators between the groups.
  private let characters: [UInt8]
  private let form: Form

  /// Makes a code.
  ///
  /// - Parameter random: 10 random bytes, of which 75 bits are used.
  /// - Returns: nil for fewer bytes.
  public init?(random: [UInt8]) {
    guard random.count >= Self.randomByteCount else { return nil }
    let values = CrockfordBase32.values(of: random).prefix(Form.short.randomCount)
    characters = CrockfordBase32.characters(values + Form.short.check(of: values))
    form = .short
  }

  /// Reads a typed code: small letters, and spaces and hyphens anywhere, are allowed, `O` for 0, `I` and `L` for 1.
  ///
  /// - Returns: nil if one character is wrong, if two are swapped, or if it is no such code at all. Of all other texts of 16
  ///   characters, one in 32 is read as a code.
  public init?(typed text: String) {
    for form in Form.all {
      guard let values = CrockfordBase32.values(typed: text, count: form.count),
        form.check(of: values.prefix(form.randomCount)) == Array(values.suffix(form.checkCount))
      else { continue }
      characters = CrockfordBase32.characters(values)
      self.form = form
      return
    }
    return nil
  }

  /// The characters, in groups of four; in groups of five if it is one of the earlier codes.
  public var text: String { CrockfordBase32.grouped(characters, by: form.groupSize) }

  /// The material that the key is derived from.
  public var keyMaterial: [UInt8] { characters }

  /// Whether the key is derived with scrypt, as that of each new code; HKDF-SHA-256 without a salt derives that of the earlier
  /// ones.
  public var isStretched: Bool { form == .short }

  /// The salt or info of that derivation: a key is valid for one account.
  public static func keyInfo(username: String) -> [UInt8] {
    Array("pam-uaf enrolment code".utf8) + [0] + username.utf8
  }

  // MARK: What is authenticated with the key

  /// The statement that the sender of a registration request has the code.
  public static func registrationStatement(username: String) -> [UInt8] {
    Array("pam-uaf enrolment request".utf8) + [0] + username.utf8
  }

  /// The statement that the sender of a removal has the code; it also names the machine, the model and the keys.
  public static func removalStatement(_ context: RequestContext) -> [UInt8] {
    Array("pam-uaf enrolment removal".utf8) + [0] + context.removalStatement
  }

  /// The statement that the sender of new keys has the code.
  public static func keysStatement(_ keys: NewKeysStatement) -> [UInt8] {
    Array("pam-uaf enrolment keys".utf8) + [0] + keys.bytes
  }
}

// MARK: Typing errors

extension EnrolmentCode {
  /// Whether a text has about as many characters as a code, and hardly any characters that codes do not have.
  ///
  /// Hangul counts as the Latin letters on its keys (``isTypedInHangul(_:)``).
  public static func mayBeMistyped(_ text: String) -> Bool {
    let text = PastedCode.tidied(text)
    let (characters, others) = CrockfordBase32.counts(typed: (KoreanKeyboard.latin(for: text) ?? text).unicodeScalars)
    return others <= 2 && Form.all.contains { ($0.count - 2...$0.count + 2).contains(characters + others) }
  }

  /// Whether a text may be a code that somebody has typed with the Korean keyboard layout, which makes Hangul of its letters.
  public static func isTypedInHangul(_ text: String) -> Bool {
    KoreanKeyboard.latin(for: PastedCode.tidied(text)).map(mayBeMistyped) ?? false
  }

  /// Whether a text is a code beyond doubt: in its four groups, or one of the earlier codes.
  ///
  /// A different server's code of 16 letters and digits passes the check once in 32 times.
  public static func isEvident(_ text: String) -> Bool {
    guard let code = EnrolmentCode(typed: text) else { return false }
    let sizes = text.unicodeScalars.split { CrockfordBase32.separators.contains($0) }.map(\.count)
    return code.form == .long || sizes == [Int](repeating: Form.short.groupSize, count: Form.groupCount)
  }

  /// The only group of a mistyped code that cannot be right, as far as a text shows it.
  ///
  /// A group shows that it is wrong if it has too few or too many characters, or one that no code has. A character in place of
  /// another does not show which group it is in.
  ///
  /// - Returns: 1 for the first group; nil if no group shows that it is wrong, or several do.
  public static func wrongGroup(typed text: String) -> Int? {
    let text = PastedCode.tidied(text)
    guard mayBeMistyped(text), !isTypedInHangul(text) else { return nil }
    let written = text.unicodeScalars.split { CrockfordBase32.separators.contains($0) }.map { Array($0) }
    let groups: [[Unicode.Scalar]]
    let size: Int
    switch written.count {
    case 1:
      // Without separators, only a text of the right length shows where its groups are.
      guard let form = Form.all.first(where: { $0.count == written[0].count }) else { return nil }
      size = form.groupSize
      groups = stride(from: 0, to: form.count, by: size).map { Array(written[0][$0..<($0 + size)]) }
    case Form.groupCount:
      groups = written
      guard let form = Form.all.first(where: { form in written.count { $0.count == form.groupSize } >= 3 }) else {
        return nil
      }
      size = form.groupSize
    default: return nil
    }
    let wrong = groups.indices.filter { index in
      groups[index].count != size || CrockfordBase32.counts(typed: groups[index]).others > 0
    }
    return wrong.count == 1 ? wrong[0] + 1 : nil
  }
}

/// How many characters a code has, and how they are checked.
///
/// The last characters are the check symbols of a Reed-Solomon code over the field of 32 elements. One of them notices any wrong
/// character, and any two characters that are swapped, because each place has a weight of its own. Three of them notice any
/// three wrong characters.
private struct Form: Equatable {
  /// The number of characters.
  let count: Int
  /// The number of characters in a group.
  var groupSize: Int { count / Self.groupCount }
  /// A polynomial with the roots α, α²..., as many as there are check characters, without its highest coefficient, which is 1.
  private let generator: [UInt8]

  static let groupCount = 4
  static let short = Form(count: 16, generator: [2])
  /// The codes that servers issued earlier.
  static let long = Form(count: 20, generator: [14, 29, 10])
  static let all = [short, long]

  var checkCount: Int { generator.count }
  var randomCount: Int { count - checkCount }

  func check(of values: some Sequence<UInt8>) -> [UInt8] {
    var rest = [UInt8](repeating: 0, count: checkCount)
    for value in values {
      let factor = value ^ rest[0]
      rest = zip(rest.dropFirst() + [0], generator).map { $0 ^ Self.product(factor, $1) }
    }
    return rest
  }

  /// The product in the field defined by x⁵ + x² + 1.
  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var (sum, shifted): (UInt8, UInt8) = (0, left)
    for bit in 0..<5 {
      if right >> bit & 1 == 1 { sum ^= shifted }
      shifted <<= 1
      if shifted & 0x20 != 0 { shifted ^= 0x25 }
    }
    return sum
  }
}
