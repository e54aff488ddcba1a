import NIOHTTP1

/// The routes of one face of the server: what a method and a path lead to.
///
/// UAF, the API and the console each have one, so that a path is found in the same way everywhere: the parts are compared byte by
/// byte, without decoding, an empty part is a part, and a part written `{name}` stands for any one.
package struct RouteTable<Target: Sendable>: Sendable {
  /// What a method of a path leads to.
  package struct Route: Sendable {
    package let method: HTTPMethod
    /// With `{name}` for each variable part.
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
    /// The path has these methods alone.
    case otherMethods([HTTPMethod])
    case nothing
  }

  package let routes: [Route]
  /// The routes of paths without a variable part, which are found without looking at the others.
  private let fixed: [String: [Route]]
  private let variable: [(parts: [Substring], route: Route)]

  package init(_ routes: [Route]) {
    self.routes = routes
    let isVariable = { (route: Route) in route.path.contains("{") }
    fixed = Dictionary(grouping: routes.filter { !isVariable($0) }, by: \.path)
    variable = routes.filter(isVariable).map { ($0.path.split(separator: "/", omittingEmptySubsequences: false), $0) }
  }

  /// Finds the route of a request.
  ///
  /// A path that is written out wins over one with a variable part.
  package func match(_ method: HTTPMethod, _ path: String) -> Match {
    if let found = fixed[path] {
      guard let route = found.first(where: { $0.method == method }) else { return .otherMethods(found.map(\.method)) }
      return .route(route.target, variables: [:])
    }
    guard !variable.isEmpty else { return .nothing }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    var others: [HTTPMethod] = []
    for (parts, route) in variable {
      guard let variables = Self.variables(of: parts, in: segments) else { continue }
      if route.method == method { return .route(route.target, variables: variables) }
      others.append(route.method)
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
