import AuthenticatorTypes
import Foundation
import SecretMemory
import Testing
import UAFCrypto
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// Accounts for which a chip counts wrong secrets.
@Suite struct CountedValueTests {
  private let chip: SoftwareTPM
  private let bench: HelperBench
  private static let none = ""

  /// A machine whose chip sealed the device key before anybody registered.
  ///
  /// It allows one local and one remote try, and 200 tries of other users.
  init() throws {
    chip = try SoftwareTPM()
    bench = try HelperBench()
    bench.chip = { () throws(Ending) in try SoftwareTPM.program() }
    bench.configuration = bench.configuration.replacing(
      "retry_count_to_lock = 3", with: "retry_count_to_lock = 1\nmax_lock_count = 0")
    bench.configuration += "\n[lock.remote]\nretry_count_to_lock = 1\nmax_lock_count = 0"
    use("if_available")
    #expect(try root(.initialise, Self.none).result == 0, "\(bench.log.lines)")
  }

  private func use(_ word: String, _ more: String = "") {
    let rest = bench.configuration.components(separatedBy: "\n[tpm]")[0]
    bench.configuration = rest + "\n[tpm]\nuse = \"\(word)\"\ntcti = \"\(chip.place)\"\n\(more)"
  }

  private func register(_ value: String = "correct") throws -> UInt32 {
    try bench.run(bench.registration(), [value, value]).result
  }

  private func root(_ operation: UAFWire.Operation, _ answers: String...) throws -> Transcript {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    return try bench.run(begin, answers)
  }

  private func login(_ value: String = "correct") throws -> Transcript { try bench.run(bench.begin(), [value]) }

  /// Restores the accounts as ``keepAccounts()`` saved them.
  private func restoreAccounts() throws {
    let accounts = bench.folder + "/state/accounts"
    try FileManager.default.removeItem(atPath: accounts)
    try FileManager.default.copyItem(atPath: bench.folder + "/before", toPath: accounts)
  }

  private func keepAccounts() throws {
    try FileManager.default.copyItem(atPath: bench.folder + "/state/accounts", toPath: bench.folder + "/before")
  }

