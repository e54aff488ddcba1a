import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import UAFHelper

/// A person whose account is locked ends the lock with an unlock from the server's helpdesk.
@Suite final class UnlockTests {
  private let signer: VerdictSigner
  private let bench: HelperBench
  private let secret: MachineSecret
  private static let person: UInt32 = 4242

  init() throws {
    signer = try VerdictSigner()
    bench = try HelperBench()
    secret = try MachineSecret(machineID: Array(repeating: 3, count: 16), secret: Array(repeating: 4, count: 32))
    try bench.demandSignature(signer.pem)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.machineSecret = secret
    bench.server.signed = { [unowned self] yes in
      try signer.token(for: yes, at: bench.now.wallSeconds, with: secret)
    }
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
  }

  private var device: String {
    get throws {
      let folder = try StateDirectory(bench.folder + "/state", owner: getuid())
      return try #require(bench.device.context(named: nil, of: folder.identifier).id)
    }
  }

  private func lock() throws {
    for _ in 0..<3 { try bench.run(bench.begin(), ["wrong1"]) }
    #expect(try bench.run(bench.begin(), ["correct"]).result == FidoResult.locked.code)
  }

  private func statement(
    account: String = "mina", target: UnlockStatement.Target? = nil, issued: Int64 = 0, lifetime: Int64 = 3600
  ) throws -> UnlockStatement {
    UnlockStatement(
      account: account, target: try target ?? .device(device), id: Array(UInt8(0)...15),
      issuedAt: 1_800_000_000 + issued, expiresAt: 1_800_000_000 + issued + lifetime)
  }

  private static func object(_ json: JSONValue) -> JSONObject? {
    if case .object(let object) = json { object } else { nil }
  }

  private func payload(
    _ statement: UnlockStatement? = nil, by other: VerdictSigner? = nil, type: String = UnlockStatement.tokenType
  ) throws -> String {
    let claims = try #require(Self.object((statement ?? self.statement()).json))
    return try (other ?? signer).token(claims, type: type)
  }

