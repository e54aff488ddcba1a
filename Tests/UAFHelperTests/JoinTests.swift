import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// How a machine joins the server of its configuration, and leaves it.
@Suite final class JoinTests {
  private let signer: VerdictSigner
  private let bench: HelperBench
  private let secret: MachineSecret

  init() throws {
    signer = try VerdictSigner()
    bench = try HelperBench()
    secret = try MachineSecret(machineID: Array(repeating: 3, count: 16), secret: Array(repeating: 4, count: 32))
    try bench.demandSignature(signer.pem)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.device.hostName = "desk-17"
    bench.server.joining = { [unowned self] in try accept($0) }
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
  }

  private func response(_ answer: JoinAnswer, status: Int = 200) -> TransportResponse {
    TransportResponse(status: status, contentType: "application/json", body: answer.jsonBytes)
  }

  /// Makes the server accept the machine.
  private func accept(
    _ request: TransportRequest, nonce: [UInt8]? = nil, device: String? = nil, hashed: MachineSecret? = nil,
    by other: VerdictSigner? = nil, type: String = JoinStatement.tokenType, at time: Int64? = nil
  ) throws -> TransportResponse {
    guard request.url.hasSuffix("/join") else { return response(JoinAnswer(statusCode: .ok)) }
    let asked = try JoinRequest(parsing: request.body)
    let statement = JoinStatement(
      deviceID: device ?? asked.deviceID, nonce: nonce ?? asked.nonce, group: .standard,
      secretHash: try SHA256.hash((hashed ?? secret).bytes), issuedAt: time ?? bench.now.wallSeconds)
    guard case .object(let claims) = statement.json else { return response(JoinAnswer(statusCode: .ok)) }
    let token = try (other ?? signer).token(claims, type: type)
    return response(JoinAnswer(statusCode: .ok, machineSecret: secret, token: token))
  }

  private func payload(server: String = "https://localhost", expires: Int64 = 1_800_000_100) throws -> MachinePayload {
    MachinePayload(
      server: server, code: "join-code", expires: expires, group: .standard, verdictKeys: try signer.pem)
  }

  @discardableResult private func join(_ line: String? = nil) throws -> Transcript {
    var begin = bench.begin(.join)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(try (line ?? payload().encoded).utf8)
    return try bench.run(begin)
  }

  @Test func `a machine whose server has another dialect joins nothing, whatever the payload says`() throws {
    bench.configuration = bench.configuration.replacing("[state]", with: "dialect = \"plain\"\n[state]")
    let transcript = try join()
    #expect(transcript.result == 1001 && bench.server.requests.isEmpty, "\(bench.log.lines)")
    let told = "A machine can join only a uaf-server that it speaks to by UAF"
    #expect(transcript.finished.text?.hasPrefix(told) == true)
  }

  private func leave() throws -> Transcript {
    var begin = bench.begin(.leave)
    begin.service = Array("uafctl".utf8)
    return try bench.run(begin)
  }

  private var record: JoinRecord? {
    get throws { try JoinRecord.read(in: bench.folder + "/state", owner: getuid()) }
  }

  /// Changes the mode of the file with the join record.
  private func setMode(_ mode: mode_t) -> Bool {
    // SAFETY: the path lives for the call.
    unsafe chmod(bench.folder + "/state/machine.join", mode) == 0
  }

