import SecretMemory

/// The key that both ends derive from a code that a person types.
///
/// What is authenticated with the key can be seen by somebody who does not have the code, and who may then try codes until one
/// fits. Each try costs as much as one derivation.
public enum EnteredCodeKey {
  /// What a slow derivation costs: 1 MiB, and between one and two milliseconds.
  ///
  /// A server pays this for each code that it makes, and for 10,000 of them in one list. docs/decisions.md has what it costs an
  /// attacker. The number is part of the protocol.
  public static let cost = Scrypt.Parameters(logN: 10, r: 8, p: 1)

  /// Derives the key.
  ///
  /// - Parameters:
  ///   - characters: the code in its canonical form, 1 byte or more.
  ///   - purpose: what the key is for; keys for different purposes have nothing to do with each other. At most 1,024 bytes.
  ///   - isStretched: whether scrypt derives it at ``cost``, with `purpose` as its salt; otherwise HKDF-SHA-256 without a salt.
  ///   - length: 1 to 64 bytes.
  /// - Throws: ``CryptoError``, as ``Scrypt/derive(value:salt:parameters:length:)`` and
  ///   ``HKDFSHA256/derive(material:info:length:)``.
  public static func derive(
    from characters: [UInt8], for purpose: [UInt8], isStretched: Bool, length: Int
  ) throws(CryptoError) -> Secret {
    guard isStretched else { return try HKDFSHA256.derive(material: characters, info: purpose, length: length) }
    let value: Secret
    do throws(SecretMemoryError) { value = try Secret(copying: characters.span) } catch { throw CryptoError(error) }
    return try Scrypt.derive(value: value, salt: purpose, parameters: cost, length: length)
  }
}
