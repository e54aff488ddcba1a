import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFConfiguration
@testable import UAFHelper

/// Which policies that a server has signed for this machine are accepted, stored and in force.
@Suite final class ServerPolicyTests {
  private static let follow = #"[policy]\#nfollow = ["passcode", "pattern", "lock", "prompt.texts"]"#
  private static let long = "[passcode]\nmin_length = 12\n"

  private let signer: VerdictSigner
  private let bench: HelperBench
  private var joinedGroup = "lab"

  /// A machine of the group lab, on which mina has registered the passcode "correct".
  init() throws {
    signer = try VerdictSigner()
    bench = try HelperBench()
    bench.passwd += "root:x:0:0::/:/bin/sh\n"
    bench.configuration += "\n" + Self.follow
    try bench.demandSignature(signer.pem)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.signed = { [unowned self] yes in
      try signer.token(for: yes, at: bench.now.wallSeconds)
    }
    bench.server.joining = { [unowned self] in try answerJoin($0) }
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    try join()
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
  }

  // MARK: The machine and its server

  private func answerJoin(_ request: TransportRequest) throws -> TransportResponse {
    let secret = try MachineSecret(machineID: Array(repeating: 3, count: 16), secret: Array(repeating: 4, count: 32))
    var answer = JoinAnswer(statusCode: .ok)
    if request.url.hasSuffix("/join"), let group = MachineGroup(joinedGroup) {
      let asked = try JoinRequest(parsing: request.body)
      let statement = JoinStatement(
        deviceID: asked.deviceID, nonce: asked.nonce, group: group, secretHash: try SHA256.hash(secret.bytes),
        issuedAt: bench.now.wallSeconds)
      if case .object(let claims) = statement.json {
        let token = try signer.token(claims, type: JoinStatement.tokenType)
        answer = JoinAnswer(statusCode: .ok, machineSecret: secret, token: token)
      }
    }
    return TransportResponse(status: 200, contentType: "application/json", body: answer.jsonBytes)
  }

  private func join(_ group: String = "lab") throws {
    joinedGroup = group
    var begin = bench.begin(.join)
    begin.service = Array("uafctl".utf8)
    let payload = MachinePayload(
      server: "https://localhost", code: "join-code", expires: bench.now.wallSeconds + 100, group: .standard,
      verdictKeys: try signer.pem)
    begin.payload = Array(payload.encoded.utf8)
    #expect(try bench.run(begin).result == 0, "\(bench.log.lines)")
  }

