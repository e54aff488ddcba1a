import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor

@Suite struct MachineCheckTests {
  private let machine = Machine()

  /// The names of the findings after the facts were changed.
  private func found(_ change: (inout MachineFacts) -> Void) -> [FindingID] {
    var facts = MachineFacts.ofATest
    change(&facts)
    return MachineCheck(facts: facts).findings().compactMap(\.id)
  }

  @Test func `doctor reports nothing if the kernel has every feature that the sandboxes use`() {
    #expect(found { _ in } == [])
    #expect(found { $0.mayLeaveNetwork = nil } == [])
  }

  @Test func `doctor reports which features the core's sandbox lacks`() {
    #expect(found { $0.landlock = -1 } == [.kernelLandlock])
    #expect(found { $0.landlock = 0 } == [.kernelLandlock])
    #expect(found { $0.hasSeccomp = false } == [.kernelSeccomp])
    #expect(found { $0.hasNetworkNamespaces = false } == [.kernelNetwork])
    #expect(found { $0.mayLeaveNetwork = false } == [.kernelNetwork])
  }

  @Test(
    arguments: [
      ("uaf-helper (enforce)\n", true, .enforcing), ("lsb_release (enforce)\nuaf-helper (kill)\n", true, .enforcing),
      ("uaf-helper (complain)\n", true, .complaining), ("uaf-helper (unconfined)\n", true, .complaining),
      ("uaf-helper-2 (enforce)\nx//uaf-helper (enforce)\n", true, .unloaded), ("", true, .unloaded),
      ("", false, .withoutProfile), ("uaf-helper (enforce)\n", false, .enforcing),
    ] as [(String, Bool, AppArmor)])
  func `the kernel's list tells whether AppArmor enforces the core's profile`(
    profiles: String, isInstalled: Bool, expected: AppArmor
  ) {
    #expect(AppArmor(profiles: profiles, isInstalled: isInstalled) == expected)
  }

  @Test func `doctor warns of an AppArmor profile that is installed and not loaded, and of no other`() {
    #expect(found { $0.appArmor = .unloaded } == [.kernelAppArmor])
    for silent in [AppArmor.absent, .withoutProfile, .complaining, .enforcing, nil] {
      #expect(found { $0.appArmor = silent } == [])
    }
  }

  @Test(
    arguments: [
      ("0 0 4294967295\n", []), ("         0     100000      65536\n", []), ("0 1000 1\n", [60_990, 60_991, 60_992]),
      ("0 1000 1\n1 100000 60990\n", [60_991, 60_992]), ("60990 1 1\n60992 2 1\n", [60_991]), ("", []), (nil, []),
      ("0 100000 60990\n", [60_990, 60_991, 60_992]),
    ] as [(String?, [UInt32])])
  func `doctor fails if a container lacks the ids of our programs, of users or of groups`(
    map: String?, missing: [UInt32]
  ) {
    let all = "0 0 4294967295\n"
    #expect(MachineFacts.missingIDs(in: [map, all]) == missing && MachineFacts.missingIDs(in: [all, map]) == missing)
    #expect(found { $0.missingIDs = missing } == (missing.isEmpty ? [] : [.kernelIDs]))
  }

  @Test(arguments: [nil, "", "x", "4e9a9c5d-8c1c-4a3b-9d43-0123456789a", "4e9a9c5d-8c1c-4a3b-9d43-0123456789ag"])
  func `doctor fails if the machine has no id for its current boot`(bootID: String?) {
    #expect(found { $0.bootID = bootID } == [.bootID])
  }

  @Test func `doctor reports a clock that was never set, and a log that accepts no message`() {
    #expect(found { $0.time = 86_400 } == [.clock])
    #expect(found { $0.time = 1_767_225_600 } == [])
    #expect(found { $0.isSynchronised = false } == [.clockUnsynchronised])
    #expect(found { $0.isSynchronised = nil } == [])
    #expect(found { $0.logFailure = ENOENT } == [.log])
  }

  @Test func `doctor reaches a log's socket that listens, and nothing at any other path`() {
    let folder = Folder()
    #expect(MachineFacts.reachLog(folder.path + "/log") == ENOENT)
    #expect(MachineFacts.reachLog(folder.file("file", [], mode: 0o600)) == ECONNREFUSED)
    #expect(MachineFacts.reachLog(String(repeating: "x", count: 108)) == ENAMETOOLONG)
    let facts = MachineFacts.ofThisMachine()
    #expect(facts.bootID?.isEmpty == false && facts.time > 1_767_225_600 && facts.hasNetworkNamespaces)
  }

  // MARK: Programs, socket, core, account

  @Test(arguments: [
    nil, "", "uaf-helper 0.0.1\n", "uaf-fetch \(ToolVersion.number)\n", "uaf-helper \(ToolVersion.number)",
  ])
  func `doctor fails if one of our programs has a different version`(output: String?) {
    machine.outputs[machine.installation.helperPath] = output
    #expect(machine.has(.programVersion))
    #expect(machine.doctor().lines(about: "fetch").first?.hasPrefix("ok   ") == true)
  }

  @Test func `doctor runs no program that others can change`() {
    machine.folder.setMode(0o777, of: "libexec/uaf-helper")
    #expect(machine.has(.programOpen) && !machine.has(.programVersion))
    #expect(!machine.ran.contains { $0.first == machine.installation.helperPath })
    #expect(machine.ran.contains([machine.installation.fetchPath, "--version"]))
  }

