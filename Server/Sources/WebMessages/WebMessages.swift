// Purpose: HTTP requests and responses as values, for everything that answers requests: UAF, the API, the console.
//
// Imports NIO's types for methods, status codes, headers and addresses. It opens no connection and decides nothing.

import NIOCore
import NIOHTTP1

/// The server's response to one HTTP request.
package struct WebResponse: Sendable {
  package let status: HTTPResponseStatus
  /// Headers of this response, in addition to those that every response has.
  package var headers: [(name: StaticString, value: String)] = []
  package var body: [UInt8] = []
  /// Whether the connection is closed after this response.
  package var isLast = false

  package init(
    status: HTTPResponseStatus, headers: [(name: StaticString, value: String)] = [], body: [UInt8] = [],
    isLast: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.isLast = isLast
  }

  /// The status and the headers in the form that NIO's encoder needs.
  ///
  /// It contains the length of the body even if no body is sent. For a HEAD request that is right (RFC 9110, section 8.6), and
  /// if the status allows no body, the encoder removes it.
  ///
  /// - Parameters:
  ///   - isLast: whether the connection is closed after the response for a reason other than the response itself.
  ///   - date: the time in HTTP's format.
  package func head(isLast: Bool, date: String) -> HTTPResponseHead {
    var all = headers.map { ($0.name.description, $0.value) }
    all += [("Content-Length", String(body.count)), ("Date", date)]
    if isLast || self.isLast { all.append(("Connection", "close")) }
    all.append(("Server", "uaf-server"))
    return HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(all))
  }
}

/// One HTTP request, with its whole body.
package struct WebRequest: Sendable {
  package let method: HTTPMethod
  /// The path without the query.
  package let path: String
  /// The text after the first question mark, still encoded; nil if there is none.
  package let query: String?
  package let headers: HTTPHeaders
  package let body: ByteBuffer
  /// The other end of the connection.
  package let peer: SocketAddress?

  package init(method: HTTPMethod, target: String, headers: HTTPHeaders, body: ByteBuffer, peer: SocketAddress?) {
    self.method = method
    path = Self.path(of: target)
    query = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[target.utf8.index(after: $0)...]) }
    self.headers = headers
    self.body = body
    self.peer = peer
  }

  /// The value of a header.
  ///
  /// Several lines with the same name are joined with commas (RFC 9110, section 5.3).
  package func header(_ name: String) -> String? { headers.value(of: name) }

  /// The path of a request's target, which may be a whole URL (RFC 9112, section 3.2.2).
  private static func path(of target: String) -> String {
    let whole = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    guard whole.first != UInt8(ascii: "/"), let colon = whole.firstIndex(of: UInt8(ascii: ":")),
      whole[colon...].starts(with: "://".utf8)
    else { return String(Substring(whole)) }
    let place = whole[colon...].dropFirst(3)
    return place.firstIndex(of: UInt8(ascii: "/")).map { String(Substring(place[$0...])) } ?? "/"
  }
}

/// The refusal of a request with an HTTP status, for a reason for which UAF has no status.
package struct WebRefusal: Error {
  package let response: WebResponse

  package init(_ response: WebResponse) { self.response = response }
}

extension HTTPHeaders {
  /// The value of a header.
  ///
  /// Several lines with the same name are joined with commas (RFC 9110, section 5.3).
  ///
  /// - Returns: nil if there is none.
  package func value(of name: String) -> String? {
    guard contains(name: name) else { return nil }
    return self[name].joined(separator: ", ")
  }
}

/// The routes of one interface of the server: the target of each method and path.
///
/// UAF, the API and the console each have a table, so that all match paths in the same way: the parts are compared byte by
/// byte, without decoding; an empty part counts as a part; and a part written as `{name}` matches any part.
package struct RouteTable<Target: Sendable>: Sendable {
  /// A method, a path, and their target.
  package struct Route: Sendable {
    package let method: HTTPMethod
    /// The path, with `{name}` for each variable part.
    package let path: String
    package let target: Target

    package init(_ method: HTTPMethod, _ path: String, _ target: Target) {
      self.method = method
      self.path = path
      self.target = target
    }
  }

  /// The result of a search.
  package enum Match {
    /// The target of a route, and the variable parts of the path by their names, still percent-encoded.
    case route(Target, variables: [String: Substring])
    /// The path exists, but only with these methods.
    case otherMethods([HTTPMethod])
    case nothing
  }

  package let routes: [Route]
  private let paths: RoutePaths

  package init(_ routes: [Route]) {
    self.routes = routes
    paths = RoutePaths(routes.map { ($0.method, $0.path) })
  }

  /// Finds the route of a request.
  ///
  /// A path without variable parts takes precedence over one with variable parts.
  package func match(_ method: HTTPMethod, _ path: String) -> Match {
    switch paths.match(method, path) {
    case .route(let index, let variables): .route(routes[index].target, variables: variables)
    case .otherMethods(let methods): .otherMethods(methods)
    case .nothing: .nothing
    }
  }
}

/// Finds paths, and returns the indices of their routes in the table.
///
/// It does not contain the targets, and so is not generic: each login uses it twice, and generic code of a different module
/// takes ten times as long.
private struct RoutePaths: Sendable {
  enum Match {
    case route(Int, variables: [String: Substring])
    case otherMethods([HTTPMethod])
    case nothing
  }

  private struct Place {
    let method: HTTPMethod
    let index: Int
  }

  /// The paths without a variable part, which are found without checking the others.
  private var fixed: [String: [Place]] = [:]
  private var variable: [(parts: [Substring], place: Place)] = []

  init(_ routes: [(method: HTTPMethod, path: String)]) {
    for (index, route) in routes.enumerated() {
      let place = Place(method: route.method, index: index)
      if route.path.contains("{") {
        variable.append((route.path.split(separator: "/", omittingEmptySubsequences: false), place))
      } else {
        fixed[route.path, default: []].append(place)
      }
    }
  }

  func match(_ method: HTTPMethod, _ path: String) -> Match {
    if let found = fixed[path] {
      guard let place = found.first(where: { $0.method == method }) else { return .otherMethods(found.map(\.method)) }
      return .route(place.index, variables: [:])
    }
    guard !variable.isEmpty else { return .nothing }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    var others: [HTTPMethod] = []
    for (parts, place) in variable {
      guard let variables = Self.variables(of: parts, in: segments) else { continue }
      if place.method == method { return .route(place.index, variables: variables) }
      others.append(place.method)
    }
    return others.isEmpty ? .nothing : .otherMethods(others)
  }

  private static func variables(of parts: [Substring], in segments: [Substring]) -> [String: Substring]? {
    guard parts.count == segments.count else { return nil }
    var found: [String: Substring] = [:]
    for (part, segment) in zip(parts, segments) {
      if part.hasPrefix("{") {
        guard !segment.isEmpty else { return nil }
        found[String(part.dropFirst().dropLast())] = segment
      } else if part != segment {
        return nil
      }
    }
    return found
  }
}