  private func leave() throws {
    var begin = bench.begin(.leave)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).result == 0)
  }

  private var state: String { bench.folder + "/state" }

  private var deviceID: String {
    get throws {
      let identifier = try StateDirectory.identifier(in: state, owner: getuid())
      return try #require(bench.device.identifier(identifier))
    }
  }

  /// The contents of a policy, which tests change one by one.
  private struct Making {
    var text = ServerPolicyTests.long
    var version: Int64 = 7
    var group = "lab"
    var deviceID: String?
    var age: Int64 = 0
    var lifetime = WorkstationPolicy.standardLifetime
    var type = WorkstationPolicy.tokenType
  }

  private func token(_ making: Making = Making(), by other: VerdictSigner? = nil) throws -> [UInt8] {
    let time = bench.now.wallSeconds - making.age
    let policy = WorkstationPolicy(
      deviceID: try making.deviceID ?? deviceID, group: try #require(MachineGroup(making.group)),
      version: making.version, text: making.text, issuedAt: time, notBefore: time,
      expiresAt: time + making.lifetime)
    guard case .object(let claims) = policy.json else { return [] }
    return Array(try (other ?? signer).token(claims, type: making.type).utf8)
  }

  private func take(_ token: [UInt8]) throws -> PolicyIntake {
    try bench.configuration.write(toFile: bench.folder + "/conf", atomically: false, encoding: .utf8)
    let own = try Configuration(parsing: Array(bench.configuration.utf8), path: "conf")
    let keeper = self.keeper(own)
    let keys = try VerdictKeys.read(of: try #require(own.server), owner: getuid()) ?? []
    return keeper.take(token, publicKeys: keys, at: bench.now.wallSeconds)
  }

  private func keeper(_ own: Configuration) -> PolicyKeeper {
    PolicyKeeper(own: own, owner: getuid()) { [bench] in bench.device.identifier($0) }
  }

  /// What happens to a policy with these contents if everything else about it is right.
  private func take(_ making: Making) throws -> PolicyIntake { try take(token(making)) }

  // MARK: Observations

  /// Tries to change the passcode, and returns why the new one was refused.
  private func refusalOfNewPasscode(_ value: String) throws -> String? {
    let transcript = try bench.run(bench.begin(.change), ["correct", value, nil])
    return transcript.prompts.last?.errorMessage
  }

  /// The policy that the log names in the line of a login; nil if none.
  private func policyInLog() throws -> String? {
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 0 && transcript.pamCode == 0, "\(bench.log.lines.suffix(2))")
    // The next line only says that the check-in has failed, because no server answers it here.
    let line = bench.log.lines.last { ParsedLine($0)?["event"] == "authenticate" }
    return ParsedLine(try #require(line))?["policy"]
  }

  private func isRefused(_ intake: PolicyIntake, _ words: String) -> Bool {
    guard case .refused(let why) = intake else { return false }
    return why.contains(words)
  }

  private func status() throws -> [String: Any] {
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    return try #require(json["policy"] as? [String: Any])
  }

  // MARK: Policies in force

  @Test func `a policy applies from the next call on, refuses a new passcode that it forbids, and is named in the log`()
    throws
  {
    #expect(try policyInLog() == nil)
    #expect(try take(Making()) == .kept(version: 7))
    #expect(try policyInLog() == "7")
    #expect(try refusalOfNewPasscode("battery") == "Use at least 12 characters.")
    #expect(try bench.run(bench.begin(.change), ["correct", "battery-staple", "battery-staple"]).result == 7110)
    #expect(try bench.run(bench.begin(), ["battery-staple"]).result == 0)
  }

  @Test func `a passcode that the policy would refuse still logs in, and the person is asked to change it`() throws {
    _ = try take(Making())
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 0 && transcript.finished.staleValue)
  }

  @Test func `a newer policy replaces an older one, and an empty policy demands nothing`() throws {
    _ = try take(Making())
    #expect(try take(Making(text: "", version: 8)) == .kept(version: 8))
    #expect(try policyInLog() == "8")
    #expect(try refusalOfNewPasscode("battery") == nil)
  }

  @Test func `a policy of the same version that was signed again is accepted, and its expiry is then later`() throws {
    _ = try take(Making(lifetime: 1000))
    let before = try #require(try status()["expires"] as? Int)
    #expect(try take(Making()) == .kept(version: 7))
    #expect(try #require(try status()["expires"] as? Int) > before)
  }

  @Test func `a policy's stricter lock applies to people, and a looser one changes nothing`() throws {
    _ = try take(Making(text: "[lock]\nretry_count_to_lock = 2\nlock_time = 30\nmax_lock_count = 5"))
    for (wrong, result) in [("wrong1", UInt32(3012)), ("wrong2", 3013)] {
      #expect(try bench.run(bench.begin(), [wrong]).result == result)
    }
    #expect(try bench.run(bench.begin()).result == 3013, "root's file says 3")
    #expect(bench.log.lines.contains { $0.hasPrefix("event=lock ") && $0.contains("seconds=60") }, "and 60 seconds")
    _ = try take(Making(text: "[lock]\nretry_count_to_lock = 10\nlock_time = 30\nmax_lock_count = 10", version: 8))
    try bench.run(bench.begin(.unlock))
    for (wrong, result) in [("wrong1", UInt32(3012)), ("wrong2", 3012), ("wrong3", 3013)] {
      #expect(try bench.run(bench.begin(), [wrong]).result == result)
    }
    #expect(try bench.run(bench.begin()).result == 3013)
  }

  @Test func `no policy locks root's own account earlier or longer than root has configured`() throws {
    bench.configuration = bench.configuration.replacing("[lock]", with: "[lock]\nroot_permanent_lock = true")
    func asRoot(_ operation: UAFWire.Operation, _ payload: [UInt8]? = nil) -> Begin {
      var begin = bench.begin(operation)
      (begin.uid, begin.account, begin.typedName) = (0, Array("root".utf8), Array("root".utf8))
      if let payload { (begin.payload, begin.authenticator) = (payload, Array("passcode".utf8)) }
      if operation == .register { begin.service = Array("uafctl".utf8) }
      return begin
    }
    let code = Array(bench.server.payload(username: "root").encoded.utf8)
    #expect(try bench.run(asRoot(.register, code), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    _ = try take(
      Making(
        text: "[lock]\nretry_count_to_lock = 1\nlock_time = 86400\nmax_lock_count = 0\n"
          + "[lock.remote]\nretry_count_to_lock = 1\nlock_time = 86400\nmax_lock_count = 0"))
    for (wrong, result) in [("wrong1", UInt32(3012)), ("wrong2", 3012), ("wrong3", 3013)] {
      #expect(try bench.run(asRoot(.authenticate), [wrong]).result == result)
    }
    #expect(try bench.run(asRoot(.authenticate)).result == 3013)
    #expect(bench.log.lines.contains { $0.hasPrefix("event=lock ") && $0.contains("lock=temporary seconds=60") })
    bench.now.nanoseconds += 60_000_000_000
    #expect(try bench.run(asRoot(.authenticate), ["correct"]).result == 0)
    try bench.run(bench.begin(), ["wrong1"])
    #expect(
      bench.log.lines.contains { $0.contains("account=mina ") && $0.contains("lock=permanent") },
      "the same policy locks somebody else at once")
  }

  @Test func `an expired policy still applies, and the log says that it has expired`() throws {
    _ = try take(Making(lifetime: 86_400))
    bench.now.wallSeconds += 86_400 + 61
    #expect(try policyInLog() == "7")
    #expect(bench.log.lines.contains { $0.hasPrefix("event=serverPolicy ") && $0.contains("policy 7 has expired") })
    #expect(try refusalOfNewPasscode("battery") == "Use at least 12 characters.")
    #expect((try status()["note"] as? String)?.contains("has expired") == true)
  }

  @Test func `a policy stays in force while the server cannot be reached`() throws {
    _ = try take(Making())
    bench.server.failure = .noHandshake(.refused)
    let transcript = try bench.run(bench.begin(), ["correct"])
    let line = ParsedLine(try #require(bench.log.lines.last))
    #expect(transcript.result != 0 && line?["policy"] == "7")
    #expect(try refusalOfNewPasscode("battery") == "Use at least 12 characters.")
  }

  @Test func `status says of each value whether it comes from root, the defaults or the policy`() throws {
    _ = try take(Making())
    let status = try status()
    #expect(status["version"] as? Int == 7 && status["note"] == nil && status["joined"] as? Bool == true)
    #expect(status["issued"] as? Int64 == bench.now.wallSeconds)
    let text = try Base64URL.decode(#require(status["toml"] as? String), maximumCount: LentSettings.maximumSize)
    #expect(String(decoding: text, as: UTF8.self) == Making().text)
    let values = try #require(status["values"] as? [[String: String]])
    func place(_ key: String) -> String? { values.first { $0["key"] == key }?["from"] }
    #expect(place("passcode.min_length") == "policy 7" && place("passcode.max_length") == "default")
    #expect(place("lock.lock_time")?.hasSuffix("/conf:11") == true, "\(String(describing: place("lock.lock_time")))")
  }

  // MARK: Decisions of root

  @Test func `no policy is accepted or in force if root lets the server set nothing`() throws {
    _ = try take(Making())
    bench.configuration = bench.configuration.replacing(Self.follow, with: "[policy]\nfollow = []")
    #expect(try policyInLog() == nil)
    #expect(try refusalOfNewPasscode("battery") == nil)
    #expect(isRefused(try take(Making(version: 8)), "follow is empty"))
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains("\"policy\"") == false)
  }

  @Test func `a policy that now contradicts root's own file is not in force, and logins continue`() throws {
    _ = try take(Making())
    bench.configuration += "\n[passcode]\nmax_length = 8"
    #expect(try policyInLog() == nil)
    #expect(
      bench.log.lines.contains { $0.contains("the stored policy is not in force: policy 7:2: passcode.min_length") })
    #expect((try status()["note"] as? String)?.contains("not in force") == true)
  }

  @Test func `a policy is in force only under the key that root has pinned`() throws {
    _ = try take(Making())
    let stranger = try VerdictSigner()
    try bench.demandSignature(stranger.pem)
    bench.server.signed = { [unowned self] yes in
      try stranger.token(for: yes, at: bench.now.wallSeconds)
    }
    #expect(try policyInLog() == nil)
    #expect(bench.log.lines.contains { $0.contains("it is not signed with verdict_key") })
  }

  // MARK: Policies that are refused

  @Test func `refuses a policy that is for another machine, forged or not valid now, and keeps the earlier one`()
    throws
  {
    _ = try take(Making(version: 6))
    let stranger = try VerdictSigner()
    #expect(isRefused(try take(Making(version: 5)), "older"))
    #expect(isRefused(try take(Making(deviceID: "another")), "different machine"))
    #expect(isRefused(try take(Making(group: "default")), "different group"))
    #expect(isRefused(try take(token(Making(), by: stranger)), "not signed"))
    #expect(isRefused(try take(Making(type: "JWT")), "not signed"))
    #expect(isRefused(try take(Making(age: 86_461, lifetime: 86_400)), "before this machine joined"))
    #expect(isRefused(try take(Making(age: -61)), "not valid yet"))
    bench.now.wallSeconds += 100_000
    #expect(isRefused(try take(Making(age: 90_000, lifetime: 86_400)), "has expired"))
    #expect(isRefused(try take([]), "not signed"))
    #expect(isRefused(try take(Array(repeating: 0x41, count: 24 * 1024 + 1)), "longer than 24 KiB"))
    #expect(try policyInLog() == "6")
  }

  @Test(arguments: [
    "[server]\nrequest_url = 'https://elsewhere/'", "[lock]\nroot_permanent_lock = true", "[passcode]\nmin_length = 65",
    "[passcode]\nmin_length = 20\nmax_length = 10", "[general]\noffline = 'allow'", "passcode",
    "[passcode]\nui_type = 'pin4'",
    "[service.sudo]\ntransaction = false", String(repeating: "#", count: 17 * 1024),
  ]) func `refuses a policy text with keys that no server may set, whoever has signed it`(_ text: String) throws {
    _ = try take(Making(version: 6))
    guard case .refused = try take(Making(text: text)) else { return #expect(Bool(false), "taken") }
    #expect(try policyInLog() == "6")
    #expect(try refusalOfNewPasscode("battery") == "Use at least 12 characters.")
  }

  @Test func `refuses a policy that together with root's values permits no passcode`() throws {
    bench.configuration += "\n[passcode]\nmax_length = 10"
    #expect(isRefused(try take(Making()), "no passcode can meet both"))
  }

  // MARK: Policies of a machine that leaves

  @Test func `when a machine leaves its server, its policy is removed, and no other is accepted`() throws {
    let token = try token()
    _ = try take(token)
    try leave()
    #expect(try PolicyRecord.read(in: state, owner: getuid()) == nil)
    #expect(try policyInLog() == nil)
    #expect(isRefused(try take(token), "has not joined a server"))
  }

  @Test func `after a machine has joined again, policies from before it left are refused`() throws {
    let (old, other) = (try token(), try token(Making(version: 9, group: "office")))
    _ = try take(old)
    try leave()
    bench.now.wallSeconds += 1
    try join("lab")
    #expect(try policyInLog() == nil)
    #expect(isRefused(try take(old), "before this machine joined"))
    try leave()
    try join("office")
    #expect(isRefused(try take(old), "different group"))
    #expect(isRefused(try take(other), "before this machine joined"))
    #expect(try take(Making(version: 1, group: "office")) == .kept(version: 1), "a new start")
  }

  // MARK: The file

  @Test func `a damaged record of a policy is not in force, and the next policy replaces it`() throws {
    _ = try take(Making())
    let path = state + "/machine.policy"
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for count in stride(from: 1, to: whole.count, by: 7) {
      try Data(whole.prefix(count)).write(to: URL(filePath: path))
      #expect(setMode(0o600, path))
      #expect(try policyInLog() == nil, "\(count) bytes")
    }
    #expect((try status()["note"] as? String)?.hasSuffix("not in force: its record is damaged") == true)
    #expect(try take(Making()) == .kept(version: 7))
    #expect(try policyInLog() == "7")
  }

  @Test func `without a join record, status says that the machine has joined no server`() throws {
    _ = try take(Making())
    try FileManager.default.removeItem(atPath: state + "/machine.join")
    let status = try status()
    #expect(status["joined"] as? Bool == false && status["version"] == nil && status["note"] == nil)
  }

  @Test func `a record of a policy that others could have written is not in force`() throws {
    _ = try take(Making())
    #expect(setMode(0o666, state + "/machine.policy"))
    #expect(try policyInLog() == nil)
    #expect(bench.log.lines.contains { $0.hasPrefix("event=serverPolicy ") && $0.contains("not in force") })
  }

  private func setMode(_ mode: mode_t, _ path: String) -> Bool {
    // SAFETY: the path lives for the call.
    unsafe chmod(path, mode) == 0
  }

  @Test
  func `a machine tells the server the version of its policy, or none once the policy should be signed again`() throws {
    let own = try Configuration(parsing: Array(bench.configuration.utf8), path: "conf")
    let keeper = self.keeper(own)
    let policy = WorkstationPolicy(
      deviceID: "d", group: .standard, version: 7, text: "", issuedAt: 1000, notBefore: 1000, expiresAt: 2000)
    #expect(keeper.toldVersion(nil, at: 0) == 0)
    #expect(keeper.toldVersion(policy, at: 1499) == 7)
    #expect(keeper.toldVersion(policy, at: 1500) == 0)
    let alone = self.keeper(Configuration())
    #expect(alone.toldVersion(policy, at: 1499) == nil)
  }
}
