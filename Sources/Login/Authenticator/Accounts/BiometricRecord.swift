import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// What a person had enrolled when an authenticator with a sensor was registered, in the account's file.
///
/// A match yields no secret to seal a key under. So the seal of such a key is made from this record and, like every seal, from
/// the device key. With a different record, the key does not open.
public struct BiometricRecord: Equatable, Sendable {
  /// The authenticator's type.
  public let type: AuthenticatorType
  /// SHA-256 over the person's stored prints; nil if the key is not bound to them.
  public let prints: [UInt8]?

  /// Makes a record.
  public init(_ type: AuthenticatorType, prints: [UInt8]?) {
    self.type = type
    self.prints = prints
  }

  /// The bytes that the key is sealed under, in addition to the device key.
  ///
  /// - Throws: ``StateError/cryptography``.
  public func value() throws(StateError) -> Secret {
    do {
      let hash = try SHA256.hash(Array("pam-uaf \(type.rawValue)".utf8) + body)
      return try Secret(copying: hash.span)
    } catch { throw .cryptography }
  }

  /// The cost of deriving its seal.
  ///
  /// It is low because ``value()`` is not secret: nobody has to guess it.
  public static let cost = Scrypt.Parameters(logN: 10, r: 8, p: 1)

  /// The record of an account; nil if there is none.
  ///
  /// - Throws: ``StateError``.
  public static func of(
    _ account: AccountFile, _ type: AuthenticatorType
  ) throws(StateError) -> BiometricRecord? {
    guard let kind = RecordKind(biometric: type), let body = try account.records.body(kind, of: account.identity)
    else { return nil }
    var reader = try RecordReader(body, version: 1)
    let prints = try reader.data()
    try reader.finish()
    return BiometricRecord(type, prints: prints.isEmpty ? nil : prints)
  }

  /// Stores the record and replaces an earlier one.
  ///
  /// - Throws: ``StateError``; `absent` if the account was removed in the meantime.
  public func store(in account: AccountFile) throws(StateError) {
    guard let kind = RecordKind(biometric: type) else { throw .damaged }
    let body = body
    try account.records.write { () throws(StateError) in
      guard try account.records.body(.identity, of: nil) == account.identity.record else { throw .absent }
      try account.records.put(kind, body: body, of: account.identity)
    }
  }

  /// The record's bytes in the account's file.
  var body: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(prints ?? [])
    return writer.bytes
  }
}