  private func code(
    account: String = "mina", issued: Int64 = 0, by secret: MachineSecret? = nil, units: Int = 12
  ) throws -> String {
    let secret = secret ?? self.secret
    let code = try #require(UnlockCode(minute: (1_800_000_000 + issued) / 60, lifetimeUnits: units, salt: 7))
    let message = code.authenticated(account: account, machineID: secret.machineID)
    return try #require(
      code.authenticated(by: HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret.secret))
    ).text
  }

  /// Sends an unlock as the person, or as root for the person.
  private func unlock(_ text: String?, as peer: UInt32 = person) throws -> Transcript {
    var begin = Begin(.unlock)
    if peer == 0 { begin = bench.begin(.unlock) }
    begin.service = Array("uafctl".utf8)
    begin.payload = text.map { Array($0.utf8) }
    if peer != 0 { begin.arguments = [] }
    return try bench.run(begin, peer: peer)
  }

  private func told(_ text: String, as peer: UInt32 = person) throws -> String {
    try unlock(text, as: peer).finished.text ?? ""
  }

  private var isLocked: Bool {
    get throws { try bench.run(bench.begin(), ["correct"]).result == FidoResult.locked.code }
  }

  // MARK: The signed unlock

  @Test(arguments: [person, 0]) func `a signed unlock works once, for the person or for root on the person's behalf`(
    peer: UInt32
  ) throws {
    try lock()
    let text = try payload()
    #expect(try unlock(text, as: peer).result == 0, "\(bench.log.lines)")
    #expect(bench.audit.records.last?.event == .unlockedByHelpdesk)
    #expect(bench.log.lines.contains { $0.contains("event=helpdesk") && $0.contains("AAECAwQFBgcICQoLDA0ODw") })
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    try lock()
    #expect(try told(text, as: peer).contains("used already"))
    #expect(try isLocked)
  }

  @Test func `an unlock mentions no chip if no chip is used and the account has no share`() throws {
    try lock()
    var begin = bench.begin(.unlock)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).result == 0)
    begin.operation = .forget
    #expect(try bench.run(begin).result == 0)
    #expect(!bench.log.lines.contains { $0.contains("chip") }, "\(bench.log.lines)")
  }

  @Test func `an unlock sends the server nothing`() throws {
    try lock()
    let asked = bench.server.requests.count
    #expect(try unlock(payload()).result == 0)
    #expect(bench.server.requests.count == asked)
  }

  @Test func `a signed unlock may name a key of the account instead of the machine`() throws {
    try lock()
    let directory = try StateDirectory(bench.folder + "/state", owner: getuid())
    let file = try #require(
      try AccountFile.open(in: directory, uid: 4242, name: nil, serverUserName: { _ in nil }))
    let keyID = try KeyID(bytes: #require(try file.keys().first).keyID)
    let other = try KeyID(bytes: [UInt8](repeating: 1, count: 32))
    #expect(try told(payload(statement(target: .key(other)))).contains("different machine"))
    #expect(try unlock(payload(statement(target: .key(keyID)))).result == 0)
  }

  @Test func `refuses a signed unlock for another account or machine`() throws {
    try lock()
    #expect(try told(payload(statement(account: "jun"))).contains("different account"))
    #expect(try told(payload(statement(target: .device("d-2")))).contains("different machine"))
    #expect(try isLocked)
  }

  @Test func `refuses a signed unlock that is not valid yet, has expired, or is older than the lock`() throws {
    bench.now.wallSeconds += 10_000
    try lock()
    #expect(try told(payload(statement(issued: 6000))).contains("unlock has expired"))
    #expect(try told(payload(statement(issued: 10_301))).contains("future"))
    #expect(try told(payload(statement(issued: 9699))).contains("older than the lock"))
    #expect(try isLocked)
    #expect(try unlock(payload(statement(issued: 9700))).result == 0)
  }

  @Test func `refuses an unlock that a wrong key has signed, or a token that is signed as something else`() throws {
    try lock()
    let stranger = try VerdictSigner()
    #expect(try told(payload(by: stranger)).contains("not an unlock from this machine's server"))
    for type in ["JWT", "account-state+jwt", "machine-join+jwt"] {
      #expect(try told(payload(type: type)).contains("not an unlock"))
    }
    for text in ["", "a.b.c", "eyJ2IjoxfQ"] { #expect(try unlock(text).result == 1001) }
    #expect(try isLocked)
  }

  @Test func `if root demands no signed verdicts, only root can unlock`() throws {
    try lock()
    bench.configuration = bench.configuration.replacing("require_signed_verdict = true", with: "")
      .split(separator: "\n").filter { !$0.hasPrefix("verdict_key") }.joined(separator: "\n")
    #expect(try told(payload()).contains("require_signed_verdict"))
    #expect(try told(code()).contains("require_signed_verdict"))
    #expect(try unlock(nil, as: 0).result == 0)
  }

  @Test func `without an unlock only root can end a lock, and with one a person ends only their own`() throws {
    try lock()
    #expect(try unlock(nil).result == 1001)
    #expect(try unlock(payload(), as: 1001).result == FidoResult.notRegistered.code)
    #expect(try isLocked)
  }

  @Test func `an unlock that is tried on an account without a lock can be used later`() throws {
    let text = try payload()
    #expect(try told(text).contains("not locked"))
    try lock()
    #expect(try unlock(text).result == 0)
  }

  // MARK: The unlock code

  @Test(arguments: [person, 0]) func `an unlock code of 24 characters unlocks once, as people type it`(peer: UInt32)
    throws
  {
    try lock()
    let text = try code().lowercased().replacing("-", with: "").replacing("0", with: "o").replacing("1", with: "l")
    #expect(try unlock(text, as: peer).result == 0, "\(bench.log.lines)")
    #expect(bench.audit.records.last?.event == .unlockedByHelpdesk)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    try lock()
    #expect(try told(text, as: peer).contains("used already"))
    #expect(try isLocked)
  }

  @Test func `signed unlock and unlock code belong together: using one uses up the other`() throws {
    try lock()
    #expect(try unlock(payload()).result == 0)
    try lock()
    #expect(try told(code()).contains("used already"))
    #expect(try isLocked)
  }

  @Test
  func `refuses an unlock code for another account or machine, and says which name the helpdesk needs`()
    throws
  {
    try lock()
    let other = try MachineSecret(machineID: secret.machineID, secret: Array(repeating: 5, count: 32))
    for text in [try code(account: "jun"), try code(by: other)] {
      #expect(try told(text).contains(UnlockCode.label(ofMachine: secret.machineID)))
    }
    #expect(try isLocked)
  }

  @Test func `an unlock code with any changed character ends no lock`() throws {
    try lock()
    let right = Array(try code())
    for index in right.indices where right[index] != "-" {
      bench.now.nanoseconds += 90_000_000_000_000
      bench.now.bootID[0] &+= 1
      var changed = right
      changed[index] = right[index] == "Z" ? "Y" : "Z"
      let result = try unlock(String(changed)).result
      #expect(result == FidoResult.requestNotExist.code || result == 1001, "\(index)")
    }
  }

  @Test func `wrong unlock codes are counted on disk, whoever types them, and a signed unlock still works`() throws {
    try lock()
    let other = try MachineSecret(machineID: secret.machineID, secret: Array(repeating: 5, count: 32))
    for peer in [Self.person, 0, Self.person, 0, Self.person] { _ = try unlock(code(by: other), as: peer) }
    #expect(try told(code()).contains("Too many wrong unlock codes"))
    #expect(try isLocked)
    #expect(try unlock(payload()).result == 0)
  }

  @Test func `a machine without a secret from the server refuses unlock codes, and says so`() throws {
    let bench = try HelperBench.registered(signed: true)
    var begin = bench.begin(.unlock)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(try code().utf8)
    let end = try bench.run(begin)
    #expect(end.result == FidoResult.requestNotExist.code)
    #expect(end.finished.text?.contains("no secret for the account") == true)
  }
}
