import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// How a machine reports its state to a server.
@Suite final class CheckInFlowTests {
  private static let url = "https://a.test/uaf/machine"
  private static let now: Int64 = 1_800_000_000

  private let keyPair: P256.KeyPair
  private let proof: MachineProof
  private let body = CheckInRequest(MachineReport(module: "1", nextMark: Array(repeating: 1, count: 16))).jsonBytes

  init() throws {
    keyPair = try P256.generate()
    proof = try #require(
      MachineProof(
        machineID: Array(repeating: 2, count: 16), claim: .checkIn(bodyHash: SHA256.hash(body)), queue: .own,
        madeAt: Self.now, nonce: Array(repeating: 3, count: 16)))
  }

  private func token(
    device: String = "d1", machineID: UInt8 = 2, nonce: UInt8 = 3, type: String = CheckInStatement.tokenType,
    at time: Int64 = now, isForged: Bool = false
  ) throws -> String {
    let statement = CheckInStatement(
      CheckInClaims(
        deviceID: device, machineID: Array(repeating: machineID, count: 16), nonce: Array(repeating: nonce, count: 16),
        issuedAt: time),
      policy: 4, news: 5)
    let header = #"{"alg":"ES256","typ":"\#(type)"}"#
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(statement.json.bytes)
    let bytes = Array(signed.utf8)
    let signature = try isForged ? P256.generate().sign(bytes) : keyPair.sign(bytes)
    return signed + "." + Base64URL.encode(signature)
  }

  private func response(_ answer: CheckInAnswer, status: Int = 200, type: String = "application/json")
    -> TransportResponse
  {
    TransportResponse(status: status, contentType: type, body: answer.jsonBytes)
  }

  private func tell(_ exchange: ScriptedTransport.Exchange) throws(CheckInFlow.Fault) -> CheckInFlow.Answer {
    try CheckInFlow(deviceID: "d1", publicKeys: [keyPair.publicKey]).tell(
      body, at: Self.url, proof: (proof, "header"), over: ScriptedTransport(exchange)
    ) { Self.now }
  }

  /// Why the client does not know whether the server accepted the report; nil if it knows.
  private func fault(_ response: TransportResponse) -> CheckInFlow.Fault? {
    do throws(CheckInFlow.Fault) {
      _ = try tell(.answering(Self.url, response))
      return nil
    } catch { return error }
  }

  @Test func `sends the report with its proof once, and returns what the server has signed`() throws {
    let signed = try token()
    let (url, body) = (Self.url, body)
    let answer = try tell(
      ScriptedTransport.Exchange(url: url) { request in
        #expect(request.body == body && request.machineProof == "header" && request.claim == nil)
        #expect(request.contentType == "application/json" && request.method == .post)
        return .success(
          TransportResponse(
            status: 200, contentType: "application/json; charset=utf-8",
            body: CheckInAnswer(statusCode: .ok, token: signed, policy: "a.b.c").jsonBytes))
      })
    #expect(answer.policy == "a.b.c" && answer.statement.policy == 4 && answer.statement.news == 5)
  }

  @Test
  func `refuses a server's answer to a report that is for a different request, machine, key, type or time`() throws {
    let tokens = [
      try token(device: "d2"), try token(machineID: 9), try token(nonce: 9), try token(type: JoinStatement.tokenType),
      try token(at: Self.now - 200), try token(at: Self.now + 200), try token(isForged: true), "a.b.c",
    ]
    for token in tokens { #expect(fault(response(CheckInAnswer(statusCode: .ok, token: token))) == .unsigned) }
    #expect(fault(response(CheckInAnswer(statusCode: .ok))) == .unsigned)
    #expect(fault(response(CheckInAnswer(statusCode: .ok, token: try token()))) == nil)
  }

  /// A refusal with a statement that the server does not know a machine.
  private func denial(
    of header: String = "header", type: String = UnknownMachineStatement.tokenType, at time: Int64 = now,
    isForged: Bool = false
  ) throws -> TransportResponse {
    let statement = UnknownMachineStatement(proofHash: try SHA256.hash(Array(header.utf8)), issuedAt: time)
    let head = #"{"alg":"ES256","typ":"\#(type)"}"#
    let signed = Base64URL.encode(Array(head.utf8)) + "." + Base64URL.encode(statement.json.bytes)
    let bytes = Array(signed.utf8)
    let signature = try isForged ? P256.generate().sign(bytes) : keyPair.sign(bytes)
    return response(
      CheckInAnswer(statusCode: .forbidden, token: signed + "." + Base64URL.encode(signature)), status: 403)
  }

  @Test func `believes that the server does not know this machine only if the server has signed it for this proof`()
    throws
  {
    #expect(fault(try denial()) == .unknown)
    let others = [
      try denial(of: "headex"), try denial(type: CheckInStatement.tokenType), try denial(at: Self.now - 200),
      try denial(at: Self.now + 200), try denial(isForged: true),
      response(CheckInAnswer(statusCode: .forbidden), status: 403),
      response(CheckInAnswer(statusCode: .forbidden, token: try token()), status: 403),
      TransportResponse(status: 403, contentType: "", body: []),
    ]
    for other in others { #expect(fault(other) == .status(403)) }
    var denial = try denial()
    denial = TransportResponse(status: 200, contentType: "application/json", body: denial.body)
    #expect(fault(denial) == .answer)
  }

  @Test func `names what the server sent instead of an answer to a report`() throws {
    let good = CheckInAnswer(statusCode: .ok, token: try token())
    #expect(fault(response(good, status: 403)) == .status(403))
    #expect(fault(response(good, type: "text/html")) == .answer)
    #expect(fault(response(CheckInAnswer(statusCode: .unauthorized))) == .answer)
    #expect(fault(TransportResponse(status: 200, contentType: "application/json", body: [1])) == .answer)
    #expect(throws: CheckInFlow.Fault.transport(.noHandshake(.refused))) {
      try tell(.failing(Self.url, .noHandshake(.refused)))
    }
    #expect("\(CheckInFlow.Fault.status(403))".contains("join it again"))
  }
}

extension P256.KeyPair {
  fileprivate borrowing func sign(_ bytes: [UInt8]) throws -> [UInt8] { try P256.sign(bytes, privateKey: privateKey) }
}
