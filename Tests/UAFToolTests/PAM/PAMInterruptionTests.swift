import Glibc
import Testing
import ToolTestSupport

@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

/// What `uafctl pam` leaves if it is killed between two of its changes, or if somebody else changes a file between them.
@Suite struct PAMInterruptionTests {
  private let stacks = Stacks()

  private static let killed = StackError.outOfMemory
  private static let service = "sudo"

  private func folder(_ beforeChange: @escaping (Int) throws(StackError) -> Void) throws -> WatchedFolder {
    WatchedFolder(folder: try PAMFolder(stacks.machine.pam, owner: geteuid()), beforeChange: beforeChange)
  }

  private func plan(shape: String = "fallback") throws -> StackPlan {
    let vendor = try PAMFolder(stacks.vendor, owner: geteuid())
    return try StackEnabling(
      service: PAMService(Self.service), folder: try PAMFolder(stacks.machine.pam, owner: geteuid()), vendors: [vendor],
      template: shape + "/sudo", templates: stacks.machine.installation.templateFolder
    ).plan()
  }

  /// Whether the run was killed before it had ended.
  private func dies(_ change: () throws -> Void) -> Bool {
    do {
      try change()
      return false
    } catch {
      #expect(error as? StackError == Self.killed)
      return true
    }
  }

  /// Checks what must be true at every moment: the service asks for the password, or has a complete stack of pam-uaf.
  private func mustBeWhole() {
    let text = stacks.read("sudo")
    #expect(text == Stacks.sudo || text == Stacks.sudo.replacing("@include common-auth", with: "@include uaf-sudo"))
    guard text != Stacks.sudo else { return }
    #expect(stacks.read("uaf-sudo")?.contains(Stacks.stack) == true)
    #expect(stacks.read(".sudo.before-uaf") == Stacks.sudo)
  }

