/// An enrolment code of this project's server, which never leaves the machine where it is typed (docs/protocol.md,
/// "Enrolment code").
///
/// 20 characters of Crockford's base32 in four groups: 17 with 85 random bits, and three that detect a typing error
/// before any server is asked. Both ends derive a key from it and authenticate with that. Only HMAC-SHA-256
/// values made with this key are sent, and 85 bits cannot be guessed from one.
public struct EnrolmentCode: Equatable, Sendable {
  /// How many random bytes a new code needs.
  public static let randomByteCount = 11
  /// The length of the key that is derived from it, in bytes.
  public static let keyByteCount = 32

  private static let randomCharacters = 17
  private static let checkCharacters = 3

  /// 20 characters of the alphabet, without the separators between the groups.
  private let characters: [UInt8]

  /// Makes a code.
  ///
  /// - Parameter random: 11 random bytes, of which 85 bits are used.
  /// - Returns: nil for fewer bytes.
  public init?(random: [UInt8]) {
    guard random.count >= Self.randomByteCount else { return nil }
    let values = CrockfordBase32.values(of: random).prefix(Self.randomCharacters)
    characters = CrockfordBase32.characters(values + Self.check(of: values))
  }

  /// Reads a typed code: small letters, and spaces and hyphens anywhere, are allowed, `O` for 0, `I` and `L` for 1.
  ///
  /// - Returns: nil if up to three characters are wrong, if two are swapped, or if it is no such code at all.
  public init?(typed text: String) {
    guard
      let values = CrockfordBase32.values(typed: text, count: Self.randomCharacters + Self.checkCharacters),
      Self.check(of: values.prefix(Self.randomCharacters)) == Array(values.suffix(Self.checkCharacters))
    else { return nil }
    characters = CrockfordBase32.characters(values)
  }

  /// Whether a text has about as many characters as a code, and hardly any characters that codes do not have.
  static func mayBeMistyped(_ text: String) -> Bool {
    let (characters, others) = CrockfordBase32.counts(typed: text)
    let count = randomCharacters + checkCharacters
    return (count - 2...count + 2).contains(characters + others) && others <= 2
  }

  /// The characters, in groups of five.
  public var text: String { CrockfordBase32.grouped(characters, by: 5) }

  /// The material that the key is derived from, by HKDF-SHA-256 without a salt.
  public var keyMaterial: [UInt8] { characters }

  /// The info of that derivation: a key is valid for one account.
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

  // MARK: The check

  /// The check characters: the check symbols of a Reed-Solomon code over the field of 32 elements.
  ///
  /// It notices any three wrong characters, and any two that are swapped.
  private static func check(of values: some Sequence<UInt8>) -> [UInt8] {
    var rest: [UInt8] = [0, 0, 0]
    for value in values {
      let factor = value ^ rest[0]
      rest = [
        rest[1] ^ product(factor, generator[0]), rest[2] ^ product(factor, generator[1]), product(factor, generator[2]),
      ]
    }
    return rest
  }

  /// The polynomial with the roots α, α² and α³, without its highest coefficient, which is 1.
  private static let generator: [UInt8] = [14, 29, 10]

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
