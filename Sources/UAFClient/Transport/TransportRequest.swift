/// What is asked of a server.
public struct TransportRequest: Equatable, Sendable {
  /// The methods there are.
  public enum Method: Equatable, Sendable {
    case get
    case post
  }

  /// The method.
  public let method: Method

  /// The address, an absolute https URL.
  public let url: String

  /// The body's media type; nil without a body.
  public let contentType: String?

  /// The media type wanted in return.
  public let accept: String

  /// The body; empty with GET.
  public let body: [UInt8]

  /// Makes a POST of a UAF transport body.
  public static func post(_ body: [UInt8], to url: String) -> TransportRequest {
    TransportRequest(
      method: .post, url: url, contentType: "\(MediaType.uaf); charset=utf-8", accept: MediaType.uaf, body: body)
  }

  /// Makes a GET.
  public static func get(_ url: String, accept: String) -> TransportRequest {
    TransportRequest(method: .get, url: url, contentType: nil, accept: accept, body: [])
  }
}
