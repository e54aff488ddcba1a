import FidoResults
import UAFMessages

/// Puts UAF messages into HTTP requests and extracts them from HTTP answers, in the configured dialect.
struct Carrier: Sendable {
  /// A UAF request as it was received, not yet parsed.
  struct Carried: Sendable {
    let message: [UInt8]
    let op: UAFOperation?
    let lifetimeMilliseconds: UInt32?
    var tokens: [Token] = []
  }

  let settings: ClientSettings

  // MARK: Sending

  /// The HTTP request that asks the server for a UAF request.
  func question(_ operation: UAFOperation, _ context: RequestContext, to url: String) -> TransportRequest {
    switch settings.dialect {
    case .fido where settings.redeemsTokens && operation == .registration:
      let body: JSONObject = ["token": .string(context.authCode ?? "")]
      return TransportRequest(
        method: .post, url: url, contentType: MediaType.json, accept: MediaType.essence(of: contentType),
        body: JSONValue.object(body).bytes)
    case .fido:
      let body = GetUAFRequest(op: operation, context: context.jsonText)
      var request = TransportRequest.post(body.jsonBytes, to: url, contentType: contentType)
      request.claim = MachineClaim(operation: operation, isAnswer: false, username: context.username)
      return request
    case .plain(let rules):
      return .get(Self.url(url, with: context, named: rules), accept: MediaType.essence(of: contentType))
    }
  }

  /// The HTTP request that carries a UAF response.
  func answer(
    _ response: UAFResponse, to operation: UAFOperation, _ context: RequestContext, to url: String
  ) -> TransportRequest {
    switch settings.dialect {
    case .fido:
      let body = SendUAFResponse(uafResponse: response.text, context: context.jsonText)
      var request = TransportRequest.post(body.jsonBytes, to: url, contentType: contentType)
      request.claim = MachineClaim(operation: operation, isAnswer: true, username: context.username)
      return request
    case .plain(let rules):
      return .post(
        Array(response.text.utf8), to: Self.url(url, with: context, named: rules), contentType: contentType)
    }
  }

  private var contentType: String {
    settings.contentType ?? (settings.dialect == .fido ? "\(MediaType.uaf); charset=utf-8" : MediaType.json)
  }

  /// Adds the context to the query, under the names that the server uses, but ordered by our own names.
  private static func url(_ url: String, with context: RequestContext, named rules: PlainRules) -> String {
    guard case .object(let members) = context.json else { return url }
    var result = url
    for member in members.members {
      guard let name = rules.contextNames[member.name] else { continue }
      let value = if case .string(let text) = member.value { text } else { member.value.text }
      result += (result.contains("?") ? "&" : "?") + "\(name)=\(URLTemplate.percentEncoded(value))"
    }
    return result
  }

  // MARK: Receiving

  /// The UAF request in an HTTP answer.
  func request(
    in response: TransportResponse, _ operation: UAFOperation, of link: ServerLink
  ) throws(Refusal) -> Carried {
    switch settings.dialect {
    case .fido:
      let body = try link.body(ReturnUAFRequest.self, of: response, types, operation: operation) {
        ($0.statusCode, nil, nil)
      }
      guard let text = body.uafRequest else { throw link.refusal(.missing("ReturnUAFRequest.uafRequest")) }
      return Carried(
        message: Array(text.utf8), op: body.op, lifetimeMilliseconds: body.lifetimeMilliseconds,
        tokens: body.additionalTokens)
    case .plain:
      guard case .array = try bareAnswer(response, operation, of: link) else {
        throw link.refusal(ofServer: .jsonParser, "the reply is not a UAF message; check the addresses")
      }
      return Carried(message: response.body, op: nil, lifetimeMilliseconds: nil)
    }
  }

  /// Reads the server's verdict on an operation that needs no UAF request.
  ///
  /// If the server sends a UAF request instead, it did not understand the operation.
  func acknowledgement(
    in response: TransportResponse, _ operation: UAFOperation, of link: ServerLink
  ) throws(Refusal) {
    guard settings.dialect == .fido else {
      throw link.refusal(.invalidParameter, "the plain dialect has no message for a denial")
    }
    let body = try link.body(ReturnUAFRequest.self, of: response, types, operation: operation) {
      ($0.statusCode, nil, nil)
    }
    guard body.uafRequest == nil else {
      throw link.refusal(ofServer: .invalidParameter, "the server does not know denials: it replied with a request")
    }
  }

