/// Where one operation finds its server.
public struct ServerEndpoint: Equatable, Sendable {
  /// Where a UAF request is fetched.
  public let requestURL: String

  /// Where the UAF response goes; not used by deregistration.
  public let responseURL: String

  /// Makes an endpoint; both addresses may hold the placeholders of ``URLTemplate``.
  public init(requestURL: String, responseURL: String) {
    self.requestURL = requestURL
    self.responseURL = responseURL
  }
}
