import UAFMessages

/// The session data of a request (`serverData`): what the server has to know when the answer comes.
///
/// The client sends it back unchanged. So the server keeps nothing for a request for an authentication, and nobody can fill its
/// disk by asking. It is authenticated, not encrypted: it holds only what the client knows, and its length depends only
/// on what was asked for.
struct ServerData: Equatable, Sendable {
  let operation: UAFOperation
  let username: String
  /// Seconds since 1970.
  let expiresAt: Int64
  /// What a proof token for this authentication may be used for.
  var proofOperations: [UAFOperation] = []
  /// The approval whose text is asked for.
  ///
  /// The text itself is in the store.
  var approvalID: Int64?
  var text = SealedText.none
}
