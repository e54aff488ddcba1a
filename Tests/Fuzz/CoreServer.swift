import FidoResults
import UAFClient
import UAFMessages

/// A server that answers by the script: as a server would, with the fuzzer's bytes, or not at all.
final class CoreServer {
  private var script: [CoreScript.Answer]
  private var pending: [TransportResponse] = []
  /// How many signatures it was sent to verify.
  private(set) var judged = 0

  init(_ script: [CoreScript.Answer]) { self.script = script.reversed() }

  /// A new connection: what an earlier one did not fetch is gone.
  func connect() { pending = [] }

  func begin(_ request: TransportRequest) throws(TransportFailure) {
    if Self.isFor("respond", request) { judged += 1 }
    switch script.popLast() ?? .proper {
    case .proper: pending.append(Self.answer(proper(request)))
    case .raw(let status, let contentType, let body):
      pending.append(TransportResponse(status: status, contentType: contentType, body: body))
    case .failure(let number): throw Self.failures[number % Self.failures.count]
    }
  }

  func finish() throws(TransportFailure) -> TransportResponse {
    guard !pending.isEmpty else { throw .unavailable }
    return pending.removeFirst()
  }

  private static let failures: [TransportFailure] = [
    .noHandshake(.refused), .afterHandshake(.timeOut), .certificateRefused, .answerTooLarge, .requestNotAcceptable,
    .unavailable, .withoutHandshake(.tls), .ownMeans,
  ]

  /// Whether a request has the path of an operation; in the plain dialect, what describes the machine comes after it.
  private static func isFor(_ name: String, _ request: TransportRequest) -> Bool {
    request.url.prefix { $0 != "?" }.hasSuffix("/" + name)
  }

  private static func answer(_ body: [UInt8]) -> TransportResponse {
    TransportResponse(status: 200, contentType: "application/fido+uaf; charset=utf-8", body: body)
  }

  private func proper(_ request: TransportRequest) -> [UInt8] {
    guard Self.isFor("get", request) else {
      return ServerResponse(
        statusCode: .ok, description: nil, additionalTokens: [Token(type: "JWT", value: "token")]
      ).jsonBytes
    }
    return (try? message(for: GetUAFRequest(parsing: request.body))) ?? []
  }

  private func message(for get: GetUAFRequest) throws -> [UInt8] {
    let context = try RequestContext(parsing: get.context ?? "")
    let header = OperationHeader(upv: UPV(major: 1, minor: 0), op: get.op ?? .authentication, appID: nil)
    let challenge = try ServerChallenge(bytes: Array(repeating: 7, count: 32))
    let accepted = try ["5541#0001", "5541#0002"].map { [MatchCriteria(aaid: try AAID($0))] }
    let message: UAFRequest
    switch header.op {
    case .registration:
      message = .registration(
        RegistrationRequest(
          header: header, challenge: challenge, username: context.username, policy: Policy(accepted: accepted)))
    case .authentication:
      let texts = try context.transaction.map { [try Transaction(text: $0)] } ?? []
      message = .authentication(
        AuthenticationRequest(
          header: header, challenge: challenge, transaction: texts, policy: Policy(accepted: accepted)))
    case .deregistration:
      message = .deregistration(
        DeregistrationRequest(header: header, authenticators: [.allKeys(try AAID("5541#0001"))]))
    }
    return ReturnUAFRequest(
      statusCode: .ok, uafRequest: UAFRequest.text(of: [message]), op: header.op, lifetimeMilliseconds: 60_000
    ).jsonBytes
  }
}
