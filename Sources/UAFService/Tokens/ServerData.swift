import UAFMessages

/// The session data of a request (`serverData`): what the server has to know when the answer comes.
///
/// The client sends it back unchanged. So the server keeps nothing for a request for an authentication, and nobody can fill its
/// disk by asking. It is authenticated, not encrypted: it holds only what the client knows, and its length depends only
/// on what was asked for.
struct ServerData: Equatable, Sendable {
  let purpose: ChallengePurpose
  let username: String
  /// Seconds since 1970.
  let expiresAt: Int64
  /// SHA-256 of what this authentication authorises; empty where the purpose says all.
  var proofSubject: [UInt8] = []
  /// The approval whose text is asked for.
  ///
  /// The text itself is in the store.
  var approvalID: Int64?
  var text = SealedText.none

  init(_ purpose: ChallengePurpose, username: String, expiresAt: Int64) {
    self.purpose = purpose
    self.username = username
    self.expiresAt = expiresAt
  }

  /// The operation whose answer it belongs to.
  var operation: UAFOperation {
    switch purpose {
    case .registrationByCode, .registrationByKey: .registration
    default: .authentication
    }
  }

  /// Whether only keys are asked for that count for the steps of administrators.
  var needsVouchedKey: Bool { purpose == .consoleSignIn || purpose == .consoleStep }

  /// The operations that the verdict authorises.
  var use: [UAFOperation] {
    purpose.authorizedOperation.map { [$0] } ?? []
  }
}
