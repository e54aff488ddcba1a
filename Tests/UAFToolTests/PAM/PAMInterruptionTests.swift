import Glibc
import Testing
import ToolTestSupport

@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

/// What is left if `uafctl pam` is killed between any two of its changes, and if somebody else changes something between them.
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

  /// Whether the change was killed before it ended.
  private func dies(_ change: () throws -> Void) -> Bool {
    do {
      try change()
      return false
    } catch {
      #expect(error as? StackError == Self.killed)
      return true
    }
  }

  /// What a service must be at every moment: one that asks for the password, or one with a complete stack of ours.
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

  // MARK: Killed

  @Test(arguments: 0..<4)
  func `wherever enable is killed, the service stays complete, and the next run completes or undoes the change`(
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
  func `wherever a new shape over an edited stack is killed, the service stays complete and the edits are kept`(
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
  func `wherever disable is killed, the service stays complete, and the next run completes the change`(
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
  func `a copy of the vendor's file is removed again, wherever the run is killed`(number: Int) throws {
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
  func `enable refuses if anything in the folder was changed while the stack was tried`(name: String) {
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
  func `enable never overwrites what somebody wrote between its own changes`(number: Int) throws {
    let watched = try folder { [stacks] change in if change == number { stacks.write("sudo", Self.other) } }
    let plan = try plan()
    #expect(throws: StackError.changed(path: stacks.machine.pam + "/sudo")) { try plan.apply(in: watched) }
    #expect(stacks.read("sudo") == Self.other)
    #expect(!stacks.names.contains { $0.hasSuffix(".uaf-new") })
    #expect(stacks.run("disable", "--all").exit == .success)
    #expect(stacks.read("sudo") == Self.other)
    #expect(stacks.names == ["common-auth", "login", "sudo"])
  }

  @Test func `enable never overwrites a stack that somebody has written in the meantime`() throws {
    let watched = try folder { [stacks] change in if change == 0 { stacks.write("uaf-sudo", Self.other) } }
    let plan = try plan()
    #expect(throws: StackError.changed(path: stacks.machine.pam + "/uaf-sudo")) { try plan.apply(in: watched) }
    #expect(stacks.read("uaf-sudo") == Self.other)
    #expect(stacks.read("sudo") == Stacks.sudo)
  }

  @Test(arguments: [(0, "sudo"), (1, "uaf-sudo"), (2, ".sudo.before-uaf")])
  func `disable never changes what somebody has written since disable read it`(number: Int, name: String) throws {
    #expect(stacks.run("enable", "sudo").exit == .success)
    let watched = try folder { [stacks] change in if change == number { stacks.write(name, Self.other) } }
    let service = try PAMService(Self.service)
    #expect(throws: StackError.changed(path: stacks.machine.pam + "/" + name)) {
      try StackDisabling(service: service, folder: watched).run()
    }
    #expect(stacks.read(name) == Self.other)
  }

  // MARK: At the same time

  @Test func `only root can hold the lock, and a link or a pipe instead of it does not delay a run`() throws {
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

  @Test func `the lock ends with its run, even if a process that is starting has a copy of its file`() throws {
    let parent = stacks.machine.installation.trialParent
    let lock = try PAMLock(in: parent)
    let copies = stacks.folder.copies(ofOpen: "run/uafctl-pam.lock")
    #expect(copies.count == 1)
    _ = consume lock
    #expect(stacks.run("enable", "sudo").exit == .success)
    for copy in copies { close(copy) }
  }

  @Test func `a lock on the folder of services, which anybody may hold, delays nobody`() {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(stacks.machine.pam, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(stacks.run("disable", "--all").exit == .success)
  }
}