  /// The verdict in an HTTP answer; a refusal is thrown.
  func verdict(
    in response: TransportResponse, _ operation: UAFOperation, of link: ServerLink
  ) throws(Refusal) -> ServerResponse {
    guard case .plain(let rules) = settings.dialect else { return try verdictBody(response, operation, of: link) }
    let answer = try bareAnswer(response, operation, of: link)
    var tokens: [Token] = []
    let elements = Self.elements(of: answer) ?? []
    for element in elements {
      guard element["statusCode"] != nil else {
        guard rules.success?.isHeld(by: element) == true else { throw noYes(link) }
        continue
      }
      // If there is a status, only the status decides, even inside a list.
      let verdict = try verdictBody(response.with(body: JSONValue.object(element).bytes), operation, of: link)
      guard verdict.newUAFRequest == nil || elements.count == 1 else { throw noYes(link) }
      if verdict.newUAFRequest != nil { return verdict }
      tokens += verdict.additionalTokens
    }
    guard !elements.isEmpty else { throw noYes(link) }
    return ServerResponse(statusCode: .ok, additionalTokens: tokens)
  }

  private func noYes(_ link: ServerLink) -> Refusal {
    link.refusal(
      ofServer: .jsonParser,
      "the reply has neither a UAF status nor the value of server.success, so it is not a success")
  }

  /// The objects of an answer in the plain dialect: the answer itself, or the elements of a list that contains only objects.
  private static func elements(of answer: JSONValue) -> [JSONObject]? {
    switch answer {
    case .object(let object): return [object]
    case .array(let values):
      let objects = values.compactMap { value in if case .object(let object) = value { object } else { nil } }
      return objects.count == values.count ? objects : nil
    default: return nil
    }
  }

  /// The verdict in the server's message.
  ///
  /// If it contains a further request, the flow continues with that request, whether the status is 1200 or "pending".
  private func verdictBody(
    _ response: TransportResponse, _ operation: UAFOperation, of link: ServerLink
  ) throws(Refusal) -> ServerResponse {
    try link.body(ServerResponse.self, of: response, types, operation: operation) {
      let isPending = $0.statusCode == .accepted && $0.newUAFRequest != nil
      return (isPending ? .ok : $0.statusCode, $0.description, $0.seenCounter)
    }
  }

  /// The JSON of an answer in the plain dialect.
  ///
  /// If it contains a UAF status that refuses, that is thrown, regardless of the HTTP status.
  private func bareAnswer(
    _ response: TransportResponse, _ operation: UAFOperation, of link: ServerLink
  ) throws(Refusal) -> JSONValue {
    guard MediaType.matches(response.contentType, types) else { throw link.httpRefusal(response, "is not JSON") }
    let answer: JSONValue
    do {
      answer = try JSONValue(parsing: response.body)
    } catch {
      guard response.status == 200 else { throw link.httpRefusal(response, "is not JSON") }
      throw link.refusal(.json(error))
    }
    for element in Self.elements(of: answer) ?? [] { try refuseNo(element, operation, of: link) }
    guard response.status == 200 else { throw link.httpRefusal(response, "is not a success") }
    return answer
  }

  /// Throws if an object is a refusal: because of its UAF status or, if it has none, because its success member does not have
  /// the configured value.
  private func refuseNo(_ object: JSONObject, _ operation: UAFOperation, of link: ServerLink) throws(Refusal) {
    guard let status = object["statusCode"] else {
      guard case .plain(let rules) = settings.dialect, let mark = rules.success,
        let value = mark.otherValue(in: object)
      else { return }
      throw link.refusal(plainNo: value, of: mark.member)
    }
    guard case .integer(let number) = status, let code = UInt32(exactly: number),
      ![.ok, .accepted].contains(UAFStatusCode(rawValue: code))
    else { return }
    let words: String? = if case .string(let text) = object["description"] { text } else { nil }
    throw link.refusal(status: UAFStatusCode(rawValue: code), text: words, operation: operation)
  }

  private var types: [String] {
    [MediaType.uaf, MediaType.json] + [MediaType.essence(of: contentType)]
  }
}
