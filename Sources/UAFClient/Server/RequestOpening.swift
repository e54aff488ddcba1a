import FidoResults
import UAFMessages

/// The first half of every flow: ask for a UAF request, receive it, and find it fit to be followed.
struct RequestOpening: Sendable {
  /// A request that may be followed.
  struct Opened: Sendable {
    let request: UAFRequest
    let appID: String
    let lifetimeMilliseconds: UInt32?
  }

  private enum Stage: Sendable {
    case new
    case asked(url: String)
    case over
  }

  let settings: ClientSettings
  let operation: Operation
  let context: RequestContext
  private(set) var link = ServerLink()
  private var stage = Stage.new

  init(settings: ClientSettings, operation: Operation, context: RequestContext) {
    self.settings = settings
    self.operation = operation
    self.context = context
  }

  /// Sends the question; the answer is taken by ``collect(over:)``.
  mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    guard case .new = stage else { throw outOfTurn() }
    stage = .over
    try checkUsername()
    let url = try expanded(settings.endpoint(for: operation).requestURL, appID: "")
    let body = GetUAFRequest(op: operation, context: context.jsonText)
    try link.begin(.post(body.jsonBytes, to: url), over: &transport)
    stage = .asked(url: url)
  }

  /// Receives the UAF request, checks operation, version and facet.
  mutating func collect<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Opened {
    guard case .asked(let url) = stage else { throw outOfTurn() }
    stage = .over
    let received = try link.finish(over: &transport)
    let answer = try link.body(ReturnUAFRequest.self, of: received, operation: operation) {
      ($0.statusCode, nil)
    }
    guard answer.op == nil || answer.op == operation else { throw foreign() }
    guard let text = answer.uafRequest else { throw link.refusal(.missing("ReturnUAFRequest.uafRequest")) }
    let request: UAFRequest
    do {
      request = try UAFRequest(parsing: text)
    } catch {
      throw link.refusal(error)
    }
    guard request.header.op == operation else { throw foreign() }
    let appID = try link.appID(
      of: request.header, requestURL: url, facetID: settings.facetID, over: &transport)
    return Opened(request: request, appID: appID, lifetimeMilliseconds: answer.lifetimeMilliseconds)
  }

  /// Hands the server a UAF response and takes its verdict.
  mutating func submit<Wire: Transport & ~Copyable>(
    _ response: UAFResponse, appID: String, over transport: inout Wire
  ) throws(Refusal) -> Acceptance {
    let url = try expanded(settings.endpoint(for: operation).responseURL, appID: appID)
    let body = SendUAFResponse(uafResponse: response.text, context: context.jsonText)
    try link.begin(.post(body.jsonBytes, to: url), over: &transport)
    let received = try link.finish(over: &transport)
    let verdict = try link.body(ServerResponse.self, of: received, operation: operation) {
      ($0.statusCode, $0.description)
    }
    // A further request means that this answer alone does not suffice; reading it as success would skip the step-up.
    guard verdict.newUAFRequest == nil else {
      throw link.refusal(ofServer: .unknown, "the server demands a further authentication, which is not supported")
    }
    return Acceptance(tokens: verdict.additionalTokens)
  }

  // MARK: Refusals

  func outOfTurn() -> Refusal {
    link.refusal(.requestNotExist, "no request is under way at this step")
  }

  func foreign() -> Refusal {
    link.refusal(ofServer: .invalidParameter, "the server's request is for another operation than asked for")
  }

  /// Names that PAM hosts pass on may hold anything; the server's hold visible ASCII.
  private func checkUsername() throws(Refusal) {
    let name = context.username.utf8
    guard !name.isEmpty else { throw link.refusal(.emptyUsername, "the user name is empty") }
    guard name.count <= 128, name.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw link.refusal(.invalidUsername, "the user name is too long or has characters that are not allowed")
    }
  }

  private func expanded(_ template: String, appID: String) throws(Refusal) -> String {
    let url = URLTemplate(template).expanded(
      user: context.username, appID: appID, transaction: context.transaction ?? "")
    guard let url, HTTPSAddress(url) != nil else {
      throw link.refusal(.invalidParameter, "a server address in the configuration is not an https URL")
    }
    return url
  }
}
