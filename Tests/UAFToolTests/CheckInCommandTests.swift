import Foundation
import Testing
import ToolTestSupport
import UAFMessages
import UAFWire

@testable import Doctor
@testable import UAFTool

/// `uafctl check-in`, with a scripted core.
@Suite struct CheckInCommandTests {
  private func answered(_ document: String) -> [CoreMessage] {
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = document
    return [.finished(finished)]
  }

  @Test func `uafctl check-in asks the core, and shows which policy the server has for this machine`() {
    let bench = Bench(["check-in"], as: 0, core: answered(#"{"device":"d","policy":3,"time":1}"#))
    #expect(bench.exit == .success && bench.output.isEmpty)
    #expect(bench.notes == "uafctl: checked in; the server's policy for this machine is version 3\n")
    var begin = Begin(.checkIn)
    begin.service = Array("uafctl".utf8)
    begin.uid = 0
    begin.account = Array("root".utf8)
    begin.arguments = [Array("tries=3".utf8)]
    #expect(bench.sent.first == Bench.packet(begin))
    let other = Bench(["check-in"], as: 0, core: answered(#"{"device":"d","time":1}"#))
    #expect(other.notes == "uafctl: checked in; the server has no policy for this machine\n")
  }

  @Test func `the list of failures has each id once, no warnings, and no more than a report may have`() {
    let found: [Finding] = [
      .failure(.stateOpen, CoreText.answers), .warning(.log, CoreText.answers), .ok(CoreText.answers),
      .failure(.stateOpen, CoreText.answers), .failure(.clock, CoreText.answers),
    ]
    #expect(CheckInCommand.failures(found) == ["state-open", "clock"])
    let all = FindingID.allCases.map { Finding.failure($0, CoreText.answers) }
    #expect(CheckInCommand.failures(all).count == FindingList.most)
    #expect(FindingID.allCases.allSatisfy { FindingList.isID($0.rawValue) })
  }

  @Test func `uafctl check-in prints the core's document for scripts`() {
    let document = #"{"device":"d","policy":3,"time":1}"#
    let bench = Bench(["check-in", "--json"], as: 0, core: answered(document))
    #expect(bench.output == document + "\n" && bench.notes.isEmpty)
  }

  @Test func `uafctl check-in says why nothing was reported, and refuses anybody but root`() {
    let why = "check-in: the server does not accept reports from machines"
    let bench = Bench(["check-in"], as: 0, core: [Bench.failure(4, 4001, why)])
    #expect(bench.exit != .success && bench.notes.hasPrefix("uafctl: \(why)"))
    let script = Bench(["check-in", "--json"], as: 0, core: [Bench.failure(4, 4001, why)])
    #expect(script.output.hasPrefix(#"{"type":"failure""#) && script.notes.isEmpty)
    let other = Bench(["check-in"], as: 1000)
    #expect(other.notes.hasPrefix("uafctl: only root may tell the server how this machine is\n") && other.sent.isEmpty)
  }

  // MARK: --doctor

  private func examined(seesFiles: Bool, json: Bool = false) -> (reportsFindings: Bool, bench: Bench) {
    var installation = Installation.nowhere
    installation.seesFilesOfOthers = { seesFiles }
    let core = FakeCore(answered(#"{"device":"d","time":1}"#))
    let bench = Bench(
      ["check-in", "--doctor"] + (json ? ["--json"] : []), as: 0, core: core, installation: installation)
    let reports = bench.sent.filter { String(decoding: $0, as: UTF8.self).contains("\"program-missing\"") }
    return (!reports.isEmpty, bench)
  }

  @Test func `uafctl check-in --doctor reports what failed if it sees the files that other programs see`() {
    let (reportsFindings, bench) = examined(seesFiles: true)
    #expect(reportsFindings, "\(bench.notes)")
  }

  @Test func `in a sandbox with mounts of its own, uafctl check-in --doctor examines nothing, and says so`() {
    let (reportsFindings, bench) = examined(seesFiles: false)
    #expect(!reportsFindings && bench.exit == .success && bench.sent.count == 1)
    #expect(bench.notes.hasPrefix("uafctl: not examined: this process has mounts of its own"))
    let quiet = examined(seesFiles: false, json: true).bench
    #expect(quiet.exit == .success && quiet.notes.isEmpty)
  }

  /// The directives of systemd.exec(5) that make a mount namespace, or that a program which uafctl starts could notice.
  @Test func `the timer's service examines the machine, and has no directive that changes what it sees`() throws {
    let path = URL(filePath: #filePath).appending(path: "../../../systemd/pam-uaf-checkin.service.in").standardized
    let unit = try String(contentsOf: path, encoding: .utf8)
    let lines = unit.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("[") }
    #expect(lines.contains("ExecStart=@BINDIR@/uafctl check-in --if-joined --doctor"))
    let names = Set(lines.map { $0.prefix { $0 != "=" } })
    #expect(
      names == [
        "Description", "Documentation", "After", "Wants", "Type", "ExecStart", "TimeoutStartSec", "StandardInput",
        "Environment", "WorkingDirectory", "UMask", "LimitCORE", "LockPersonality", "RestrictRealtime",
        "RestrictSUIDSGID", "SystemCallArchitectures",
      ])
  }

  // MARK: --if-joined

  private func timer(_ folder: Folder, _ server: String = "", as userID: uid_t = 0) -> Bench {
    folder.delete("pam_uaf.conf")
    _ = folder.file(
      "pam_uaf.conf", Array("\(server)[state]\ndirectory = '\(folder.path)/state'\n".utf8), mode: 0o644)
    var installation = Installation.nowhere
    installation.configurationPath = folder.path + "/pam_uaf.conf"
    return Bench(
      ["check-in", "--if-joined"], as: userID, core: FakeCore(answered(#"{"device":"d","time":1}"#)),
      installation: installation)
  }

  private static let untold =
    "[server]\nrequest_url = 'https://fido.example/uaf/get'\n"
    + "response_url = 'https://fido.example/uaf/respond'\nsend_device = false\n"

  @Test func `the timer's check-in asks nothing and succeeds on a machine that has not joined`() {
    let folder = Folder()
    let bench = timer(folder)
    #expect(
      bench.exit == .success && bench.notes.isEmpty && bench.output.isEmpty && bench.sent.isEmpty, "\(bench.notes)")
  }

  @Test func `the timer's check-in asks the core on a machine that has joined`() {
    let folder = Folder()
    _ = folder.folder("state", mode: 0o700)
    _ = folder.file("state/machine.join", [1], mode: 0o600)
    let bench = timer(folder)
    #expect(bench.exit == .success && bench.sent.count == 1, "\(bench.notes)")
  }

  @Test func `the timer's check-in asks nothing where root wants nothing reported`() {
    let folder = Folder()
    _ = folder.folder("state", mode: 0o700)
    _ = folder.file("state/machine.join", [1], mode: 0o600)
    let bench = timer(folder, Self.untold)
    #expect(bench.exit == .success && bench.sent.isEmpty, "\(bench.notes)")
  }

  @Test func `the timer's check-in refuses anybody but root, and leaves a broken configuration to the core`() {
    let folder = Folder()
    #expect(timer(folder, as: 1000).notes.hasPrefix("uafctl: only root may tell the server how this machine is\n"))
    #expect(timer(folder, "[no such section]\n").sent.count == 1)
  }
}
