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

/// What let a key be registered, and who says that it counts for the steps of administrators.
package struct KeyOrigin: Equatable, Sendable {
  /// Who has issued the code that the key was registered with, as the audit names them.
  ///
  /// ``byProof`` for a key that was added with another one; nil where it is not known.
  package let issuedBy: String?
  /// By whose word the key counts for the steps of administrators; nil for one that does not count.
  package let vouchedBy: String?
  /// Whether the machine, which has joined, has proved that the key was made on it.
  package var isMachineProved = false

  /// Stands for a proof of another key of the account.
  package static let byProof = "proof"

  package init(issuedBy: String? = nil, vouchedBy: String? = nil) {
    self.issuedBy = issuedBy
    self.vouchedBy = vouchedBy
  }

  /// Of a key that is registered with a code: it counts if an administrator has signed for the code, or it was issued at the
  /// server.
  ///
  /// - Parameter code: nil if nobody knows who has issued it.
  package init(_ code: IssuedCode?) {
    self.init(issuedBy: code?.issuedBy, vouchedBy: code?.reachesPrivileged == true ? code?.issuedBy : nil)
  }

  /// Of a key that registered keys have signed for: it counts if each of them does.
  package init(signedBy keys: [KeyRecord]) {
    let counts = !keys.isEmpty && keys.allSatisfy { $0.revocation == nil && $0.countsForSteps }
    self.init(issuedBy: Self.byProof, vouchedBy: counts ? Self.byProof : nil)
  }
}
