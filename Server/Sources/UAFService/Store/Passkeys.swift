import UAFCrypto
import UAFMessages
import WebAuthn

/// The registered passkeys: the public key credentials of WebAuthn.
package protocol Passkeys {
  /// The passkeys of an account, oldest first, revoked ones included.
  ///
  /// - Throws: an error of the store, also if a stored value is not one of a passkey; the caller must then refuse.
  func passkeys(of username: String) throws -> [PasskeyRecord]

  /// The passkey with an identifier, of any account; nil if there is none.
  ///
  /// - Throws: like ``passkeys(of:)``.
  func passkey(_ id: [UInt8]) throws -> PasskeyRecord?

  /// What the policies ask about the usable passkeys of some accounts; accounts without such passkeys are left out.
  func kinds(of names: [String]) throws -> [String: Set<PasskeyKind>]

  /// The same for accounts that have usable passkeys, but no usable key of UAF, in the order of the names' bytes.
  ///
  /// - Parameters:
  ///   - username: accounts that come after this name; empty for the first ones.
  ///   - limit: how many accounts at most.
  func kindsWithoutKeys(after username: String, appID: String, limit: Int) throws -> [String: Set<PasskeyKind>]

  /// The shapes of some accounts' passkeys, as far as requests name them (``PasskeyShape/listed(_:isRevoked:)``).
  ///
  /// Accounts without passkeys are left out.
  ///
  /// - Parameters:
  ///   - numbers: the accounts' numbers, see ``Accounts/lastNumber()``.
  ///   - relyingPartyID: the relying party whose passkeys count.
  func shapes(ofAccounts numbers: [Int64], relyingPartyID: String) throws -> [KeyShape]

  /// Stores a new passkey, whose identifier no account has yet.
  func add(_ passkey: PasskeyRecord) throws

  /// Stores what a verified assertion says, if the passkey and the account may be used, and the counter is higher than the
  /// stored one, or both are 0.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: false if the passkey was revoked, blocked or used in the meantime.
  func use(_ passkey: UsedPasskey, of username: String, now: Int64) throws -> Bool

  /// Marks a passkey as accepted for the steps of administrators.
  ///
  /// - Parameter voucher: who vouches for it, in the form of ``AuditActor/text``.
  /// - Returns: false if the account has no such passkey that is not revoked.
  func vouch(for id: [UInt8], of username: String, by voucher: String) throws -> Bool

  /// Marks passkeys of an account as revoked; passkeys that were revoked before keep their earlier record.
  ///
  /// - Parameter id: nil for all passkeys of the account.
  /// - Returns: how many were not revoked before.
  func revoke(_ id: [UInt8]?, of username: String, _ revocation: Revocation) throws -> Int
}

/// One registered passkey.
package struct PasskeyRecord: Equatable, Sendable {
  /// The most passkeys of an account; revoked ones are not counted.
  ///
  /// A request names no more than this, so that it stays below 64 KiB even with the longest identifiers.
  package static let mostOfAccount = 32

  package let username: String
  /// The relying party for which the authenticator made it: the host of the server's URL at that time.
  package let relyingPartyID: String
  /// The credential's identifier: 1 to 1023 bytes.
  package let id: [UInt8]
  /// What the authenticator knows the account by: bytes that reveal nothing, the same for all passkeys of the account.
  package let userHandle: [UInt8]
  package let publicKey: COSEKey
  package let signCounter: UInt32
  /// The model that the authenticator says it is.
  package let aaguid: AAGUID
  /// Whether a certificate that this server trusts vouches for the model; if not, ``aaguid`` proves nothing.
  package let isAttested: Bool
  /// BE: whether the passkey may be copied to other devices of the person.
  package let isBackupEligible: Bool
  /// BS: whether it was copied, as the last assertion said.
  package let isBackedUp: Bool
  /// How the authenticator can be reached, in the form that WebAuthn has for it.
  package let transports: [String]
  /// In seconds since 1970, like the time below.
  package let registeredAt: Int64
  package let lastUsedAt: Int64?
  /// nil for a passkey that can be used.
  package let revocation: Revocation?
  /// What allowed the registration.
  package let origin: KeyOrigin

  package init(
    username: String, relyingPartyID: String, id: [UInt8], userHandle: [UInt8], publicKey: COSEKey, signCounter: UInt32,
    aaguid: AAGUID, isAttested: Bool, isBackupEligible: Bool, isBackedUp: Bool, transports: [String],
    registeredAt: Int64,
    lastUsedAt: Int64? = nil, revocation: Revocation? = nil, origin: KeyOrigin = KeyOrigin()
  ) {
    self.username = username
    self.relyingPartyID = relyingPartyID
    self.id = id
    self.userHandle = userHandle
    self.publicKey = publicKey
    self.signCounter = signCounter
    self.aaguid = aaguid
    self.isAttested = isAttested
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.transports = transports
    self.registeredAt = registeredAt
    self.lastUsedAt = lastUsedAt
    self.revocation = revocation
    self.origin = origin
  }

  /// Whether the passkey is accepted for the steps of administrators: to sign in to the console, and to confirm steps there.
  package var countsForSteps: Bool { revocation == nil && origin.vouchedBy != nil }

  /// Whether it may be used at a relying party.
  func isUsable(at party: RelyingPartyID) -> Bool {
    revocation == nil && relyingPartyID.isIdentical(to: party.text)
  }

  /// What a policy asks about it.
  package var kind: PasskeyKind {
    PasskeyKind(
      isBackupEligible: isBackupEligible, attestedModel: isAttested ? aaguid : nil, relyingPartyID: relyingPartyID)
  }

  /// The identifier in base64url, as people and programs name the passkey.
  package var idText: String { Base64URL.encode(id) }
}

/// What a policy asks about a passkey, and for which relying party it was made.
package struct PasskeyKind: Hashable, Sendable {
  /// BE.
  package let isBackupEligible: Bool
  /// The model, if a certificate that this server trusts vouches for it.
  package let attestedModel: AAGUID?
  package let relyingPartyID: String

  package init(isBackupEligible: Bool, attestedModel: AAGUID?, relyingPartyID: String) {
    self.isBackupEligible = isBackupEligible
    self.attestedModel = attestedModel
    self.relyingPartyID = relyingPartyID
  }
}

/// What a verified assertion changes in the record of its passkey.
package struct UsedPasskey: Equatable, Sendable {
  package let id: [UInt8]
  package let signCounter: UInt32
  package let isBackedUp: Bool

  package init(id: [UInt8], signCounter: UInt32, isBackedUp: Bool) {
    self.id = id
    self.signCounter = signCounter
    self.isBackedUp = isBackedUp
  }

  /// The passkey in a row of the audit.
  var auditText: String { "passkey \(Base64URL.encode(id)) \(signCounter)" }
}
