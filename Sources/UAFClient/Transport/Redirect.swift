/// Where an answer with a status of 300 to 399 points.
public struct Redirect: Equatable, Sendable {
  /// The absolute address.
  public let url: String

  /// Whether the answer had `FIDO-AppID-Redirect-Authorized: true`, once and with nothing else.
  public let isAuthorized: Bool

  /// Makes a redirect.
  public init(url: String, isAuthorized: Bool) {
    self.url = url
    self.isAuthorized = isAuthorized
  }
}
