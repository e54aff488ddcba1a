/// One authenticator that meets one criterion.
public struct AcceptableAuthenticator: Equatable, Sendable {
  /// The model.
  public let aaid: AAID

  /// Its keys for the AppID that the criterion names; empty if it has none.
  public let keyIDs: [KeyID]

  /// The first attestation type of the criterion it offers, or its own first one.
  public let attestationType: UInt16?
}
