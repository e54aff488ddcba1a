import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// The account stage: people who are disabled or locked at the server, however they logged in.
@Suite final class AccountCheckTests {
  private let signer: VerdictSigner
  private let bench: HelperBench
  /// The state of the account according to the server.
  private var state = AccountState.active

  init() throws {
    signer = try VerdictSigner()
    bench = try HelperBench()
    try bench.demandSignature(signer.pem)
    bench.configuration += "\n[general]\noffline = \"allow\"\noffline_max_age = 3600"
    let secret = try MachineSecret(
      machineID: Array(repeating: 1, count: 16), secret: Array(repeating: 2, count: 32))
    bench.server.machineSecret = secret
    bench.server.signed = { [unowned self] yes in
      try signer.token(for: yes, at: bench.now.wallSeconds, with: secret)
    }
    bench.server.accountState = { [unowned self] in (200, try answer($0)) }
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
  }

  /// The server's answer to a question.
  private func answer(
    _ request: TransportRequest, of account: String? = nil, nonce: [UInt8]? = nil, machine: [UInt8]? = nil,
    type: String = AccountStatement.tokenType, by other: VerdictSigner? = nil, at time: Int64? = nil
  ) throws -> [UInt8] {
    let (proof, _) = try #require(MachineProof.read(request.machineProof ?? ""))
    #expect(proof.claim == .state(of: "mina"))
    #expect(request.url == "https://localhost/uaf/account" && request.body.isEmpty)
    let statement = AccountStatement(
      account: account ?? proof.claim.username, state: state, machineID: machine ?? proof.machineID,
      nonce: nonce ?? proof.nonce, issuedAt: time ?? bench.now.wallSeconds)
    guard case .object(let claims) = statement.json else { return [] }
    return Array(try (other ?? signer).token(claims, type: type).utf8)
  }

  private func begin(_ argument: String = "account_check", service: String = "sshd") -> Begin {
    var begin = bench.begin(.account, argument)
    begin.service = Array(service.utf8)
    return begin
  }

  @discardableResult
  private func check(_ argument: String = "account_check", service: String = "sshd") throws -> Transcript {
    try bench.run(begin(argument, service: service))
  }

  private func expectRefusal(_ transcript: Transcript, _ text: String) {
    #expect(transcript.result == 9000 && transcript.pamCode == 7)
    #expect(transcript.errors == [text])
  }

  private static let disabled = "This account is disabled. Ask the administrator."
  private static let both = ["account_check", "account_check=required"]
  private static let notKnown =
    "The server could not be asked whether this account is active. Try again later, or ask the administrator."

  // MARK: With an answer of the server

  @Test(arguments: both) func `lets an active account through, without a prompt or a text`(argument: String) throws {
    let transcript = try check(argument)
    #expect(transcript.result == 0 && transcript.pamCode == 0)
    #expect(transcript.messages.count == 1)
  }

  @Test(arguments: both) func `refuses a disabled account, and refuses a locked one with a different text`(
    argument: String
  ) throws {
    state = .disabled
    expectRefusal(try check(argument), Self.disabled)
    state = .locked(until: bench.now.wallSeconds + 60)
    expectRefusal(
      try check(argument), "This account is locked for a limited time. Ask the administrator, or try again later.")
    state = .active
    #expect(try check(argument).result == 0)
  }

  @Test func `shows the refusal in the person's language`() throws {
    state = .disabled
    var begin = begin()
    begin.locale = Array("ko_KR.UTF-8".utf8)
    expectRefusal(try bench.run(begin), "사용이 중지된 계정입니다. 관리자에게 문의하십시오.")
  }

