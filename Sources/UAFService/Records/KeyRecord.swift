import UAFMessages

/// One registered key, for those who administer keys.
package struct KeyRecord: Equatable, Sendable {
  package let username: String
  package let aaid: AAID
  package let keyID: KeyID
  package let authenticatorVersion: UInt16
  package let signCounter: UInt32
  /// The machine that it was registered on; nil if the client named none.
  package let deviceID: String?
  package let deviceName: String?
  /// Seconds since 1970, and so are the others.
  package let registeredAt: Int64
  package let lastUsedAt: Int64?
  /// nil for a key that can be used.
  package let revocation: Revocation?
  /// Where its registration came from.
  package let origin: KeyOrigin

  package init(
    username: String, aaid: AAID, keyID: KeyID, authenticatorVersion: UInt16, signCounter: UInt32, deviceID: String?,
    deviceName: String?, registeredAt: Int64, lastUsedAt: Int64?, revocation: Revocation?,
    origin: KeyOrigin = KeyOrigin()
  ) {
    self.username = username
    self.aaid = aaid
    self.keyID = keyID
    self.authenticatorVersion = authenticatorVersion
    self.signCounter = signCounter
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.registeredAt = registeredAt
    self.lastUsedAt = lastUsedAt
    self.revocation = revocation
    self.origin = origin
  }

  /// Whether it can be used for the steps of administrators: to sign in to the console, and to confirm there.
  package var countsForSteps: Bool { revocation == nil && origin.vouchedBy != nil }
}
