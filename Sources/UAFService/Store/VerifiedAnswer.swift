import UAFMessages

/// What a store keeps of a verified answer to a request for an authentication: all of it in one commit, or nothing.
package struct VerifiedAnswer: Sendable {
  package let username: String
  /// ``IssuedChallenge/hash`` of the challenge, which becomes used.
  package let challengeHash: [UInt8]
  /// When the request would have expired, in seconds since 1970; the used challenge can be forgotten then.
  package let expiresAt: Int64
  /// The signatures, whose counters are raised.
  package let signatures: [VerifiedAuthentication]
  /// The confirmed text, once for each signature.
  package let confirmedTexts: [ConfirmedText]
  /// The approval whose text was confirmed.
  package let approvalID: Int64?
  /// Seconds since 1970.
  package let now: Int64
  /// Where it came from, for the audit; empty if that is not known.
  var address = ""
  /// The machine of the keys, for the audit.
  var machine = ""
  /// What the audit says beside, as JSON.
  var detail = ""

  /// The challenge, which becomes used.
  package var challenge: IssuedChallenge { IssuedChallenge(hash: challengeHash, expiresAt: expiresAt) }

  /// The row of the audit that is stored with it.
  package var event: AuditEntry {
    let authenticators = signatures.map { "\($0.aaid.text) \($0.keyID.text) \($0.signCounter)" }
    return AuditEntry(
      time: now, kind: approvalID == nil && confirmedTexts.isEmpty ? .login : .confirmation, account: username,
      actor: .person, address: address, machine: machine, authenticators: authenticators.joined(separator: ", "),
      detail: detail)
  }

  /// Why it was not stored although its challenge was not used before.
  ///
  /// Another signature with the same or a higher counter was faster, or the key was revoked or removed, unless the account is
  /// blocked.
  ///
  /// - Parameter block: how its account is blocked.
  package func refusal(by block: AccountBlock?) -> ServiceRefusal {
    block?.refusal(at: now) ?? .counterNotIncreased
  }
}
