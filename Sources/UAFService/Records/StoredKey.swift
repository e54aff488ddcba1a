import UAFMessages

/// What the server knows of a registered key when it verifies a signature.
package struct StoredKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// 65 bytes of a curve's point, or an RSA key's SubjectPublicKeyInfo.
  package let publicKey: [UInt8]
  package let signatureAlgorithm: UInt16
  package let signCounter: UInt32
  package let isRevoked: Bool
  /// The machine that it was registered on; nil if the client named none.
  package var deviceID: String?
  /// The name of that machine; nil if it has none.
  package var deviceName: String?

  package init(
    aaid: AAID, keyID: KeyID, publicKey: [UInt8], signatureAlgorithm: UInt16, signCounter: UInt32, isRevoked: Bool,
    deviceID: String? = nil, deviceName: String? = nil
  ) {
    self.aaid = aaid
    self.keyID = keyID
    self.publicKey = publicKey
    self.signatureAlgorithm = signatureAlgorithm
    self.signCounter = signCounter
    self.isRevoked = isRevoked
    self.deviceID = deviceID
    self.deviceName = deviceName
  }
}
