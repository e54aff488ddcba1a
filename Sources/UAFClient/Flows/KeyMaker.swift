import UAFMessages

/// An authenticator that is about to get a new key.
public protocol KeyMaker: ~Copyable {
  /// The authenticator's model.
  var aaid: AAID { get }

  /// The authenticator's version.
  var authenticatorVersion: UInt16 { get }

  /// Makes a key pair for an application; it is kept only once the server has accepted it.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func makeKey(appID: String) throws(SigningFailure) -> NewKey

  /// Signs the key registration data with the new key: P-256, SHA-256, raw, 64 bytes.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func sign(_ keyRegistrationData: [UInt8]) throws(SigningFailure) -> [UInt8]
}
