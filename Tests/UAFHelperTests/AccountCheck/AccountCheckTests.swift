import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// The account stage of PAM, where the server says whether an account is disabled or locked, however the person logged in.
@Suite final class AccountCheckTests {
  private let signer: VerdictSigner
  private let bench: HelperBench
  /// What the server says about the account.
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

  /// The server's reply to a request about an account's state.
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

  // MARK: If the server answers

  @Test(arguments: both) func `account_check lets an active account through, without a prompt or a text`(
    argument: String
  ) throws {
    let transcript = try check(argument)
    #expect(transcript.result == 0 && transcript.pamCode == 0)
    #expect(transcript.messages.count == 1)
  }

  @Test(arguments: both)
  func `account_check refuses a disabled account, and refuses a locked one with a different text`(
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

  @Test func `account_check shows its refusal in the person's language`() throws {
    state = .disabled
    var begin = begin()
    begin.locale = Array("ko_KR.UTF-8".utf8)
    expectRefusal(try bench.run(begin), "사용이 중지된 계정입니다. 관리자에게 문의하십시오.")
  }

  @Test func `once an account is disabled, its last success no longer allows an offline login`() throws {
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    state = .disabled
    try check()
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 4001)
  }

  // MARK: If the server does not answer

  @Test(arguments: both)
  func `a disabled account stays disabled while the server cannot be reached, and after a reboot`(
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

  @Test func `a lock that the server has reported ends at its time, even if the server cannot be reached`() throws {
    state = .locked(until: bench.now.wallSeconds + 60)
    try check()
    bench.server.lateFailure = .noHandshake(.refused)
    bench.now.wallSeconds += 59
    #expect(try check().result == 9000)
    bench.now.wallSeconds += 1
    #expect(try check().result == 0)
  }

  @Test
  func `if nothing is known of an account, account_check lets it through and logs that, and required refuses it`()
    throws
  {
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try check().result == 0)
    #expect(bench.log.lines.contains { $0.contains("nothing says that the account is disabled: no connection") })
    expectRefusal(try check("account_check=required"), Self.notKnown)
  }

