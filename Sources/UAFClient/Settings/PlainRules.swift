/// What the plain dialect leaves to each server.
public struct PlainRules: Equatable, Sendable {
  /// The server's names for members of the context; what is not in it is not sent.
  public let contextNames: [String: String]

  /// How the server marks a success without a status code of UAF.
  public let success: SuccessMark?

  /// Makes rules.
  ///
  /// The default tells the server nothing, and takes only a status code of UAF for a success.
  public init(contextNames: [String: String] = [:], success: SuccessMark? = nil) {
    self.contextNames = contextNames
    self.success = success
  }
}
