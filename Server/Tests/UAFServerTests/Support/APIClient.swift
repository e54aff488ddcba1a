import NIOCore
import NIOHTTP1
import UAFMessages
import WebMessages

@testable import UAFServer

/// Sends requests to the API without a connection.
struct APIClient: Sendable {
  let api: APIResponder

  /// The response and its JSON object; the object is empty if the response has none.
  func ask(
    _ method: HTTPMethod, _ target: String, token: String? = nil, body: String? = nil,
    headers: HTTPHeaders = [:], from address: String = "192.0.2.1"
  ) async throws -> (answer: WebResponse, json: JSONObject) {
    var headers = headers
    if let token { headers.add(name: "Authorization", value: "Bearer \(token)") }
    if body != nil, !headers.contains(name: "Content-Type") {
      headers.add(name: "Content-Type", value: "application/json")
    }
    let request = WebRequest(
      method: method, target: target, headers: headers, body: ByteBuffer(string: body ?? ""),
      peer: try SocketAddress(ipAddress: address, port: 1))
    let answer = await api.response(to: request)
    guard case .object(let json)? = try? JSONValue(parsing: answer.body) else { return (answer, [:]) }
    return (answer, json)
  }
}
