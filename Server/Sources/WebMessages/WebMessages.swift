// Purpose: A request of HTTP and its response as values, for everything that answers requests: UAF, the API, the console.
//
// Imports NIO's types for methods, status codes, headers and addresses. It opens no connection and decides nothing.

import NIOCore
import NIOHTTP1

/// The server's response to one request of HTTP.
package struct WebResponse: Sendable {
  package let status: HTTPResponseStatus
  /// Headers that only this response has.
  package var headers: [(name: StaticString, value: String)] = []
  package var body: [UInt8] = []
  /// Whether the connection is closed after it.
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

  /// Its status and headers as NIO's encoder takes them.
  ///
  /// It has the length of the body even if none is sent: after a request of HEAD it belongs there (RFC 9110, section 8.6),
  /// and the encoder takes it out where the status allows no body.
  ///
  /// - Parameters:
  ///   - isLast: whether the connection is closed for another reason than the response's own.
  ///   - date: the time, as HTTP has it.
  package func head(isLast: Bool, date: String) -> HTTPResponseHead {
    var all = headers.map { ($0.name.description, $0.value) }
    all += [("Content-Length", String(body.count)), ("Date", date)]
    if isLast || self.isLast { all.append(("Connection", "close")) }
    all.append(("Server", "uaf-server"))
    return HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(all))
  }
}

/// One request of HTTP, with its whole body.
package struct WebRequest: Sendable {
  package let method: HTTPMethod
  /// Without a query.
  package let path: String
  /// What follows the first question mark, as it was sent; nil without one.
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

  /// The value of a header; several lines of one name count as one, with commas between them (RFC 9110, section 5.3).
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

/// A request that is refused by a status of HTTP, because UAF has none for it.
package struct WebRefusal: Error {
  package let response: WebResponse

  package init(_ response: WebResponse) { self.response = response }
}

extension HTTPHeaders {
  /// The value of a header; several lines of one name count as one, with commas between them (RFC 9110, section 5.3).
  ///
  /// - Returns: nil if there is none.
  package func value(of name: String) -> String? {
    guard contains(name: name) else { return nil }
    return self[name].joined(separator: ", ")
  }
}

/// The routes of one face of the server: what a method and a path lead to.
///
/// UAF, the API and the console each have one, so that a path is found in the same way everywhere: the parts are compared byte by
/// byte, without decoding, an empty part is a part, and a part written `{name}` stands for any one.
package struct RouteTable<Target: Sendable>: Sendable {
  /// What a method of a path leads to.
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

  /// What was found.
  package enum Match {
    /// A route, and the variable parts by their names, still percent-encoded.
    case route(Target, variables: [String: Substring])
    /// The path has only these methods.
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
  /// A path that is written out wins over one with a variable part.
  package func match(_ method: HTTPMethod, _ path: String) -> Match {
    switch paths.match(method, path) {
    case .route(let index, let variables): .route(routes[index].target, variables: variables)
    case .otherMethods(let methods): .otherMethods(methods)
    case .nothing: .nothing
    }
  }
}

/// Where a table's paths are found, as places in the table.
///
/// It knows no target, because each login asks it twice, and generic code of a different module costs ten times as much.
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
