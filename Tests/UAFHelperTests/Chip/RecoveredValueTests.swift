import FidoResults
import Foundation
import SecretMemory
import Testing
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// Accounts whose chip was lost, and whose shares the recovery key releases.
@Suite struct RecoveredValueTests {
  private let chip: SoftwareTPM
  private let bench: HelperBench
  private let words: String
  private static let none = ""

  /// A machine with a recovery key, whose chip has counted for the account since its registration.
  init() throws {
    chip = try SoftwareTPM()
    bench = try HelperBench()
    bench.chip = { () throws(Ending) in try SoftwareTPM.program() }
    words = try RecoveryKey.make().withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    use("if_available")
    #expect(try root(.initialise, words).result == 0, "\(bench.log.lines)")
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try chip.indices().count == 1)
  }

  private func use(_ word: String, at place: String? = nil) {
    let rest = bench.configuration.components(separatedBy: "\n[tpm]")[0]
    bench.configuration = rest + "\n[tpm]\nuse = \"\(word)\"\ntcti = \"\(place ?? chip.place)\""
  }

  private func root(_ operation: UAFWire.Operation, _ answers: String...) throws -> Transcript {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    return try bench.run(begin, answers)
  }

  private func login(_ value: String = "correct") throws -> UInt32 { try bench.run(bench.begin(), [value]).result }

  private func counts() throws -> String {
    let document = try root(.status).finished.document ?? ""
    return document.contains("\"countedBy\":\"tpm\"")
      ? "tpm" : document.contains("\"countedBy\":\"machine\"") ? "machine" : "none"
  }

  private var recoveryFile: URL { URL(filePath: bench.folder + "/state/device.recovery") }

  private func logged(_ text: String) -> Bool { bench.log.lines.contains { $0.contains(text) } }

  @Test
  func `after recovery to a different chip, only the old secret logs in, and the next change makes an index there`()
    throws
  {
    let other = try SoftwareTPM()
    use("if_available", at: other.place)
    #expect(try login() == 1007)
    #expect(try root(.recover, try otherWords()).result == 1001)
    let recovered = try root(.recover, words)
    #expect(recovered.result == 0, "\(bench.log.lines)")
    #expect(recovered.finished.text?.contains("1 account goes on with the same values") == true)
    #expect(try counts() == "machine")
    #expect(try login() == 0, "\(bench.log.lines)")
    #expect(try login("wrong") != 0)
    #expect(try root(.unlock).result == 0, "\(bench.log.lines)")
    #expect(try other.indices().isEmpty)
    #expect(try root(.change, "correct", "another", "another").finished.text != nil)
    #expect(try other.indices().count == 1, "\(bench.log.lines)")
    #expect(try counts() == "tpm")
    #expect(try login("another") == 0, "\(bench.log.lines)")
    // The copy of the share that the change made works for a third chip.
    let third = try SoftwareTPM()
    use("if_available", at: third.place)
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    #expect(try login("another") == 0, "\(bench.log.lines)")
  }

  @Test func `after recovery to the same chip, which was cleared, the old secret logs in`() throws {
    try chip.clear()
    #expect(try login() == 1007)
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    #expect(try login() == 0, "\(bench.log.lines)")
    #expect(try counts() == "machine")
  }

  @Test func `recovery on the same chip leaves the index and its count as they are`() throws {
    let index = try #require(try chip.indices().first)
    let limit: UInt32 = 5
    try chip.count(limit, of: limit, in: index)
    let recovered = try root(.recover, words)
    #expect(recovered.finished.text?.contains("still does") == true, "\(bench.log.lines)")
    #expect(try chip.indices() == [index])
    #expect(try counts() == "tpm")
    #expect(try login() == 3014)
    #expect(try root(.unlock).result == 0)
    #expect(try login() == 0, "\(bench.log.lines)")
  }

  @Test func `after recovery without a chip, the device key is in a file, and the old secret logs in`() throws {
    chip.stop()
    use("off")
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    #expect(try login() == 0, "\(bench.log.lines)")
    #expect(!FileManager.default.fileExists(atPath: recoveryFile.path))
  }

  @Test
  func `recovery names an account that registered while no copy could be made, and the others keep working`() throws {
    _ = try root(.forget)
    let kept = try Data(contentsOf: recoveryFile)
    try FileManager.default.removeItem(at: recoveryFile)
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    _ = FileManager.default.createFile(
      atPath: recoveryFile.path, contents: kept, attributes: [.posixPermissions: 0o400])
    let other = try SoftwareTPM()
    use("if_available", at: other.place)
    let recovered = try root(.recover, words)
    #expect(recovered.result == 0 && recovered.finished.text?.hasSuffix(": 4242") == true, "\(bench.log.lines)")
    #expect(try login() == 1007)
    _ = try root(.reset)
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(try login() == 0)
  }

  @Test func `if a recovery to a chip was killed before the accounts were released, the next call completes it`() throws
  {
    let before = bench.folder + "/before"
    try FileManager.default.copyItem(atPath: bench.folder + "/state/accounts", toPath: before)
    let other = try SoftwareTPM()
    use("if_available", at: other.place)
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    // Restores the state at that moment: the new chip has sealed the key, and the accounts are unchanged.
    try FileManager.default.removeItem(atPath: bench.folder + "/state/accounts")
    try FileManager.default.copyItem(atPath: before, toPath: bench.folder + "/state/accounts")
    #expect(try login() == 1007)
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    #expect(try login() == 0, "\(bench.log.lines)")
  }

  @Test func `if a recovery to a file was killed before the accounts were released, the next call completes it`()
    throws
  {
    let state = bench.folder + "/state"
    let before = bench.folder + "/before"
    try FileManager.default.copyItem(atPath: state, toPath: before)
    chip.stop()
    use("off")
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    for name in ["accounts", "device.sealed", "device.recovery"] {
      try? FileManager.default.removeItem(atPath: state + "/" + name)
      try FileManager.default.copyItem(atPath: before + "/" + name, toPath: state + "/" + name)
    }
    #expect(try login() == 1007)
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    #expect(!FileManager.default.fileExists(atPath: recoveryFile.path))
    #expect(try login() == 0, "\(bench.log.lines)")
  }

  @Test func `with a wrong public key in the recovery file, a registration succeeds without a copy, and the log warns`()
    throws
  {
    _ = try root(.forget)
    let key = try Secret(copying: [UInt8](repeating: 1, count: 32).span)
    let theirs = try #require(try RecoveryKey.seal(key, under: try RecoveryKey.make()))
    try FileManager.default.removeItem(at: recoveryFile)
    _ = FileManager.default.createFile(
      atPath: recoveryFile.path, contents: Data(theirs), attributes: [.posixPermissions: 0o400])
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0, "\(bench.log.lines)")
    #expect(logged("no copy of the share for passcode"))
    #expect(try counts() == "tpm")
    #expect(try login() == 0)
  }

  private func otherWords() throws -> String {
    try RecoveryKey.make().withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
  }

  @Test func `a recovery removes the kept passwords of keyrings, and names the accounts`() throws {
    bench.configuration += "\n[keyring]\nunlock = true"
    let set = try root(.keyringSet, "correct", "ring")
    #expect(set.result == 0, "\(bench.log.lines)")
    #expect(try root(.status).finished.document?.contains("\"keyring\":\"kept\"") == true)
    let recovered = try root(.recover, words)
    #expect(recovered.result == 0, "\(bench.log.lines)")
    #expect(
      recovered.finished.text?.hasSuffix(
        "; the kept passwords of keyrings are removed, and these accounts are asked for them again: 4242") == true)
    #expect(try login() == 0)
    #expect(try root(.status).finished.document?.contains("\"keyring\":") == false)
  }
}
