/// What a machine's proof is about: one request for one account.
public struct MachineClaim: Equatable, Sendable {
  /// The operation that is asked for, or answered.
  public let operation: UAFOperation
  /// Whether the request carries a UAF response; otherwise it asks for a UAF request.
  public let isAnswer: Bool
  /// The account's name at the server.
  public let username: String

  /// Makes a claim.
  public init(operation: UAFOperation, isAnswer: Bool, username: String) {
    self.operation = operation
    self.isAnswer = isAnswer
    self.username = username
  }
}
