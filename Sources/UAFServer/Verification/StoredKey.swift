import UAFMessages

/// What the server knows of a registered key when it verifies a signature.
struct StoredKey: Equatable, Sendable {
  let aaid: AAID
  let keyID: KeyID
  /// 65 bytes of a curve's point, or an RSA key's SubjectPublicKeyInfo.
  let publicKey: [UInt8]
  let signatureAlgorithm: UInt16
  let signCounter: UInt32
  let isRevoked: Bool
  /// The machine it was registered on; nil if the client named none.
  var deviceID: String?
}
