import NIOHTTP1
import UAFMessages
import WebMessages

/// What a route of the API answers.
struct APIAnswer: Equatable {
  let status: HTTPResponseStatus
  /// nil for none.
  var body: JSONObject?
  /// The path of what was made; nil if nothing was.
  var location: String?
  /// Members that are shown once: a repeated request gets the answer without them.
  var secrets: [String] = []

  static let done = APIAnswer(status: .noContent)

  static func ok(_ body: JSONObject) -> APIAnswer { APIAnswer(status: .ok, body: body) }

  /// As it is sent.
  func answer(isRepeated: Bool = false) -> WebAnswer {
    var fields: [(name: StaticString, value: String)] = [("Cache-Control", "no-store")]
    if body != nil { fields.append(("Content-Type", "application/json")) }
    if let location { fields.append(("Location", location)) }
    if isRepeated { fields.append(("Idempotency-Replayed", "true")) }
    return WebAnswer(status: status, fields: fields, body: body.map { JSONValue.object($0).bytes } ?? [])
  }

  // MARK: For a repeated request

  /// As it is kept: without what is shown once.
  var kept: String {
    var object: JSONObject = ["status": .integer(Int64(status.code))]
    object.set("location", location.map(JSONValue.string))
    if let body {
      var rest = JSONObject()
      for member in body.members where !secrets.contains(member.name) { rest.set(member.name, member.value) }
      object.set("body", .object(rest))
    }
    return JSONValue.object(object).text
  }

  /// Reads what was kept.
  ///
  /// - Returns: nil for anything else.
  init?(kept text: String) {
    guard case .object(let object)? = try? JSONValue(parsing: Array(text.utf8)),
      case .integer(let code)? = object["status"]
    else { return nil }
    status = HTTPResponseStatus(statusCode: Int(clamping: code))
    if case .object(let body)? = object["body"] { self.body = body }
    if case .string(let location)? = object["location"] { self.location = location }
  }

  init(status: HTTPResponseStatus, body: JSONObject? = nil, location: String? = nil, secrets: [String] = []) {
    self.status = status
    self.body = body
    self.location = location
    self.secrets = secrets
  }
}