  @Test
  func `account_check=required uses the last statement as long as an offline login could, in the same boot only`()
    throws
  {
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

  @Test
  func `account_check=required ignores a statement for another boot or address, or if root allows no offline login`()
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

  // MARK: Statements that are not believed

  @Test func `account_check believes no statement that is unsigned, old, replayed, or for somebody else`() throws {
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

  @Test
  func `account_check asks no server without a key for its statement or without a secret of this server`() throws {
    let asked = bench.server.requests.count
    let configuration = bench.configuration
    bench.configuration = configuration.replacing(
      "require_signed_verdict = true", with: "require_signed_verdict = false")
    #expect(try check().result == 0 && check("account_check=required").result == 9000)
    bench.configuration = configuration.replacing("localhost/uaf", with: "localhost/x")
    #expect(try check().result == 0 && check("account_check=required").result == 9000)
    #expect(bench.server.requests.count == asked)
  }

  // MARK: Calls without a person

  @Test(arguments: ["cron", "crond", "atd", "systemd-user"])
  func `account_check asks no server for services that run unattended, but refuses a disabled account`(service: String)
    throws
  {
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

  @Test func `a host that shows nothing has account_check ask the server only if it has a terminal`() throws {
    let asked = bench.server.requests.count
    var begin = begin(service: "backup")
    begin.pamFlags = 0x8000
    #expect(try bench.run(begin).result == 0)
    #expect(bench.server.requests.count == asked)
    begin.tty = Array("/dev/pts/1".utf8)
    #expect(try bench.run(begin).result == 0)
    #expect(bench.server.requests.count == asked + 1)
  }

  @Test func `account_check asks the server about a person who calls sudo, even without a terminal`() throws {
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
  func `a person cannot remove what the server has said about the account, but root can`(
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

  @Test func `a person can remove keys again after a lock of the server has ended`() throws {
    state = .locked(until: bench.now.wallSeconds + 60)
    try check()
    var begin = Begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 9000)
    bench.now.wallSeconds += 60
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 0)
  }

  // MARK: After the last key

  /// Removes the account's keys from this machine as root, while the server says that the account is active.
  private func removeKeys(_ operation: UAFWire.Operation) throws {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"]).pamCode == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 1009)
  }

  @Test(arguments: [UAFWire.Operation.deregister, .deregisterAll, .reset])
  func `account_check still asks about an account without keys, and refuses it once the server disables it`(
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

  @Test func `what the server said about an account still applies after its deregistration`() throws {
    #expect(try check().result == 0)
    state = .disabled
    try check(service: "login")
    try removeKeys(.deregister)
    bench.server.lateFailure = .noHandshake(.refused)
    expectRefusal(try check(), Self.disabled)
  }

  @Test func `after an account has registered again, account_check uses its new secret`() throws {
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

  @Test func `if the uid of a deregistered account is reused, account_check does not ask about the former name`()
    throws
  {
    try removeKeys(.deregister)
    var begin = begin("account_check=required")
    (begin.account, begin.typedName) = (Array("bob".utf8), Array("bob".utf8))
    let asked = bench.server.requests.count
    expectRefusal(try bench.run(begin), Self.notKnown)
    #expect(bench.server.requests.count == asked)
  }

  @Test
  func `an account without keys is refused if the server no longer knows the machine, but not if it does not answer`()
    throws
  {
    try removeKeys(.deregister)
    bench.server.accountState = { [unowned self] in (403, try answer($0)) }
    for argument in Self.both { expectRefusal(try check(argument), Self.notKnown) }
    bench.server.lateFailure = .noHandshake(.refused)
    #expect(try check().result == 0)
    expectRefusal(try check("account_check=required"), Self.notKnown)
  }

  @Test func `an account that root made this machine forget counts as one that never registered here`() throws {
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

  @Test func `the section of a service can switch account_check off for that service`() throws {
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

  @Test func `before the first request about an account, status says only that the server can be asked`() throws {
    let shown = try document(status())
    #expect(shown["serverState"] == nil && shown["hasMachineSecret"] as? Bool == true)
  }

  /// What status shows of the server's last statement, as JSON text.
  private func serverState() throws -> String? {
    let text = try #require(try status().finished.document)
    guard case .object(let document) = try JSONValue(parsing: Array(text.utf8)) else { return nil }
    return document["serverState"]?.text
  }

  @Test func `status shows the server's last statement, the time of it, and the end of a lock`() throws {
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
    // The server does not answer, so its last statement still applies.
    bench.server.lateFailure = .noHandshake(.refused)
    bench.now.wallSeconds += 1000
    try check()
    #expect(try serverState() == disabled)
  }

  @Test func `status sends the server no request, and shows no part of the machine secret`() throws {
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

  @Test func `status treats the secret of a different server as no secret`() throws {
    bench.configuration = bench.configuration.replacing("localhost/uaf", with: "localhost/x")
    #expect(try document(status())["hasMachineSecret"] as? Bool == false)
  }

  @Test func `status shows another account's state only to root, and none for an account without a file`() throws {
    state = .disabled
    try check()
    let refused = try status(peer: 4242)
    #expect(refused.pamCode != 0 && refused.finished.document == nil)
    let other = try document(status(of: 1, name: "daemon"))
    #expect(other["serverState"] == nil && other["hasMachineSecret"] == nil)
  }

  // MARK: Who may use the account stage

  @Test func `an account that never registered here is let through, but refused under account_check=required`()
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

  @Test func `refuses the account stage to a peer without root, and without the argument account_check`() throws {
    var begin = Begin(.account)
    begin.service = Array("sshd".utf8)
    let refused = try bench.run(begin, peer: 4242)
    #expect(refused.result == 1001 && refused.pamCode != 0)
    let without = try bench.run(bench.begin(.account))
    #expect(without.result == 1001 && without.pamCode == 3)
  }

  @Test func `refuses account_check in a PAM line of the wrong type, or with an unknown value`() throws {
    let login = try bench.run(bench.begin(.authenticate, "account_check"), ["correct"])
    #expect(login.result == 1001 && login.pamCode == 3 && login.prompts.isEmpty)
    #expect(try check("account_check=yes").result == 1001)
  }
}
