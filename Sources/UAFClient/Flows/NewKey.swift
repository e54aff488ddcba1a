import UAFMessages

/// The public side of a new key.
public struct NewKey: Equatable, Sendable {
  /// Identifies the key; 32 random bytes.
  public let keyID: KeyID

  /// The public key, 65 bytes: 04, X, Y.
  public let publicKey: [UInt8]

  /// The signature counter the key starts with.
  public let signCounter: UInt32

  /// The authenticator's count of registrations, this one included.
  public let regCounter: UInt32

  /// Makes a description of a new key.
  public init(keyID: KeyID, publicKey: [UInt8], signCounter: UInt32, regCounter: UInt32) {
    self.keyID = keyID
    self.publicKey = publicKey
    self.signCounter = signCounter
    self.regCounter = regCounter
  }
}