  private func status() throws -> String { try #require(try root(.status).finished.document) }

  @Test func `a registration makes one index in the chip, and status says that the chip counts wrong entries`() throws {
    #expect(try register() == 0, "\(bench.log.lines)")
    #expect(try chip.indices().count == 1)
    #expect(try status().contains("\"countedBy\":\"tpm\""))
    #expect(try login().result == 0, "\(bench.log.lines)")
    #expect(try login("wrong").result != 0)
  }

  @Test func `restoring an older folder gives no new tries, because the chip's count stays until root ends it`()
    throws
  {
    #expect(try register() == 0, "\(bench.log.lines)")
    try chip.count(199, of: 202, in: try #require(try chip.indices().first))
    try keepAccounts()
    for _ in 0..<3 {
      #expect(try login("wrong").result == 3014)
      #expect(bench.log.lines.last?.contains("wrong value") == true, "it was looked at")
      try restoreAccounts()
    }
    #expect(try login().result == 3014, "\(bench.log.lines)")
    try restoreAccounts()
    #expect(try root(.unlock).result == 0, "\(bench.log.lines)")
    #expect(try login().result == 0, "\(bench.log.lines)")
  }

  @Test
  func `a change of the secret makes a new index and removes the old one, and the old secret opens nothing`() throws {
    #expect(try register() == 0)
    let before = try chip.indices()
    #expect(try root(.change, "correct", "another", "another").finished.text != nil)
    #expect(try chip.indices().count == 1)
    #expect(try chip.indices() != before, "\(bench.log.lines)")
    #expect(try login("another").result == 0, "\(bench.log.lines)")
    #expect(try login("correct").result == 3014)
    #expect(bench.log.lines.last?.contains("wrong value") == true)
  }

  @Test(arguments: [UAFWire.Operation.reset, .forget])
  func `if root removes an account, none of its indices stays in the chip`(operation: UAFWire.Operation) throws {
    #expect(try register() == 0)
    _ = try root(operation)
    #expect(try chip.indices().isEmpty, "\(bench.log.lines)")
    #expect(try register("another") == 0, "\(bench.log.lines)")
    #expect(try chip.indices().count == 1)
  }

  @Test func `if the server refuses a registration, its index does not stay in the chip`() throws {
    bench.server.registrationStatus = UAFStatusCode(rawValue: 1498)
    #expect(try register() != 0)
    #expect(try chip.indices().isEmpty, "\(bench.log.lines)")
  }

  @Test
  func `the device key cannot leave the chip while accounts need the chip, until their secrets are changed`() throws {
    #expect(try register() == 0)
    #expect(try root(.unseal).result == 1001)
    #expect(bench.log.lines.contains { $0.contains("4242") })
    use("off")
    #expect(try root(.change, "correct", "another", "another").finished.text != nil)
    #expect(try chip.indices().isEmpty, "\(bench.log.lines)")
    #expect(try root(.unseal).result == 0, "\(bench.log.lines)")
    chip.stop()
    #expect(try login("another").result == 0, "\(bench.log.lines)")
  }

  @Test func `if the chip disappears after the prompt, the login is refused with a separate text`() throws {
    #expect(try register() == 0)
    bench.onceOpen = { [chip] in chip.stop() }
    let refused = try login()
    #expect(refused.result == 1007, "\(bench.log.lines)")
    try chip.start()
    // The attempt was counted before the chip was contacted.
    #expect(try login().result == 3014)
    #expect(try root(.unlock).result == 0)
    #expect(try login().result == 0, "\(bench.log.lines)")
  }

  @Test
  func `an account whose index the chip has lost is refused until it was reset and has registered again`() throws {
    #expect(try register() == 0)
    try removeIndices()
    let refused = try login()
    #expect(refused.result == 1007)
    #expect(refused.finished.text?.contains("lost") == true, "\(bench.log.lines)")
    #expect(try root(.unlock).result == 1007)
    _ = try root(.reset)
    #expect(try register() == 0)
    #expect(try login().result == 0, "\(bench.log.lines)")
  }

  @Test
  func `root's unlock ends what locks it can, and is audited, although the chip has lost one of two indices`() throws {
    #expect(try register() == 0)
    let first = try chip.indices()
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    #expect(try bench.run(bench.registration("pattern"), ["12369", "12369"]).result == 0, "\(bench.log.lines)")
    let second = try #require(try chip.indices().first { !first.contains($0) })
    try remove(first)
    try chip.count(202, of: 202, in: second)
    let login = bench.begin(.authenticate, "authenticator=pattern")
    #expect(try bench.run(login, ["12369"]).result == 3014, "\(bench.log.lines)")
    #expect(try root(.unlock).result == 1007)
    #expect(bench.audit.records.contains { $0.text(program: "").hasPrefix("op=pam_uaf:unlock ") })
    #expect(try bench.run(login, ["12369"]).result == 0, "\(bench.log.lines)")
  }

  @Test
  func `if the chip has no room, registers without an index and says so, or refuses if root demands an index`() throws {
    try chip.fill()
    use("if_available", "require_pin_index = true")
    #expect(try register() == 1007, "\(bench.log.lines)")
    use("if_available")
    #expect(try register() == 0, "\(bench.log.lines)")
    #expect(bench.log.lines.contains { $0.contains("no index for passcode") })
    #expect(try status().contains("\"countedBy\":\"machine\""))
    #expect(try login().result == 0)
  }

  @Test func `makes no index if root uses no chip, and then refuses to register if root demands an index`() throws {
    use("off", "require_pin_index = true")
    let refused = try register()
    #expect(refused == 1007, "\(bench.log.lines)")
    #expect(bench.log.lines.contains { $0.contains("require_pin_index") })
    use("off")
    #expect(try register() == 0)
    #expect(try chip.indices().isEmpty)
    #expect(try login().result == 0)
  }

  @Test func `if the chip counts, the key derivation costs less, unless root sets the cost`() throws {
    #expect(try register() == 0)
    #expect(try cost() == 10)
    _ = try root(.forget)
    bench.configuration = bench.configuration.replacing("kdf_cost = 10", with: "")
    #expect(try register() == 0)
    #expect(try cost() == 14)
    #expect(try login().result == 0)
  }

  @Test func `with hidden registrations, the chip is asked even for a name that nobody has`() throws {
    #expect(try register() == 0)
    bench.configuration = bench.configuration.replacing("\n[tpm]", with: "\n[general]\nhide_state = true\n[tpm]")
    var begin = bench.begin()
    begin.uid = nil
    begin.account = nil
    begin.typedName = Array("nobody".utf8)
    #expect(try bench.run(begin, ["guess"]).result == 3012, "\(bench.log.lines)")
    #expect(try chip.indices(from: 0x01a5_0000) == [0x01a5_ffff])
  }

  @Test func `with hidden registrations, an account whose index is gone looks like a name that nobody has`() throws {
    #expect(try register() == 0)
    bench.configuration = bench.configuration.replacing("\n[tpm]", with: "\n[general]\nhide_state = true\n[tpm]")
    var nobody = bench.begin()
    nobody.uid = nil
    nobody.account = nil
    nobody.typedName = Array("nobody".utf8)
    let unknown = try bench.run(nobody, ["guess"])
    try removeIndices()
    let known = try login()
    #expect(known.result == 3012 && known.result == unknown.result, "\(bench.log.lines)")
    #expect(known.finished.text == unknown.finished.text && known.errors == unknown.errors)
    #expect(bench.log.lines.contains { $0.contains("event=binding") && $0.contains("indexMissing") })
  }

  // MARK: Helpers

  private func sealedFolder() throws -> StateDirectory {
    let process = try SoftwareTPM.program()
    let sealed = try #require(try StateDirectory.sealedKey(in: bench.folder + "/state", owner: getuid()))
    try process.open(sealed, at: chip.place)
    return try StateDirectory(bench.folder + "/state", owner: getuid(), unsealed: try process.openedKey())
  }

  private func cost() throws -> Int? {
    let directory = try sealedFolder()
    let account = try AccountFile.open(in: directory, uid: 4242, name: nil, serverUserName: { _ in nil })
    return try account?.authenticator(.passcode)?.cost.logN
  }

  private func removeIndices() throws { try remove(try chip.indices()) }

  private func remove(_ indices: [UInt32]) throws {
    // TPM2_NV_UndefineSpace (TPM 2.0 Part 3, 31.4) with the owner's empty authorisation value.
    for index in indices {
      let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: index >> $0) }
      let command: [UInt8] =
        [0x80, 0x02, 0, 0, 0, 0x1f, 0, 0, 1, 0x22, 0x40, 0, 0, 1] + number
        + [0, 0, 0, 9, 0x40, 0, 0, 9, 0, 0, 0, 0, 0]
      try #require(try chip.send(command) == 0)
    }
  }
}
