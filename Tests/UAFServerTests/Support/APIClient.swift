import NIOCore
import NIOHTTP1
import UAFMessages
import WebMessages

@testable import UAFServer

/// Sends requests to the API without a connection.
struct APIClient: Sendable {
  let api: APIResponder

  /// What is answered, and its JSON object; without members if it is none.
  func ask(
    _ method: HTTPMethod, _ target: String, token: String? = nil, body: String? = nil,
    fields: HTTPHeaders = [:], from address: String = "192.0.2.1"
  ) async throws -> (answer: WebAnswer, json: JSONObject) {
    var fields = fields
    if let token { fields.add(name: "Authorization", value: "Bearer \(token)") }
    if body != nil, !fields.contains(name: "Content-Type") {
      fields.add(name: "Content-Type", value: "application/json")
    }
    let request = WebRequest(
      method: method, target: target, fields: fields, body: ByteBuffer(string: body ?? ""),
      peer: try SocketAddress(ipAddress: address, port: 1))
    let answer = await api.answer(to: request)
    guard case .object(let json)? = try? JSONValue(parsing: answer.body) else { return (answer, [:]) }
    return (answer, json)
  }
}