  @Test func `doctor fails if others could put a socket into the folder of the core's socket`() {
    _ = machine.folder.folder("run", mode: 0o777)
    machine.installation.socketPath = machine.folder.path + "/run/helper.sock"
    #expect(machine.has(.runFolder) && !machine.has(.socketMissing))
    machine.folder.setMode(0o755, of: "run")
    #expect(!machine.has(.runFolder) && machine.has(.socketMissing))
  }

  @Test func `doctor fails if the core does not answer, or has a different version`() {
    machine.document = nil
    #expect(machine.has(.coreSilent))
    machine.document = "{}"
    #expect(machine.has(.coreSilent))
    machine.document = Machine.document(Machine.passcode, version: "0.0.1")
    #expect(machine.has(.coreVersion) && !machine.has(.coreSilent))
  }

  @Test func `doctor shows a person the findings about their own account`() {
    machine.document = Machine.document("")
    #expect(machine.has(.accountUnregistered, as: 1000))
    #expect(!machine.has(.accountUnregistered))
    machine.document = Machine.document(Machine.authenticator(state: 3007))
    #expect(machine.has(.accountUnregistered, as: 1000))
    machine.document = Machine.document(Machine.authenticator(state: 3008))
    #expect(machine.has(.accountLocked, as: 1000) && !machine.has(.accountUnregistered, as: 1000))
    machine.document = Machine.document(Machine.authenticator(state: 3006, more: #","atServer":"ahead""#))
    #expect(machine.has(.keyBehind, as: 1000) && !machine.has(.accountLocked, as: 1000))
    machine.document = Machine.document(Machine.authenticator(state: 3007, more: #","atServer":"ahead""#))
    #expect(machine.has(.keyBehind, as: 1000) && !machine.has(.accountUnregistered, as: 1000))
    for refused in ["revoked", "unknown"] {
      machine.document = Machine.document(
        Machine.authenticator(state: 3007, more: #","atServer":"\#(refused)""#))
      #expect(machine.has(.accountUnregistered, as: 1000) && !machine.has(.keyBehind, as: 1000))
    }
    machine.document = Machine.document(Machine.authenticator(state: 3007, more: #","atServer":"forbidden""#))
    #expect(machine.has(.accountForbidden, as: 1000) && !machine.has(.accountUnregistered, as: 1000))
    machine.document = Machine.document(Machine.passcode)
    #expect(!machine.has(.accountForbidden, as: 1000))
    #expect(!machine.has(.keyBehind, as: 1000))
    #expect(!machine.has(.accountLocked, as: 1000) && !machine.has(.accountUnregistered, as: 1000))
  }

  // MARK: The configuration's choices

  @Test func `doctor says which services allow offline logins, and what they risk`() {
    let offline = Machine(
      configuration: Machine.configuration
        + "[general]\noffline_max_age = 3600\n[service.login]\noffline = \"allow\"\n[service.sudo]\ntransaction = true\n"
    )
    let line = offline.doctor().lines(about: "configuration").last
    #expect(line?.hasPrefix("warn configuration: offline = \"allow\" in service.login: ") == true)
    #expect(line?.hasSuffix(" [offline]") == true)
    #expect(!machine.has(.offline))
  }

  @Test func `doctor reports services that reveal to the network whether an account is registered`() {
    let shown = Machine(configuration: Machine.configuration + "[general]\nhide_state = false\n")
    #expect(shown.has(.hideState))
    let hidden = Machine(configuration: Machine.configuration + "[general]\nhide_state = true\n")
    #expect(!hidden.has(.hideState) && !machine.has(.hideState))
  }

  @Test func `doctor reports which features the sandbox of uaf-fetch lacks`() {
    machine.server?.missing = "landlock:38"
    #expect(machine.has(.kernelFetch))
    machine.server?.missing = nil
    #expect(!machine.has(.kernelFetch))
  }

  // MARK: The output of a program

  private static let shell = "/bin/sh"

  @Test func `doctor accepts the output of a program only if the program succeeds`() {
    #expect(ProgramOutput.text(of: Self.shell, ["-c", "echo one; echo two >&2"]) == "one\n")
    #expect(ProgramOutput.text(of: Self.shell, ["-c", "echo one; exit 1"]) == nil)
    #expect(ProgramOutput.text(of: Self.shell, ["-c", "kill -9 $$"]) == nil)
    #expect(ProgramOutput.text(of: "/nonexistent", []) == nil)
  }

  @Test func `doctor refuses endless output of a program, and passes it no environment`() {
    #expect(ProgramOutput.text(of: Self.shell, ["-c", "while :; do echo 0123456789; done"]) == nil)
    let environment = ProgramOutput.text(of: "/usr/bin/env", [])
    #expect(environment?.contains("HOME=") == false && environment?.contains("PATH=/usr/sbin:") == true)
  }

  // MARK: Names

  @Test func `the manual page explains every finding of doctor, and no other`() throws {
    let page = try manual()
    let names = page.split(separator: "\n").filter { $0.hasPrefix(".It Sy ") }.map { String($0.dropFirst(7)) }
    #expect(names.sorted() == FindingID.allCases.map(\.rawValue).sorted())
  }
}