  /// Whether a request contains a proof made with the secret from joining.
  private func isProved(_ request: TransportRequest) throws -> Bool {
    let (proof, code) = try #require(MachineProof.read(request.machineProof ?? ""))
    return try proof.machineID == secret.machineID
      && code == HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret.secret)
  }

  // MARK: Joining a server

  @Test func `joining sends the code and a description of the machine, and stores what the server returns`() throws {
    #expect(try join().result == 0, "\(bench.log.lines)")
    let request = try #require(bench.server.requests.last)
    #expect(request.url == "https://localhost/uaf/join" && request.contentType == "application/json")
    let asked = try JoinRequest(parsing: request.body)
    #expect(asked.code == "join-code" && asked.deviceName == "desk-17" && asked.deviceID.utf8.count == 32)
    let record = try #require(try record)
    #expect(record.machine.secret == secret.secret && record.group == "default")
  }

  @Test func `a machine that joins again proves that it had joined, and the proof is only for this request`() throws {
    try join()
    #expect(bench.server.requests.last?.machineProof == nil)
    try join()
    let request = try #require(bench.server.requests.last)
    #expect(try request.url == "https://localhost/uaf/join" && isProved(request))
    let (proof, _) = try #require(MachineProof.read(request.machineProof ?? ""))
    #expect(try proof.claim == .joining(bodyHash: SHA256.hash(request.body)) && !proof.claim.asksForState)
  }

  @Test func `the secret from joining proves a registration, but no login of a person who is not registered`() throws {
    try join()
    bench.server.signed = { [unowned self] yes in
      try signer.token(for: yes, at: bench.now.wallSeconds)
    }
    try bench.run(bench.begin(), ["correct"])
    let asked = bench.server.requests.count
    for request in bench.server.requests.dropFirst(1) { #expect(try !isProved(request)) }
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    for request in bench.server.requests.dropFirst(asked) { #expect(try isProved(request)) }
  }

  @Test func `joining logs no join code`() throws {
    try join()
    #expect(!bench.log.lines.joined().contains("join-code"))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func `joining stores nothing of an answer that the server has not signed for this request`(
    _ fault: Int
  )
    throws
  {
    let stranger = try VerdictSigner()
    let other = try MachineSecret(machineID: secret.machineID, secret: Array(repeating: 5, count: 32))
    bench.server.joining = { [unowned self] request in
      switch fault {
      case 1: try accept(request, nonce: Array(repeating: 0, count: 16))
      case 2: try accept(request, device: "another")
      case 3: try accept(request, hashed: other)
      case 4: try accept(request, by: stranger)
      case 5: try accept(request, type: AccountStatement.tokenType)
      default: try accept(request, at: bench.now.wallSeconds - 1000)
      }
    }
    let transcript = try join()
    #expect(transcript.result == 9008 || transcript.result != 0)
    #expect(transcript.finished.text?.hasPrefix("The server's reply is not signed with the key") == true)
    #expect(try record == nil)
  }

  @Test(
    arguments: [
      (1401, "The server does not accept the join code of the machine payload."),
      (1404, "The machine payload has expired."),
      (1403, "A machine with this ID has already joined, and this machine could not prove that it is that machine."),
      (1493, "The server has revoked this machine, which joined with this machine payload."),
      (1491, "This payload's limit of machines has been reached."),
    ] as [(UInt32, String)]) func `if the server refuses to let a machine join, the text says why`(
      _ status: UInt32, _ text: String
    ) throws
  {
    bench.server.joining = { [unowned self] _ in response(JoinAnswer(statusCode: UAFStatusCode(rawValue: status))) }
    let transcript = try join()
    #expect(transcript.finished.text?.hasPrefix(text + "\n") == true && transcript.result != 0)
    #expect(try record == nil)
  }

  @Test func `a text says that the server lets no machine join, or that it is busy and may do so later`() throws {
    bench.server.joining = nil
    #expect(try join().finished.text?.hasPrefix("This server does not let machines join.") == true)
    bench.server.joining = { _ in TransportResponse(status: 429, contentType: "", body: []) }
    #expect(try join().result != 0)
    #expect(try record == nil)
  }

  @Test
  func `before asking the server, refuses a payload that has expired, is another server's or is not a payload`()
    throws
  {
    let lines = [
      try payload(expires: 1_800_000_000).encoded, try payload(server: "https://elsewhere").encoded,
      String(try payload().encoded.dropLast(9)), bench.server.payload().encoded, "",
    ]
    for line in lines { #expect(try join(line).result != 0) }
    #expect(bench.server.requests.isEmpty)
    #expect(try record == nil)
  }

  @Test func `refuses to join if root forbids reports, or if no signed answer is demanded`() throws {
    let configuration = bench.configuration
    bench.configuration = configuration.replacing("[state]", with: "send_device = false\n[state]")
    #expect(try join().finished.text?.hasPrefix("A machine joins with its id") == true)
    bench.configuration = configuration.replacing("require_signed_verdict = true\n", with: "")
    #expect(try join().result == 1001)
    #expect(bench.server.requests.isEmpty)
  }

  @Test func `refuses to join a machine that has no state folder`() throws {
    try FileManager.default.removeItem(atPath: bench.folder + "/state")
    #expect(try join().result != 0)
    #expect(bench.server.requests.isEmpty)
  }

  // MARK: Leaving a server

  @Test func `leaving tells the server with a proof, and then deletes the secret`() throws {
    try join()
    let transcript = try leave()
    #expect(transcript.result == 0 && transcript.finished.text == "Left the server.")
    let request = try #require(bench.server.requests.last)
    #expect(try request.url == "https://localhost/uaf/leave" && isProved(request) && request.body.isEmpty)
    #expect(try record == nil)
  }

  @Test
  func `leaving works even if the server does not answer, refuses or is no longer configured, and says so`() throws {
    for change in ["away", "refuses", "other"] {
      (bench.server.failure, bench.server.joining) = (nil, { [unowned self] in try accept($0) })
      try join()
      switch change {
      case "away": bench.server.failure = .noHandshake(.refused)
      case "refuses": bench.server.joining = { _ in TransportResponse(status: 403, contentType: "", body: []) }
      default: bench.configuration = bench.configuration.replacing("https://localhost", with: "https://127.0.0.1")
      }
      let transcript = try leave()
      #expect(
        transcript.finished.text?.hasPrefix("Left. The server was not told") == true && transcript.result == 0,
        "\(change): \(transcript.finished) \(bench.log.lines.suffix(2))")
      #expect(bench.log.lines.contains { $0.contains("the server was not told") })
      #expect(try record == nil)
    }
  }

  @Test func `neither joining nor leaving changes anything during a check-in that does not end`() throws {
    #expect(try join().result == 0)
    let before = try record
    let asked = bench.server.requests.count
    let turn = try MachineTurn(for: .checkIn, in: bench.folder + "/state", owner: getuid())
    defer { withExtendedLifetime(turn) {} }
    for transcript in [try join(), try leave()] {
      #expect(transcript.result == 1007)
      #expect(transcript.finished.text?.contains("this machine is checking in at its server") == true)
    }
    #expect(try record == before && bench.server.requests.count == asked)
  }

  @Test func `joining and leaving wait for a check-in that is under way`() throws {
    var turn: MachineTurn? = try MachineTurn(for: .checkIn, in: bench.folder + "/state", owner: getuid())
    bench.onPause = { turn = nil }
    #expect(turn != nil)
    #expect(try join().result == 0, "\(bench.log.lines)")
    turn = try MachineTurn(for: .checkIn, in: bench.folder + "/state", owner: getuid())
    #expect(try leave().result == 0 && record == nil)
  }

  @Test func `refuses to leave a server that the machine has not joined`() throws {
    #expect(try leave().finished.text?.hasPrefix("This machine has not joined a server.") == true)
    #expect(bench.server.requests.isEmpty)
  }

  @Test func `a damaged join record names no machine, and joining again repairs it`() throws {
    try join()
    let path = bench.folder + "/state/machine.join"
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for count in 1..<whole.count {
      try Data(whole.prefix(count)).write(to: URL(filePath: path))
      #expect(setMode(0o600))
      #expect(try record == nil, "\(count) bytes")
    }
    #expect(try join().result == 0)
    #expect(try record != nil)
  }

  @Test func `refuses a join record that others can read or write`() throws {
    try join()
    #expect(setMode(0o644))
    #expect(throws: StateError.self) { try record }
    #expect(try leave().result != 0)
  }
}
