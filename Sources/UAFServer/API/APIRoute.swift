import NIOHTTP1
import UAFMessages

/// One method of one path of the API: what it does, and what the description says about it.
struct APIRoute: Sendable {
  /// A parameter of the query, or a member of the body.
  struct Input: Sendable {
    let name: String
    /// As JSON Schema has it.
    let schema: JSONObject
    let description: String
    var isRequired = false
  }

  let method: HTTPMethod
  /// With `{name}` for each variable part.
  let path: String
  let summary: String
  var query: [Input] = []
  /// nil for a route without a body.
  var body: [Input]?
  /// A body as an example; nil for a route without one.
  var bodyExample: JSONObject?
  /// The status of what was done.
  var status = HTTPResponseStatus.ok
  /// An answer as an example; nil for one without a body.
  var example: JSONObject?
  let handle: @Sendable (APICall) async throws -> APIAnswer

  static let prefix = "/api/v1"

  /// Whether a request may be sent again under a key without being done twice.
  var isRepeatable: Bool { method == .POST }

  /// The names of the path's variable parts, in their order.
  var variables: [String] {
    path.split(separator: "/").compactMap { part in
      part.hasPrefix("{") ? String(part.dropFirst().dropLast()) : nil
    }
  }

  /// The variable parts of a path; nil if the path is another one.
  ///
  /// - Parameter segments: of the request's path, after ``prefix``, still percent-encoded.
  func match(_ segments: [Substring]) -> [String: String]? {
    let own = path.split(separator: "/")
    guard own.count == segments.count else { return nil }
    var found: [String: String] = [:]
    for (part, segment) in zip(own, segments) {
      if part.hasPrefix("{") {
        guard let text = QueryText.decoded(segment), !text.isEmpty else { return nil }
        found[String(part.dropFirst().dropLast())] = text
      } else if part != segment {
        return nil
      }
    }
    return found
  }
}