  private func mustBeGone() {
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo)
    #expect(Set(stacks.names).subtracting([".uaf-sudo.saved"]) == ["common-auth", "login", "sudo"])
  }

  // MARK: A run that is killed

  @Test(arguments: 0..<4)
  func `wherever enable is killed, the service stays complete, and the next run completes or undoes it`(
    number: Int
  ) throws {
    let watched = try folder { change throws(StackError) in if change == number { throw Self.killed } }
    #expect(dies { try plan().apply(in: watched) } == (number < 3))
    mustBeWhole()
    if number.isMultiple(of: 2) { mustBeGone() }
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.read("sudo") != Stacks.sudo)
    mustBeWhole()
    mustBeGone()
  }

  @Test(arguments: 0..<3)
  func `wherever a change of shape is killed, the service stays complete, and an edited stack is kept`(
    number: Int
  ) throws {
    #expect(stacks.run("enable", "sudo").exit == .success)
    let edited = (stacks.read("uaf-sudo") ?? "") + "# mine\n"
    stacks.write("uaf-sudo", edited)
    let watched = try folder { change throws(StackError) in if change == number { throw Self.killed } }
    #expect(dies { try plan(shape: "instead").apply(in: watched) } == (number < 2))
    mustBeWhole()
    #expect([stacks.read("uaf-sudo"), stacks.read(".uaf-sudo.saved")].contains(edited))
    mustBeGone()
    #expect(stacks.read(".uaf-sudo.saved") == edited)
  }

  @Test(arguments: 0..<4, [true, false])
  func `wherever disable is killed, the service stays complete, and the next run completes it`(
    number: Int, isEdited: Bool
  ) throws {
    #expect(stacks.run("enable", "sudo").exit == .success)
    if isEdited { stacks.write("uaf-sudo", (stacks.read("uaf-sudo") ?? "") + "# mine\n") }
    let watched = try folder { change throws(StackError) in if change == number { throw Self.killed } }
    let service = try PAMService(Self.service)
    #expect(dies { _ = try StackDisabling(service: service, folder: watched).run() } == (number < 3))
    mustBeWhole()
    mustBeGone()
    #expect(stacks.names.contains(".uaf-sudo.saved") == isEdited)
  }

  @Test(arguments: 0..<4)
  func `wherever a run is killed, the next one removes its copy of the vendor's file`(number: Int) throws {
    stacks.folder.delete("pam.d/sudo")
    _ = stacks.folder.file("vendor/sudo", Array(Stacks.sudo.utf8), mode: 0o644)
    let watched = try folder { change throws(StackError) in if change == number { throw Self.killed } }
    #expect(dies { try plan().apply(in: watched) } == (number < 3))
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.names == ["common-auth", "login"])
  }

  // MARK: Changes by somebody else

  private static let other = "@include common-auth\naccount required pam_access.so\n"

  @Test(arguments: ["sudo", "uaf-sudo", "common-auth", "login", "new"])
  func `enable refuses if a file in the folder was changed while the stack was tried`(name: String) {
    stacks.tester.whileAnswering = { [unowned stacks] in stacks.write(name, Self.other) }
    let bench = stacks.run("enable", "sudo", "--try", "alice")
    #expect(bench.exit == .refused)
    #expect(stacks.text(bench).contains("uafctl: \(name) was changed meanwhile by somebody else\nhint: run it again\n"))
    #expect(stacks.read(name) == Self.other)
    #expect(stacks.read("sudo") == (name == "sudo" ? Self.other : Stacks.sudo))
    #expect(!stacks.names.contains(".sudo.before-uaf"))
    #expect(stacks.read("uaf-sudo") == (name == "uaf-sudo" ? Self.other : nil))
  }

  @Test func `enable refuses if the service disappeared, or the vendor's file changed, while the stack was tried`() {
    stacks.tester.whileAnswering = { [unowned stacks] in stacks.folder.delete("pam.d/sudo") }
    #expect(stacks.run("enable", "sudo", "--try", "alice").notes.contains("sudo was changed meanwhile"))
    #expect(stacks.names == ["common-auth", "login"])
    stacks.write("sudo", Stacks.sudo)
    _ = stacks.folder.file("vendor/polkit-1", Array(Stacks.sudo.utf8), mode: 0o644)
    stacks.tester.whileAnswering = { [unowned stacks] in
      stacks.folder.delete("vendor/polkit-1")
      _ = stacks.folder.file("vendor/polkit-1", Array(Self.other.utf8), mode: 0o644)
    }
    #expect(stacks.run("enable", "polkit-1", "--try", "alice").notes.contains("vendor/polkit-1 was changed meanwhile"))
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test(arguments: 0..<3)
  func `enable never overwrites what somebody has written between two of its changes`(number: Int) throws {
    let watched = try folder { [stacks] change in if change == number { stacks.write("sudo", Self.other) } }
    let plan = try plan()
    #expect(throws: StackError.changed(path: stacks.machine.pam + "/sudo")) { try plan.apply(in: watched) }
    #expect(stacks.read("sudo") == Self.other)
    #expect(!stacks.names.contains { $0.hasSuffix(".uaf-new") })
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Self.other)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `enable never overwrites a stack that somebody else has written during the run`() throws {
    let watched = try folder { [stacks] change in if change == 0 { stacks.write("uaf-sudo", Self.other) } }
    let plan = try plan()
    #expect(throws: StackError.changed(path: stacks.machine.pam + "/uaf-sudo")) { try plan.apply(in: watched) }
    #expect(stacks.read("uaf-sudo") == Self.other)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test(arguments: [(0, "sudo"), (1, "uaf-sudo"), (2, ".sudo.before-uaf")])
  func `disable never overwrites what somebody has written since it read the file`(number: Int, name: String) throws {
    #expect(stacks.run("enable", "sudo").exit == .success)
    let watched = try folder { [stacks] change in if change == number { stacks.write(name, Self.other) } }
    let service = try PAMService(Self.service)
    #expect(throws: StackError.changed(path: stacks.machine.pam + "/" + name)) {
      try StackDisabling(service: service, folder: watched).run()
    }
    #expect(stacks.read(name) == Self.other)
  }

  // MARK: Two runs at the same time

  @Test func `only root can hold the lock of uafctl pam, and a link or a pipe in its place delays nobody`() throws {
    let parent = stacks.machine.installation.trialParent
    let lock = try PAMLock(in: parent)
    #expect(stacks.folder.mode("run/uafctl-pam.lock") == 0o600)
    _ = consume lock
    stacks.folder.delete("run/uafctl-pam.lock")
    stacks.folder.link("run/uafctl-pam.lock", to: "/dev/null")
    #expect(stacks.run("enable", "sudo").notes.contains("/run/uafctl-pam.lock: "))
    #expect(stacks.run("disable", "--all").exit == .refused)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test
  func `the lock of uafctl pam ends with its run, even if a starting process has a copy of its descriptor`() throws {
    let parent = stacks.machine.installation.trialParent
    let lock = try PAMLock(in: parent)
    let copies = stacks.folder.copies(ofOpen: "run/uafctl-pam.lock")
    #expect(copies.count == 1)
    _ = consume lock
    #expect(stacks.run("enable", "sudo").exit == .success)
    for copy in copies { close(copy) }
  }

  @Test func `a lock on the folder of services, which anybody can hold, delays no run`() {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(stacks.machine.pam, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.run("disable", "--all").exit == .success)
  }
}
