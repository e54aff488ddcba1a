import Authenticator
import Foundation
import SecretMemory
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct SealedStateTests {
  private let chip: SoftwareTPM
  private let bench: HelperBench
  private static let none = ""

  init() throws {
    chip = try SoftwareTPM()
    bench = try HelperBench.registered()
    bench.chip = { () throws(Ending) in try SoftwareTPM.program() }
    use("if_available")
  }

  private func use(_ word: String) {
    let rest = bench.configuration.components(separatedBy: "\n[tpm]")[0]
    bench.configuration = rest + "\n[tpm]\nuse = \"\(word)\"\ntcti = \"\(chip.place)\""
  }

  private func root(_ operation: UAFWire.Operation, _ answers: String...) throws -> Transcript {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    return try bench.run(begin, answers)
  }

  private func files() -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: bench.folder + "/state")) ?? []
    return Set(names.filter { $0.contains("device") }).subtracting(["device.id"])
  }

  private func words() throws -> String {
    try RecoveryKey.make().withBytes { span in
      String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    }
  }

  private func login() throws -> UInt32 { try bench.run(bench.begin(), ["correct"]).result }

  @Test func `the device key moves into the chip and back to a file, and the account keeps working`() throws {
    #expect(try root(.seal, Self.none).result == 0, "\(bench.log.lines)")
    #expect(files() == ["device.sealed"])
    #expect(try login() == 0, "\(bench.log.lines)")
    #expect(try root(.status).finished.document?.contains("\"keyBinding\":\"tpm\"") == true)
    #expect(try root(.unseal).result == 0, "\(bench.log.lines)")
    #expect(files() == ["device.key"])
    #expect(try login() == 0)
    #expect(try root(.status).finished.document?.contains("\"keyBinding\":\"file\"") == true)
  }

  @Test func `without the chip every login is refused, before anybody is asked for a secret`() throws {
    #expect(try root(.seal, Self.none).result == 0)
    chip.stop()
    let refused = try bench.run(bench.begin(), ["correct"])
    #expect(refused.result == 1007)
    #expect(refused.finished.text?.contains("uafctl recover") == true)
    #expect(bench.log.lines.contains { $0.contains("uafctl recover") })
    try chip.start()
    #expect(try login() == 0)
  }

  @Test func `if root demands a chip, a device key in a file is never used`() throws {
    use("require")
    #expect(try login() == 1007)
    #expect(try root(.seal, Self.none).result == 0, "\(bench.log.lines)")
    #expect(try login() == 0)
    #expect(try root(.unseal).result == 1001)
    #expect(files() == ["device.sealed"])
  }

  @Test func `if root uses no chip, no key is sealed, but a sealed key is still opened`() throws {
    use("off")
    #expect(try root(.seal, Self.none).result == 1001)
    #expect(files() == ["device.key"])
    use("if_available")
    #expect(try root(.seal, Self.none).result == 0)
    use("off")
    #expect(try login() == 0)
  }

  @Test func `the recovery key opens the device key on a different chip, and no other words do`() throws {
    let words = try words()
    #expect(try root(.seal, words).result == 0, "\(bench.log.lines)")
    #expect(files() == ["device.sealed", "device.recovery"])
    let other = try SoftwareTPM()
    let place = chip.place
    bench.configuration = bench.configuration.replacing(place, with: other.place)
    #expect(try login() == 1007)
    #expect(try root(.recover, try self.words()).result == 1001)
    #expect(try root(.recover, "nonsense").result == 1001)
    #expect(try root(.recover, words.uppercased().replacing("-", with: " ")).result == 0, "\(bench.log.lines)")
    #expect(try login() == 0)
    bench.configuration = bench.configuration.replacing(other.place, with: place)
    #expect(try login() == 1007)
  }

  @Test func `the device key is recovered into a file only if root uses no chip`() throws {
    let words = try words()
    #expect(try root(.seal, words).result == 0)
    chip.stop()
    #expect(try root(.recover, words).result == 1007)
    #expect(files() == ["device.sealed", "device.recovery"])
    use("off")
    #expect(try root(.recover, words).result == 0, "\(bench.log.lines)")
    #expect(files() == ["device.key"])
    #expect(try login() == 0)
  }

  @Test func `refuses to recover if no recovery key was made`() throws {
    #expect(try root(.seal, Self.none).result == 0)
    #expect(try root(.recover, try words()).result == 1001)
  }

  @Test
  func `if a killed move left the device key in chip and file, it works, and the next call completes the move`() throws
  {
    let key = try Data(contentsOf: URL(filePath: bench.folder + "/state/device.key"))
    #expect(try root(.seal, Self.none).result == 0)
    let path = bench.folder + "/state/device.key"
    _ = FileManager.default.createFile(atPath: path, contents: key, attributes: [.posixPermissions: 0o400])
    chip.stop()
    #expect(try login() == 0)
    #expect(try root(.unseal).result == 0, "\(bench.log.lines)")
    #expect(files() == ["device.key"])
    try chip.start()
    _ = FileManager.default.createFile(
      atPath: bench.folder + "/state/.device.sealed.new", contents: Data([1]), attributes: [.posixPermissions: 0o400])
    #expect(try root(.seal, Self.none).result == 0, "\(bench.log.lines)")
    #expect(files() == ["device.sealed"])
  }

  @Test func `uafctl init seals a new key, uses a file only if root allows it, and keeps an existing key`() throws {
    let fresh = try HelperBench()
    fresh.chip = { () throws(Ending) in try SoftwareTPM.program() }
    let state = fresh.folder + "/state"
    func initialise(_ use: String, _ answers: [String]) throws -> UInt32 {
      let rest = fresh.configuration.components(separatedBy: "\n[tpm]")[0]
      fresh.configuration = rest + "\n[tpm]\nuse = \"\(use)\"\ntcti = \"\(chip.place)\""
      var begin = fresh.begin(.initialise)
      begin.service = Array("uafctl".utf8)
      return try fresh.run(begin, answers).result
    }
    chip.stop()
    #expect(try initialise("require", []) == 1007)
    #expect(!FileManager.default.fileExists(atPath: state + "/device.key"))
    try chip.start()
    #expect(try initialise("require", [Self.none]) == 0, "\(fresh.log.lines)")
    #expect(FileManager.default.fileExists(atPath: state + "/device.sealed"))
    #expect(!FileManager.default.fileExists(atPath: state + "/device.key"))
    #expect(try initialise("off", []) == 0)
    #expect(!FileManager.default.fileExists(atPath: state + "/device.key"))
  }

  @Test func `refuses to move or recover the device key for a caller without root`() throws {
    for operation in [Operation.seal, .unseal, .recover] {
      #expect(try bench.run(bench.begin(operation), [], peer: 4242).result != 0)
    }
    #expect(files() == ["device.key"])
  }
}
