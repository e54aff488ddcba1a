import NIOHTTP1
import UAFAdministration
import UAFMessages
import WebMessages

/// One method of one path of the API: its handler, and its part of the OpenAPI description.
struct APIRoute: Sendable {
  /// A parameter of the query, or a member of the body.
  struct Input: Sendable {
    let name: String
    /// In the form of JSON Schema.
    let schema: JSONObject
    let description: String
    var isRequired = false
  }

  let method: HTTPMethod
  /// The path below ``prefix``, with `{name}` for each variable part.
  let path: String
  let summary: String
  var query: [Input] = []
  /// nil for a route without a body.
  var body: [Input]?
  /// An example of the request's body; nil for a route without one.
  var bodyExample: JSONObject?
  /// The HTTP status of a success.
  var status = HTTPResponseStatus.ok
  /// An example of an answer; nil for an answer without a body.
  var example: JSONObject?
  let handle: @Sendable (APICall) async throws -> APIResponse

  static let prefix = "/api/v1"

  /// Whether the route accepts an idempotency key.
  var isRepeatable: Bool { method == .POST }

  /// The names of the path's variable parts, in their order.
  var variables: [String] {
    path.split(separator: "/").compactMap { part in
      part.hasPrefix("{") ? String(part.dropFirst().dropLast()) : nil
    }
  }
}

/// The table of the API's routes, from which requests are answered and the description is generated.
enum APIRoutes {
  static let all =
    AccountRoutes.all + PeopleRoutes.all + GroupMappingRoutes.all + DirectoryRoutes.all + AccountBlockRoutes.all
    + MachineRoutes.all
    + JoinCodeRoutes.all
    + EnrolmentRoutes.all
    + UnlockRoutes.all + MachinePolicyRoutes.all
    + ApprovalRoutes.all
    + AuditRoutes.all + ModelRoutes.all
    + PolicyRoutes.all + AccessRoutes.all
}

/// One request of the API whose caller is known, and whose path, query and body are parsed.
struct APICall {
  let caller: Caller
  let environment: AdministrationEnvironment
  /// The variable parts of the path, by their names.
  let path: [String: String]
  let query: QueryText
  let body: BodyMembers

  /// A variable part of the path.
  func part(_ name: String) -> String { path[name] ?? "" }

  /// A variable part of the path, as a number.
  ///
  /// - Throws: ``Problem`` (not found) if it is not a number.
  func number(_ name: String) throws(Problem) -> Int64 {
    guard let number = Int64(part(name)), number >= 0 else { throw Problem(.notFound, "unknown", "no such \(name)") }
    return number
  }

  /// How many rows a page has.
  func limit() throws(Problem) -> Int {
    try query.integer("limit").map { Int(clamping: $0) } ?? PageLimit.standard
  }

  /// One of some roles in the body.
  func role(of roles: [Role]) throws(Problem) -> Role {
    guard let role = Role(rawValue: try body.string("role")), roles.contains(role) else {
      throw Problem(
        .badRequest, "invalid", "must be one of \(roles.map(\.rawValue).joined(separator: ", "))", field: "role")
    }
    return role
  }
}

/// Parameters and members that several routes have.
enum APIInputs {
  static let limit = APIRoute.Input(
    name: "limit",
    schema: [
      "type": .string("integer"), "minimum": .integer(1), "maximum": .integer(Int64(PageLimit.maximum)),
      "default": .integer(Int64(PageLimit.standard)),
    ], description: "The maximum number of rows on the page.")

  static func after(_ what: String) -> APIRoute.Input {
    text("after", "Rows after this value; use `next` of the previous page. \(what)")
  }

  static func text(_ name: String, _ description: String, isRequired: Bool = false) -> APIRoute.Input {
    APIRoute.Input(
      name: name, schema: ["type": .string("string")], description: description, isRequired: isRequired)
  }

