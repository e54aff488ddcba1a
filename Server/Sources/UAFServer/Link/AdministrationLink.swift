import FidoResults
import NIOCore
import NIOHTTP1
import UAFAdministration
import UAFMessages
import WebMessages

/// The connection between a command and the API, which is either that of this process or that of a running server.
///
/// Every command uses it, so that it works in the same way locally and remotely.
protocol AdministrationLink: Sendable {
  /// Sends a request.
  ///
  /// - Throws: ``Problem`` if the request is refused; ``LinkError``; the store's failures.
  func response(to request: APIRequest) async throws -> [UInt8]

  /// Closes the link; must be called after the last request.
  func close() async
}

extension AdministrationLink {
  /// Sends a request, and returns the JSON object of its answer; an empty object if the answer has no body.
  func ask(_ request: APIRequest) async throws -> JSONObject {
    let bytes = try await response(to: request)
    if bytes.isEmpty { return [:] }
    guard case .object(let object)? = try? JSONValue(parsing: bytes) else { throw LinkError.unexpected }
    return object
  }

  /// Reads a list page by page, and calls `body` with each row.
  ///
  /// - Parameters:
  ///   - request: the request for the list; `limit` and `after` are added to it.
  ///   - name: the member that contains the rows.
  ///   - after: the key after which the rows begin; nil for the first row.
  ///   - begin: called once, when the first page has arrived.
  func forEach(
    _ request: APIRequest, _ name: String, after: String? = nil, atMost most: Int = .max, begin: () -> Void = {},
    _ body: (JSONObject) -> Void
  ) async throws {
    var (after, left, isFirst) = (after, most, true)
    while left > 0 {
      var request = request
      request.query.append(("limit", String(min(left, 200))))
      request.query.append(("after", after))
      let page = try await ask(request)
      if isFirst { begin() }
      isFirst = false
      let rows = page.objects(name)
      for row in rows { body(row) }
      left -= rows.count
      guard let next = page.text("next") else { return }
      // A page may be empty and still have a next page, but its key must change, or this would never end.
      guard next != after else { throw LinkError.unexpected }
      after = next
    }
  }
}

/// A request for the API, as a command makes it.
struct APIRequest: Sendable {
  let method: HTTPMethod
  /// The path's parts below ``APIRoute/prefix``, not encoded.
  let path: [String]
  /// Parameters; a parameter without a value is not sent.
  var query: [(name: String, value: String?)] = []
  /// nil for a request without a body.
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

  /// The request in the form in which the API receives it, for the API of this process.
  var asked: WebRequest {
    var headers = HTTPHeaders()
    if body != nil { headers.add(name: "Content-Type", value: "application/json") }
    return WebRequest(
      method: method, target: target, headers: headers,
      body: ByteBuffer(bytes: body.map { JSONValue.object($0).bytes } ?? []), peer: nil)
  }
}

extension JSONObject {
  /// A member that is a whole number; nil if there is none.
  func integer(_ name: String) -> Int64? {
    if case .integer(let number)? = self[name] { number } else { nil }
  }

  /// Whether a member is true.
  func isTrue(_ name: String) -> Bool { self[name] == .bool(true) }

  /// A member that is an object; nil if there is none.
  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = self[name] { object } else { nil }
  }

  /// The objects of a list.
  func objects(_ name: String) -> [JSONObject] {
    guard case .array(let values)? = self[name] else { return [] }
    return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  /// The texts of a list.
  func texts(_ name: String) -> [String] {
    guard case .array(let values)? = self[name] else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  // MARK: For people

  /// A number in a form for people; 0 if there is none.
  func number(_ name: String) -> String { String(integer(name) ?? 0) }

  /// A time in a form for people.
  func time(_ name: String, orElse text: String) -> String { integer(name).map(Terminal.time) ?? text }

  /// A text of unknown origin, cleaned for a cell of a table; `-` if it is missing or empty.
  ///
  /// The text may contain anything, even tabs, escape sequences, or formulas that a spreadsheet would compute.
  func said(_ name: String, limit: Int = 128) -> String {
    guard let text = text(name), !text.isEmpty else { return "-" }
    return Self.cleaned(text, limit: limit)
  }

  /// A text of unknown origin for a cell of a table.
  static func cleaned(_ text: String, limit: Int) -> String { CSVLine.harmless(Text.marked(text, limit: limit)) }
}

/// Why a running server could not be reached.
enum LinkError: Error, Equatable, CustomStringConvertible {
  /// No answer came. `mayBeDone` says whether the request may have changed something all the same.
  case away(address: String, reason: String, mayBeDone: Bool)
  /// The answer is not one of the API.
  case unexpected

  var description: String {
    switch self {
    case .away(let address, let reason, let mayBeDone):
      "\(address) does not answer: \(reason)"
        + (mayBeDone ? ": it is unknown whether the request was done; 'audit list' shows what was done" : "")
    case .unexpected: "the program at that address is not uaf-server of this version: check --api"
    }
  }
}
