/// What the plain dialect leaves to each server.
public struct PlainRules: Equatable, Sendable {
  /// The server's names for members of the context; what is not in it is not sent.
  public let contextNames: [String: String]

  /// How the server says yes, if not with a status code of UAF.
  public let success: SuccessMark?

  /// Makes rules; the default tells the server nothing and takes a status code of UAF alone for a yes.
  public init(contextNames: [String: String] = [:], success: SuccessMark? = nil) {
    self.contextNames = contextNames
    self.success = success
  }
}
