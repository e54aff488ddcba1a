import FidoResults
import UAFMessages

/// One HTTPS exchange at a time, in two steps, so that a request travels while the person types.
///
/// An implementation sends no cookies but those of the request, follows no redirects, and checks the server's certificate.
public protocol Transport: ~Copyable {
  /// Sends a request, or at least starts to.
  ///
  /// - Throws: ``TransportFailure``.
  mutating func begin(_ request: TransportRequest) throws(TransportFailure)

  /// Waits for the answer to the request that was started last.
  ///
  /// - Throws: ``TransportFailure``.
  mutating func finish() throws(TransportFailure) -> TransportResponse
}

/// A request to a server.
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

  /// The media type wanted for the answer.
  public let accept: String

  /// The body; empty with GET.
  public let body: [UInt8]

  /// What this machine may prove with the request; nil for a request that no server counts.
  public var claim: MachineClaim?

  /// The value of the header `UAF-Machine`; nil for none.
  public var machineProof: String?

  /// The header `Cookie` of this ceremony: empty before the first answer, nil for a request without cookies.
  public var cookies: String?

  /// The header `Authorization`, which carries a code; secret, never for a log.
  public var authorization: String?

  /// Further headers of a dialect of WebAuthn; a session among them is secret, never for a log.
  public var headers: [HeaderField] = []

  /// Makes a POST; the answer should have the same type.
  public static func post(_ body: [UInt8], to url: String, contentType: String) -> TransportRequest {
    let accept = contentType.split(separator: ";").first.map(String.init) ?? contentType
    return TransportRequest(method: .post, url: url, contentType: contentType, accept: accept, body: body)
  }

  /// Makes a GET.
  public static func get(_ url: String, accept: String) -> TransportRequest {
    TransportRequest(method: .get, url: url, contentType: nil, accept: accept, body: [])
  }
}

/// A header that a dialect of WebAuthn sends.
public struct HeaderField: Equatable, Sendable {
  /// The headers there are; uaf-fetch sends no others.
  public enum Name: String, CaseIterable, Sendable {
    /// The origin of the client data, for a server that compares the two.
    case origin = "Origin"
    /// The server's own origin, for a server that asks where a request comes from.
    case referer = "Referer"
    /// The token against forgery of Django and of Flask-WTF.
    case csrfToken = "X-CSRFToken"
    /// The session of a login at kanidm.
    case kanidmSession = "X-KANIDM-AUTH-SESSION-ID"
    /// The session of django-allauth.
    case sessionToken = "X-Session-Token"
  }

  /// The header's name.
  public let name: Name

  /// Its value.
  public let value: String

  /// The line of HTTP that carries it.
  public var line: String { "\(name.rawValue): \(value)" }

  /// Makes a header.
  public init(_ name: Name, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// What a server answered, after a completed TLS handshake.
public struct TransportResponse: Equatable, Sendable {
  /// The HTTP status.
  public let status: Int

  /// The body's media type with its parameters; empty if the server named none.
  public let contentType: String

  /// The body, capped by the transport.
  public let body: [UInt8]

  /// The server's certificate in DER; empty if the transport does not know it.
  public let serverCertificate: [UInt8]

  /// Where a redirect points, which the transport does not follow; nil for any other answer.
  public let redirect: Redirect?

  /// The header `Cookie` for the next request of the same ceremony; nil if the request took no part in cookies.
  public let cookies: String?

  /// The session that the answer names in a header, for the next request of the same ceremony; nil if it names none.
  public let session: String?

  /// Makes an answer.
  public init(
    status: Int, contentType: String, body: [UInt8], serverCertificate: [UInt8] = [], redirect: Redirect? = nil,
    cookies: String? = nil, session: String? = nil
  ) {
    self.cookies = cookies
    self.session = session
    self.status = status
    self.contentType = contentType
    self.body = body
    self.serverCertificate = serverCertificate
    self.redirect = redirect
  }

  /// The same answer with a part of its body.
  func with(body part: [UInt8]) -> TransportResponse {
    TransportResponse(
      status: status, contentType: contentType, body: part, serverCertificate: serverCertificate, redirect: redirect,
      cookies: cookies, session: session)
  }
}

/// Why there was no answer.
///
/// Only the first case may let a PAM stack continue without the server.
public enum TransportFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server is unreachable: no connection to it was made.
  case noHandshake(NetworkFailure)
  /// A machine answered at the server's address, but no TLS handshake was completed with it.
  ///
  /// The server is not reported as unreachable, because an attacker who keeps it busy or answers instead of it can cause this.
  case withoutHandshake(NetworkFailure)
  /// This machine lacked what a connection needs, so it is unknown whether the server is reachable.
  case ownMeans
  /// The server was reached over TLS, but nothing usable came.
  case afterHandshake(NetworkFailure)
  /// The server's certificate is not valid.
  case certificateRefused
  /// The answer was longer than the transport accepts.
  case answerTooLarge
  /// The transport does not accept this request: its address is not https, or its body is too long.
  case requestNotAcceptable
  /// There is no transport: its process is missing or has died.
  case unavailable

  /// Says what failed, for the log.
  public var description: String {
    switch self {
    case .noHandshake(let failure): "no connection to the server (\(failure)); check network, address and server"
    case .withoutHandshake(.proxy):
      "the proxy does not let the request through; check server.proxy, and for which servers "
        + "and machines the proxy works"
    case .withoutHandshake(let failure):
      "a machine accepts connections at the server's address, but no secure connection could be made "
        + "(\(failure)); check the server, and what else accepts connections there"
    case .ownMeans:
      "this machine lacks a process, memory, a descriptor or a port for asking the server; look "
        + "for limits and for who uses "
        + "them up"
    case .afterHandshake(let failure): "the server stopped replying (\(failure)); check the server"
    case .certificateRefused: "the server's certificate is not trusted; check the server and ca_file"
    case .answerTooLarge: "the server's reply is too large; check that the address belongs to a UAF server"
    case .requestNotAcceptable: "the request cannot be sent; check the addresses in the configuration"
    case .unavailable: "the network program is missing or has died: 'uafctl doctor', run by root, says why"
    }
  }
}

/// The media types of UAF.
enum MediaType {
  /// UAF transport bodies.
  static let uaf = "application/fido+uaf"

  /// The answers of the FIDO Alliance's own interface for server tests.
  static let json = "application/json"

  /// Whether a Content-Type names one of `types` and, if it names a character set, UTF-8.
  ///
  /// Other parameters are ignored, as RFC 9110 asks for types that do not define them.
  static func matches(_ contentType: String, _ types: [String]) -> Bool {
    let parts = contentType.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
    guard let type = parts.first, types.contains(type) else { return false }
    return parts.dropFirst().allSatisfy { parameter in
      !parameter.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains(parameter)
    }
  }

  /// The type alone, without parameters.
  static func essence(of contentType: String) -> String {
    trimmed(contentType.prefix { $0 != ";" })
  }

  private static func trimmed(_ part: Substring) -> String {
    String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()).lowercased()
  }
}

/// Where an answer with a status of 300 to 399 points.
public struct Redirect: Equatable, Sendable {
  /// The absolute address.
  public let url: String

  /// Whether the answer had `FIDO-AppID-Redirect-Authorized: true`, exactly once and with no other value.
  public let isAuthorized: Bool

  /// Makes a redirect.
  public init(url: String, isAuthorized: Bool) {
    self.url = url
    self.isAuthorized = isAuthorized
  }
}
