import UAFMessages

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

  /// What this machine may prove with the request; nil for one that no server counts.
  public var claim: MachineClaim?

  /// The value of the header `UAF-Machine`; nil for none.
  public var machineProof: String?

  /// Makes a POST; what is wanted in return is of the same type.
  public static func post(_ body: [UInt8], to url: String, contentType: String) -> TransportRequest {
    let accept = contentType.split(separator: ";").first.map(String.init) ?? contentType
    return TransportRequest(method: .post, url: url, contentType: contentType, accept: accept, body: body)
  }

  /// Makes a GET.
  public static func get(_ url: String, accept: String) -> TransportRequest {
    TransportRequest(method: .get, url: url, contentType: nil, accept: accept, body: [])
  }
}