  static func number(
    _ name: String, _ range: ClosedRange<Int64>, _ description: String, isRequired: Bool = false
  ) -> APIRoute.Input {
    APIRoute.Input(
      name: name,
      schema: [
        "type": .string("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
      ], description: description, isRequired: isRequired)
  }

  static func flag(_ name: String, _ description: String) -> APIRoute.Input {
    APIRoute.Input(name: name, schema: ["type": .string("boolean")], description: description)
  }

  static func choice(_ name: String, _ values: [String], _ description: String, isRequired: Bool = false)
    -> APIRoute.Input
  {
    APIRoute.Input(
      name: name, schema: ["type": .string("string"), "enum": .array(values.map(JSONValue.string))],
      description: description, isRequired: isRequired)
  }

  static func role(of roles: [Role]) -> APIRoute.Input {
    choice("role", roles.map(\.rawValue), "What they may do.", isRequired: true)
  }
  static let reason = text("reason", "Why, for the audit; at most 500 bytes.")
}

/// The members of a request's JSON object.
struct BodyMembers: Equatable {
  private let object: JSONObject

  /// - Parameter names: the names that the route accepts.
  /// - Throws: ``Problem`` if the bytes are not a JSON object, or if it has a member with any other name.
  init(_ bytes: [UInt8], names: [String]) throws(Problem) {
    guard let value = try? JSONValue(parsing: bytes), case .object(let object) = value else {
      throw Problem(.badRequest, "malformed", "the body is not a JSON object, or has a member twice")
    }
    for member in object.members where !names.contains(member.name) {
      throw Problem(.badRequest, "invalid", "the body has a member that this path does not have; it has: \(names)")
    }
    self.object = object
  }

  private init(_ object: JSONObject) { self.object = object }

  /// Makes an empty object, for a route that accepts no body.
  init() { object = [:] }

  func optionalString(_ name: String) throws(Problem) -> String? {
    guard let value = object[name] else { return nil }
    guard case .string(let text) = value, !text.utf8.contains(0) else {
      throw Problem(.badRequest, "invalid", "must be a string without U+0000", field: name)
    }
    return text
  }

  func string(_ name: String) throws(Problem) -> String {
    guard let text = try optionalString(name) else {
      throw Problem(.badRequest, "invalid", "is missing", field: name)
    }
    return text
  }

  func optionalInteger(_ name: String) throws(Problem) -> Int64? {
    guard let value = object[name] else { return nil }
    guard case .integer(let number) = value else {
      throw Problem(.badRequest, "invalid", "must be a whole number", field: name)
    }
    return number
  }

  /// The objects of a list; each may have these members and no others.
  func objects(_ name: String, members: [String]) throws(Problem) -> [BodyMembers] {
    guard case .array(let elements)? = object[name] else {
      throw Problem(.badRequest, "invalid", "must be a list of objects", field: name)
    }
    var objects: [BodyMembers] = []
    for element in elements {
      guard case .object(let object) = element, object.members.allSatisfy({ members.contains($0.name) }) else {
        throw Problem(.badRequest, "invalid", "must be a list of objects, which may have: \(members)", field: name)
      }
      objects.append(BodyMembers(object))
    }
    return objects
  }

  func strings(_ name: String) throws(Problem) -> [String] { try optionalStrings(name) ?? [] }

  func optionalStrings(_ name: String) throws(Problem) -> [String]? {
    guard let value = object[name] else { return nil }
    let wrong = Problem(.badRequest, "invalid", "must be a list of strings", field: name)
    guard case .array(let elements) = value else { throw wrong }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw wrong }
      texts.append(text)
    }
    return texts
  }
}

/// The answer of a route of the API.
struct APIResponse: Equatable {
  let status: HTTPResponseStatus
  /// nil for an answer without a body.
  var body: JSONObject?
  /// The path of the created resource; nil if none was created.
  var location: String?
  /// The names of the members with codes or tokens, which are sent only once: the answer to a repeated request does not have
  /// them.
  var secrets: [String] = []

  static let done = APIResponse(status: .noContent)

  static func ok(_ body: JSONObject) -> APIResponse { APIResponse(status: .ok, body: body) }

  /// The answer as it is sent.
  func webResponse(isRepeated: Bool = false) -> WebResponse {
    var headers: [(name: StaticString, value: String)] = [("Cache-Control", "no-store")]
    if body != nil { headers.append(("Content-Type", "application/json")) }
    if let location { headers.append(("Location", location)) }
    if isRepeated { headers.append(("Idempotency-Replayed", "true")) }
    return WebResponse(status: status, headers: headers, body: body.map { JSONValue.object($0).bytes } ?? [])
  }

  // MARK: For a repeated request

  /// The answer as it is stored, without the members in ``secrets``.
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

  /// Reads a stored answer.
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
