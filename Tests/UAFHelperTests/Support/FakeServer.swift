import Testing
import UAFClient
import UAFMessages

/// A server that hands out requests and says yes, unless it is told otherwise, and keeps what it was sent.
final class FakeServer {
  var failure: TransportFailure?
  var respondStatus = UAFStatusCode(rawValue: 1200)
  var description: String?
  var policyKeys: [KeyID]?
  /// Called once, when the next request is asked for.
  var onGet: (() -> Void)?
  private(set) var requests: [TransportRequest] = []
  private(set) var answered = 0
  private var pending: [TransportResponse] = []
  /// The key of the last registration.
  private(set) var registered: KeyID?

  func payload(
    username: String = "mina", server: String = "https://localhost", operation: UAFMessages.Operation = .registration,
    expires: Int64 = 1_800_000_100, ca: String? = nil
  ) -> EnrolmentPayload {
    EnrolmentPayload(op: operation, server: server, username: username, authCode: "code", expires: expires, ca: ca)
  }

  /// A new connection: what an earlier one did not fetch is gone.
  func connect() { pending = [] }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    if let failure { throw failure }
    requests.append(request)
    let body = request.url.hasSuffix("get") ? get(request) : respond(request)
    pending.append(
      TransportResponse(status: 200, contentType: "application/fido+uaf; charset=utf-8", body: body))
  }

  func finish() throws(TransportFailure) -> TransportResponse {
    if let failure { throw failure }
    guard !pending.isEmpty else { throw .unavailable }
    return pending.removeFirst()
  }

  private func get(_ request: TransportRequest) -> [UInt8] {
    onGet.take()?()
    do {
      let get = try GetUAFRequest(parsing: request.body)
      let context = try RequestContext(parsing: get.context ?? "")
      let header = OperationHeader(upv: UPV(major: 1, minor: 0), op: try #require(get.op), appID: nil)
      let challenge = try ServerChallenge(bytes: Array(repeating: 7, count: 32))
      let aaid = try AAID("5541#0001")
      let keys = policyKeys ?? registered.map { [$0] }
      let text: String
      switch header.op {
      case .registration:
        text = UAFRequest.text(of: [
          .registration(
            RegistrationRequest(
              header: header, challenge: challenge, username: context.username,
              policy: Policy(accepted: [[MatchCriteria(aaid: aaid)]])))
        ])
      case .authentication:
        text = UAFRequest.text(of: [
          .authentication(
            AuthenticationRequest(
              header: header, challenge: challenge,
              policy: Policy(accepted: [[MatchCriteria(aaid: aaid, keyIDs: keys)]])))
        ])
      case .deregistration:
        text = UAFRequest.text(of: [
          .deregistration(
            DeregistrationRequest(
              header: header, authenticators: [.key(aaid, try #require(registered))]))
        ])
      }
      return ReturnUAFRequest(
        statusCode: UAFStatusCode(rawValue: 1200), uafRequest: text, op: header.op, lifetimeMilliseconds: 60_000
      ).jsonBytes
    } catch {
      Issue.record(error)
      return []
    }
  }

  private func respond(_ request: TransportRequest) -> [UInt8] {
    do {
      answered += 1
      let response = try UAFResponse(parsing: SendUAFResponse(parsing: request.body).uafResponse)
      if case .registration(let registration) = response, let assertion = registration.assertions.first {
        registered = try UnverifiedRegistrationAssertion(parsing: assertion.assertion).keyID
      }
      let tokens = respondStatus.rawValue == 1200 ? [Token(type: "JWT", value: "token-of-the-server")] : []
      return ServerResponse(statusCode: respondStatus, description: description, additionalTokens: tokens).jsonBytes
    } catch {
      Issue.record(error)
      return []
    }
  }
}
