import NIOCore
import NIOHTTP1
import UAFMessages
import WebMessages

/// A request of the API as a command makes it.
struct APIRequest: Sendable {
  let method: HTTPMethod
  /// The path's parts below ``APIRoute/prefix``, not encoded.
  let path: [String]
  /// Parameters; one without a value is not sent.
  var query: [(name: String, value: String?)] = []
  /// nil for none.
  var body: JSONObject?

  init(
    _ method: HTTPMethod, _ path: [String], query: [(name: String, value: String?)] = [], body: JSONObject? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }

  /// Path and query, percent-encoded.
  var target: String {
    let parameters = query.compactMap { parameter in
      parameter.value.map { "\(parameter.name)=\(PathText.encoded($0))" }
    }
    return PathText.joined(path) + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }

  /// As it comes to the API of this process.
  var asked: WebRequest {
    var fields = HTTPHeaders()
    if body != nil { fields.add(name: "Content-Type", value: "application/json") }
    return WebRequest(
      method: method, target: target, fields: fields,
      body: ByteBuffer(bytes: body.map { JSONValue.object($0).bytes } ?? []), peer: nil)
  }
}
