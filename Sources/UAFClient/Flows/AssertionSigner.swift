import UAFMessages

/// One key of one authenticator, unlocked for one signature.
public protocol AssertionSigner: ~Copyable {
  /// The authenticator's model.
  var aaid: AAID { get }

  /// The authenticator's version.
  var authenticatorVersion: UInt16 { get }

  /// The key.
  var keyID: KeyID { get }

  /// The counter of this signature, already committed to storage.
  var signCounter: UInt32 { get }

  /// Fresh random bytes, 8 to 64.
  var nonce: [UInt8] { get }

  /// Signs with P-256 and SHA-256 and gives the raw signature, 64 bytes.
  ///
  /// - Throws: ``SigningFailure``.
  mutating func sign(_ signedData: [UInt8]) throws(SigningFailure) -> [UInt8]
}