  @Test func `a disabled account's last success is forgotten`() throws {
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    state = .disabled
    try check()
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001)
  }

  // MARK: Without an answer of the server

  @Test(arguments: both) func `a disabled account stays disabled while the server is away, and after a reboot`(
    argument: String
  ) throws {
    state = .disabled
    try check()
    bench.server.lateFailure = .noHandshake(.refused)
    bench.now = BootTime(bootID: [9], nanoseconds: 0, wallSeconds: bench.now.wallSeconds + 1_000_000)
    expectRefusal(try check(argument), Self.disabled)
    state = .active
    bench.server.lateFailure = nil
    #expect(try check(argument).result == 0)
  }

  @Test func `a lock that the machine heard of ends at its time`() throws {
    state = .locked(until: bench.now.wallSeconds + 60)
    try check()
    bench.server.lateFailure = .noHandshake(.refused)
    bench.now.wallSeconds += 59
    #expect(try check().result == 9000)
    bench.now.wallSeconds += 1
    #expect(try check().result == 0)
  }

  @Test
  func `if nothing is known, account_check lets the account through and says so, and account_check=required refuses`()
    throws
  {
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try check().result == 0)
    #expect(bench.log.lines.contains { $0.contains("nothing says that the account is disabled: no connection") })
    expectRefusal(try check("account_check=required"), Self.notKnown)
  }

  @Test func `required uses the last statement as long as an offline login could, and only in the same boot`() throws {
    #expect(try check().result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    bench.now.nanoseconds += 3599 * 1_000_000_000
    bench.now.wallSeconds += 3599
    #expect(try check("account_check=required").result == 0)
    bench.now.wallSeconds -= 1
    #expect(try check("account_check=required").result == 9000, "a clock that was set back")
    bench.now.wallSeconds += 2
    bench.now.nanoseconds += 1_000_000_000
    #expect(try check("account_check=required").result == 9000, "too old")
  }

  @Test func `required ignores a statement from a different boot or address, or if root allows no offline login`()
    throws
  {
    #expect(try check().result == 0)
    bench.server.lateFailure = .noHandshake(.refused)
    let (now, configuration) = (bench.now, bench.configuration)
    bench.now.bootID = [9]
    #expect(try check("account_check=required").result == 9000)
    bench.now = now
    bench.configuration = configuration.replacing("uaf/respond", with: "uaf/reply")
    #expect(try check("account_check=required").result == 9000)
    bench.configuration = configuration.replacing("\"allow\"", with: "\"deny\"")
    #expect(try check("account_check=required").result == 9000)
    bench.configuration = configuration
    #expect(try check("account_check=required").result == 0)
  }

  // MARK: What is not believed

  @Test func `accepts no statement that is unsigned, old, replayed, or for somebody else`() throws {
    state = .disabled
    let other = try VerdictSigner()
    let answers: [(TransportRequest) throws -> [UInt8]] = [
      { _ in [] }, { _ in Array("x.y.z".utf8) }, { [self] in try answer($0, by: other) },
      { [self] in try answer($0, type: "JWT") }, { [self] in try answer($0, of: "bob") },
      { [self] in try answer($0, nonce: Array(repeating: 0, count: 16)) },
      { [self] in try answer($0, machine: Array(repeating: 0, count: 16)) },
      { [self] in try answer($0, at: bench.now.wallSeconds - 121) },
      { [self] in try answer($0, at: bench.now.wallSeconds + 61) },
    ]
    for (number, answer) in answers.enumerated() {
      bench.server.accountState = { (200, try answer($0)) }
      #expect(try check().result == 0, "answer \(number) is not a statement")
      state = .active
      #expect(try check("account_check=required").result == 9000, "answer \(number)")
      state = .disabled
    }
    bench.server.accountState = { [unowned self] in (403, try answer($0)) }
    #expect(try check().result == 0)
    bench.server.accountState = nil
    #expect(try check("account_check=required").result == 9000, "a server that does not know the question")
  }

  @Test func `nothing is asked without a key to verify the answer, or without a secret of this server`() throws {
    let asked = bench.server.requests.count
    let configuration = bench.configuration
    bench.configuration = configuration.replacing(
      "require_signed_verdict = true", with: "require_signed_verdict = false")
    #expect(try check().result == 0 && check("account_check=required").result == 9000)
    bench.configuration = configuration.replacing("localhost/uaf", with: "localhost/x")
    #expect(try check().result == 0 && check("account_check=required").result == 9000)
    #expect(bench.server.requests.count == asked)
  }

  // MARK: Calls that nobody waits for

  @Test(arguments: ["cron", "crond", "atd", "systemd-user"])
  func `a service that runs unattended never asks the server`(service: String) throws {
    let asked = bench.server.requests.count
    #expect(try check(service: service).result == 0)
    #expect(try check("account_check=required", service: service).result == 9000)
    #expect(bench.server.requests.count == asked)
    state = .disabled
    try check()
    expectRefusal(try check(service: service), Self.disabled)
    state = .active
    try check()
    #expect(try check("account_check=required", service: service).result == 0)
    #expect(bench.server.requests.count == asked + 2)
  }

  @Test func `a host that shows nothing asks the server only from a terminal`() throws {
    let asked = bench.server.requests.count
    var begin = begin(service: "backup")
    begin.pamFlags = 0x8000
    #expect(try bench.run(begin).result == 0)
    #expect(bench.server.requests.count == asked)
    begin.tty = Array("/dev/pts/1".utf8)
    #expect(try bench.run(begin).result == 0)
    #expect(bench.server.requests.count == asked + 1)
  }

  @Test func `the server is asked about a caller of sudo even without a terminal`() throws {
    state = .disabled
    var begin = begin(service: "sudo")
    begin.pamFlags = 0x8000
    begin.tty = []
    begin.callerUID = 4242
    expectRefusal(try bench.run(begin), Self.disabled)
    begin.callerUID = 0
    let asked = bench.server.requests.count
    #expect(try bench.run(begin).result == 9000, "what was heard holds for root's own jobs too")
    #expect(bench.server.requests.count == asked)
  }

  @Test(arguments: [UAFWire.Operation.deregister, .deregisterAll, .reset])
  func `a person cannot remove what the machine heard about the account, and root can`(
    operation: UAFWire.Operation
  ) throws {
    state = .disabled
    try check()
    bench.server.respondStatus = .unknownKeyID
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    if operation == .reset { begin.payload = Array(bench.server.payload().encoded.utf8) }
    let refused = try bench.run(begin, ["correct"], peer: 4242)
    #expect(refused.result == 9000 && refused.pamCode != 0, "\(refused.result)")
    expectRefusal(try check(), Self.disabled)
    var roots = bench.begin(operation)
    roots.service = begin.service
    #expect(try bench.run(roots, ["correct"]).pamCode == 0)
  }

  @Test func `a person can remove keys again after a lock has ended`() throws {
    state = .locked(until: bench.now.wallSeconds + 60)
    try check()
    var begin = Begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 9000)
    bench.now.wallSeconds += 60
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 0)
  }

  // MARK: After the last key

  /// Makes root remove the account's keys here, while the server says that it is active.
  private func removeKeys(_ operation: UAFWire.Operation) throws {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"]).pamCode == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1009)
  }

  @Test(arguments: [UAFWire.Operation.deregister, .deregisterAll, .reset])
  func `the server is still asked about a deregistered or reset account, which is refused once the server disables it`(
    operation: UAFWire.Operation
  ) throws {
    try removeKeys(operation)
    let asked = bench.server.requests.count
    for argument in Self.both { #expect(try check(argument).result == 0) }
    #expect(bench.server.requests.count == asked + 2)
    state = .disabled
    for argument in Self.both { expectRefusal(try check(argument), Self.disabled) }
    #expect(!bench.log.lines.contains { $0.contains("could not be stored") }, "\(bench.log.lines)")
    bench.server.lateFailure = .noHandshake(.refused)
    for argument in Self.both { expectRefusal(try check(argument), Self.disabled) }
    expectRefusal(try check(service: "cron"), Self.disabled)
  }

  @Test func `what the server said before a deregistration still applies afterwards`() throws {
    #expect(try check().result == 0)
    state = .disabled
    try check(service: "login")
    try removeKeys(.deregister)
    bench.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try check(), Self.disabled)
  }

  @Test func `after an account registers again, the server is asked with its new secret`() throws {
    try removeKeys(.deregister)
    let secret = try MachineSecret(machineID: Array(repeating: 7, count: 16), secret: Array(repeating: 8, count: 32))
    bench.server.machineSecret = secret
    bench.server.signed = { [unowned self] yes in
      try signer.token(for: yes, at: bench.now.wallSeconds, with: secret)
    }
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try check("account_check=required").result == 0)
    let proof = try #require(MachineProof.read(bench.server.requests.last?.machineProof ?? ""))
    #expect(proof.0.machineID == secret.machineID)
  }

  @Test func `if a deregistered account's uid is reused, the server is not asked about the former account's name`()
    throws
  {
    try removeKeys(.deregister)
    var begin = begin("account_check=required")
    (begin.account, begin.typedName) = (Array("bob".utf8), Array("bob".utf8))
    let asked = bench.server.requests.count
    expectRefusal(try bench.run(begin), Self.notKnown)
    #expect(bench.server.requests.count == asked)
  }

  @Test func `an account without keys is refused if the server does not know the machine, but not while it is away`()
    throws
  {
    try removeKeys(.deregister)
    bench.server.accountState = { [unowned self] in (403, try answer($0)) }
    for argument in Self.both { expectRefusal(try check(argument), Self.notKnown) }
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try check().result == 0)
    expectRefusal(try check("account_check=required"), Self.notKnown)
  }

  @Test func `an account that root made this machine forget counts as never registered on this machine`() throws {
    state = .disabled
    try check()
    try removeKeys(.reset)
    var begin = bench.begin(.forget)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).pamCode == 0)
    let asked = bench.server.requests.count
    #expect(try check().result == 0)
    expectRefusal(try check("account_check=required"), Self.notKnown)
    #expect(bench.server.requests.count == asked)
  }

  @Test func `a service's section can keep the service from asking the server`() throws {
    bench.configuration += "\n[service.rsync]\naccount_check_online = false"
    let asked = bench.server.requests.count
    #expect(try check(service: "rsync").result == 0)
    #expect(bench.server.requests.count == asked)
    #expect(try check().result == 0)
    #expect(bench.server.requests.count == asked + 1)
  }

  // MARK: What status shows

  private func status(of uid: UInt32? = nil, name: String? = nil, peer: UInt32 = 0) throws -> Transcript {
    var begin = bench.begin(.status)
    begin.service = Array("uafctl".utf8)
    if let uid, let name {
      (begin.uid, begin.account, begin.typedName) = (uid, Array(name.utf8), Array(name.utf8))
    }
    return try bench.run(begin, peer: peer)
  }

  private func document(_ transcript: Transcript) throws -> [String: Any] {
    let text = try #require(transcript.finished.document)
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `before the server was asked, status says only that the server can be asked`() throws {
    let shown = try document(status())
    #expect(shown["serverState"] == nil && shown["hasMachineSecret"] as? Bool == true)
  }

  /// The object of the server's last statement, as text.
  private func serverState() throws -> String? {
    let text = try #require(try status().finished.document)
    guard case .object(let document) = try JSONValue(parsing: Array(text.utf8)) else { return nil }
    return document["serverState"]?.text
  }

  @Test func `status shows what the server said last, when it was asked, and until when a lock lasts`() throws {
    let first = bench.now.wallSeconds
    try check()
    #expect(try serverState() == #"{"asked":\#(first),"state":"active"}"#)
    bench.now.wallSeconds += 5
    bench.now.nanoseconds += 5_000_000_000
    state = .locked(until: first + 60)
    try check()
    #expect(try serverState() == #"{"asked":\#(first + 5),"state":"locked","until":\#(first + 60)}"#)
    state = .disabled
    try check()
    let disabled = #"{"asked":\#(first + 5),"state":"disabled"}"#
    #expect(try serverState() == disabled)
    // The server does not answer, so its earlier statement still applies.
    bench.server.lateFailure = .noHandshake(.refused)
    bench.now.wallSeconds += 1000
    try check()
    #expect(try serverState() == disabled)
  }

  @Test func `status does not ask the server, and shows no part of the machine's secret`() throws {
    state = .disabled
    try check()
    let asked = bench.server.requests.count
    let text = try #require(try status().finished.document)
    #expect(bench.server.requests.count == asked)
    let secrets = [Array(repeating: UInt8(1), count: 16), Array(repeating: 2, count: 32)]
    for secret in secrets {
      #expect(!text.contains(Base64URL.encode(secret)))
      #expect(!text.contains(Base64URL.encode(Array(secret.prefix(9)))))
    }
  }

  @Test func `a secret of a different server counts as none`() throws {
    bench.configuration = bench.configuration.replacing("localhost/uaf", with: "localhost/x")
    #expect(try document(status())["hasMachineSecret"] as? Bool == false)
  }

  @Test func `only root sees a different account's state, and an account without a file has none`() throws {
    state = .disabled
    try check()
    let refused = try status(peer: 4242)
    #expect(refused.pamCode != 0 && refused.finished.document == nil)
    let other = try document(status(of: 1, name: "daemon"))
    #expect(other["serverState"] == nil && other["hasMachineSecret"] == nil)
  }

  // MARK: Who asks

  @Test func `an account that never registered on this machine is let through, or refused if root demands an answer`()
    throws
  {
    var begin = begin()
    (begin.uid, begin.account, begin.typedName) = (1, Array("daemon".utf8), Array("daemon".utf8))
    #expect(try bench.run(begin).result == 0)
    begin.arguments[1] = Array("account_check=required".utf8)
    #expect(try bench.run(begin).result == 9000)
    begin.uid = nil
    #expect(try bench.run(begin).result == 9000)
  }

  @Test func `a peer without root may not ask, and nobody asks without the argument`() throws {
    var begin = Begin(.account)
    begin.service = Array("sshd".utf8)
    let refused = try bench.run(begin, peer: 4242)
    #expect(refused.result == 1001 && refused.pamCode != 0)
    let without = try bench.run(bench.begin(.account))
    #expect(without.result == 1001 && without.pamCode == 3)
  }

  @Test func `refuses account_check in a line of the wrong type, and with a wrong value`() throws {
    let login = try bench.run(bench.begin(.authenticate, "account_check"), ["correct"])
    #expect(login.result == 1001 && login.pamCode == 3 && login.prompts.isEmpty)
    #expect(try check("account_check=yes").result == 1001)
  }
}
