import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

/// `uafctl pam enable --until`, on 2027-01-15; alice and bob use sudo, and nobody is registered.
@Suite struct PAMRolloutTests {
  private let stacks = Stacks()
  private static let day = "2027-01-31"
  private static let secondsOfDay = 86_400

  init() {
    stacks.passwords.local = ["root", "alice", "bob"]
    stacks.passwords.states["bob"] = .usable
    stacks.machine.sudoers("bob ALL=ALL\nalice ALL=(ALL) ALL\n")
    for shape in ["instead", "fallback"] {
      for name in ["sudo", "sshd"] { stacks.template("\(shape)/\(name)", "# \(shape)\n" + Self.passing) }
    }
  }

  /// A stack that leads to the password if pam_uaf ignores somebody.
  private static let passing = Stacks.stack.replacing("success=done", with: "success=done ignore=ignore")

  private func enable(_ arguments: String..., core: FakeCore = FakeCore([])) -> Bench {
    Bench(
      ["pam", "enable"] + arguments + ["--pam-directory", stacks.machine.pam], as: 0, core: core,
      installation: stacks.machine.installation)
  }

  private var isUntouched: Bool { stacks.read("sudo") == Stacks.sudo && stacks.read("uaf-sudo") == nil }

  private func passDays(_ days: Int) { stacks.machine.facts.time += days * Self.secondsOfDay }

  @Test func `--until writes the day into the line that asks pam_uaf, and names those who are not registered`() {
    let bench = enable("sudo", "--until", Self.day)
    #expect(bench.exit == .success, "\(bench.notes)")
    let stack = stacks.read("uaf-sudo") ?? ""
    #expect(stack.contains("ignore=ignore default=die] pam_uaf.so nouserok=2027-01-31\n@include common-auth\n"))
    #expect(stack.contains("# \"uafctl pam enable --until\": up to the end of 2027-01-31 (UTC) this line"))
    #expect(
      bench.output.contains(
        "not registered on this machine, and refused after 2027-01-31 (UTC) unless they are by then: bob\n"))
    #expect(
      bench.output.contains(
        "sudo: up to the end of 2027-01-31 (UTC), people who never registered here get in with the password\n"))
    #expect(!bench.output.contains("refused until they are"))
    #expect(stacks.run("disable", "sudo").exit == .success)
    #expect(stacks.read("sudo") == Stacks.sudo && stacks.read("uaf-sudo") == nil)
  }

  @Test(arguments: [
    ("2027-01-14", "--until: 2027-01-14 is over, today is 2027-01-15 (UTC)"),
    ("2028-01-17", "--until: 2028-01-17 is more than 366 days ahead"),
    ("9999-12-31", "--until: 9999-12-31 is more than 366 days ahead"),
    ("2027-02-29", "--until takes a day as YYYY-MM-DD, and 2027-02-29 is none"),
    ("2027-1-31", "--until takes a day as YYYY-MM-DD, and 2027-1-31 is none"),
    ("tomorrow", "--until takes a day as YYYY-MM-DD, and tomorrow is none"),
    ("", "--until takes a day as YYYY-MM-DD, and  is none"),
    ("2027-01-31 nouserok", "--until takes a day as YYYY-MM-DD, and 2027-01-31 nouserok is none"),
    ("2027-01-31\nauth sufficient pam_permit.so", "--until takes a day as YYYY-MM-DD, and 2027-01-31"),
  ])
  func `refuses a day that is none, is over or is too far ahead, in one line, and writes nothing`(
    day: String, says: String
  ) {
    for options in [[], ["--anyway"]] {
      let bench = Bench(
        ["pam", "enable", "sudo", "--until", day] + options + ["--pam-directory", stacks.machine.pam], as: 0,
        core: FakeCore([]), installation: stacks.machine.installation)
      #expect(bench.exit == .usage && bench.output.isEmpty)
      #expect(
        bench.notes.hasPrefix("uafctl: " + says) && bench.notes.split(separator: "\n").count == 1, "\(bench.notes)")
      #expect(isUntouched && stacks.tester.asked.isEmpty)
    }
  }

  @Test(arguments: ["2027-01-15", "2028-01-16"])
  func `accepts today and a day 366 days ahead`(day: String) {
    #expect(enable("sudo", "--until", day).exit == .success)
    #expect(stacks.read("uaf-sudo")?.contains("pam_uaf.so nouserok=\(day)\n") == true)
  }

  @Test func `a dry run shows the line with the day, and writes nothing`() {
    let bench = enable("sudo", "--until", Self.day, "--dry-run")
    #expect(bench.exit == .success && bench.output.contains("+auth") && isUntouched)
    #expect(bench.output.contains("pam_uaf.so nouserok=2027-01-31\n"))
  }

  @Test func `the same day a second time has nothing to do, and another day replaces it in the same shape`() {
    #expect(enable("sudo", "--until", Self.day, "--shape", "instead").exit == .success)
    let asked = stacks.tester.asked.count
    #expect(enable("sudo", "--until", Self.day).output.hasPrefix("sudo asks for the passcode already: instead/sudo\n"))
    #expect(stacks.tester.asked.count == asked)
    #expect(enable("sudo", "--until", "2027-02-28").exit == .success)
    let stack = stacks.read("uaf-sudo") ?? ""
    #expect(stack.contains("pam_uaf.so nouserok=2027-02-28\n") && !stack.contains("2027-01-31"))
    #expect(stack.contains("# pam-uaf: template instead/sudo\n"))
    #expect(stacks.read("sudo")?.contains("@include uaf-sudo\n") == true)
  }

  @Test func `refuses to end the time early while somebody would lose the service, and --anyway ends it`() {
    #expect(enable("sudo", "--until", Self.day, "--shape", "instead").exit == .success)
    let before = stacks.read("uaf-sudo")
    let bench = enable("sudo")
    #expect(bench.exit == .refused && bench.notes.contains("refused from then on: bob\n"))
    #expect(stacks.read("uaf-sudo") == before)
    #expect(enable("sudo", "--anyway").exit == .success)
    let stack = stacks.read("uaf-sudo") ?? ""
    #expect(!stack.contains("nouserok") && stack.contains("# pam-uaf: template instead/sudo\n"))
  }

  @Test func `once the day is over, enable removes it although somebody is not registered: nobody loses anything`() {
    #expect(enable("sudo", "--until", Self.day, "--shape", "instead").exit == .success)
    passDays(16)
    #expect(enable("sudo").exit == .refused, "the last day is not over")
    passDays(1)
    let bench = enable("sudo")
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(stacks.read("uaf-sudo")?.contains("nouserok") == false)
  }

  @Test func `every name of a program gets the same day`() {
    stacks.write("sudo-i", Stacks.sudo)
    #expect(enable("sudo", "--until", Self.day).exit == .success)
    for name in ["uaf-sudo", "uaf-sudo-i"] {
      #expect(stacks.read(name)?.contains("pam_uaf.so nouserok=2027-01-31\n") == true)
    }
  }

  @Test func `refuses a service that hides who is registered, such as sshd by default`() {
    stacks.write("sshd", Stacks.sudo)
    let bench = enable("sshd", "--until", Self.day)
    #expect(bench.exit == .refused && stacks.read("uaf-sshd") == nil)
    #expect(
      bench.notes.contains("sshd hides who is registered (hide_state), so --until would lead nobody to the password"))
    #expect(bench.notes.contains("hide_state = false into [service.sshd]"))
    stacks.machine.configure("", "[service.sshd]\nhide_state = false")
    #expect(enable("sshd", "--until", Self.day, "--anyway").exit == .success)
  }

  @Test func `refuses sudo if the configuration hides registrations from everybody`() {
    stacks.machine.configure("", "[general]\nhide_state = true")
    #expect(enable("sudo", "--until", Self.day, "--anyway").exit == .refused && isUntouched)
  }

  @Test(arguments: [
    "auth [success=done default=die] pam_uaf.so", "auth requisite pam_uaf.so nouserok",
    "auth [success=done ignore=done default=die] pam_uaf.so", "auth [success=done ignore=ok default=die] pam_uaf.so",
    "auth [success=done ignore=ignore default=die] pam_uaf.so # by hand",
    "auth [success=done ignore=ignore default=die] pam_uaf.so\nauth optional pam_uaf.so",
    "auth [success=done ignore=ignore default=die] \\\n pam_uaf.so", "auth required pam_unix.so",
  ])
  func `refuses a ready stack in which the argument would not lead to the password`(line: String) {
    stacks.template("fallback/sudo", Self.passing.replacing(Self.asking, with: line))
    let bench = enable("sudo", "--until", Self.day, "--anyway")
    #expect(bench.exit == .refused && isUntouched, "\(bench.output)")
    #expect(bench.notes.contains("fallback/sudo logs nobody in, or decides itself about people who never registered"))
  }

  private static let asking = "auth [success=done ignore=ignore default=die] pam_uaf.so"

  @Test func `refuses --until for passwd, which logs nobody in`() {
    stacks.write("passwd", "@include common-password\n")
    stacks.machine.service("common-password", "password required pam_unix.so")
    let bench = enable("passwd", "--until", Self.day)
    #expect(bench.exit == .refused && stacks.read("uaf-passwd") == nil)
    #expect(bench.notes.contains("leave --until out"))
  }

  // MARK: What status says

  @Test func `pam status says until when, and that a day is over, and the JSON document has the day`() {
    #expect(enable("sudo", "--until", Self.day).exit == .success)
    #expect(
      stacks.text(stacks.run("status")).hasPrefix(
        "sudo: fallback/sudo\nsudo: up to the end of 2027-01-31 (UTC), people who never registered here get in with the password\n"
      ))
    #expect(stacks.run("status", "--json").output.contains(#""passwordUntil":"2027-01-31""#))
    passDays(17)
    #expect(
      stacks.text(stacks.run("status")).contains(
        "sudo: since the end of 2027-01-31 (UTC), people who never registered here are refused; "
          + "'uafctl pam enable sudo' removes the day\n"))
    #expect(stacks.run("status", "--json").output.contains(#""passwordUntil":"2027-01-31""#))
  }

  @Test func `status says it to everybody, and its JSON document has the service and the day`() {
    let finished = Machine.finished(Machine.document(Machine.authenticator(state: 3007)))
    func status(_ options: String...) -> Bench {
      Bench(
        ["status"] + options + ["--pam-directory", stacks.machine.pam], as: 1000,
        core: FakeCore([.finished(finished)]), installation: stacks.machine.installation)
    }
    #expect(!status().output.contains("UTC") && status("--json").output == (finished.document ?? "") + "\n")
    #expect(enable("sudo", "--until", Self.day).exit == .success)
    #expect(
      status().output.hasSuffix(
        "sudo: up to the end of 2027-01-31 (UTC), people who never registered here get in with the password\n"))
    #expect(status("--json").output.contains(#""passwordUntil":[{"service":"sudo","day":"2027-01-31"}]"#))
  }

  @Test func `status says nothing about a day that the module does not read`() {
    #expect(enable("sudo", "--until", Self.day).exit == .success)
    let stack = stacks.read("uaf-sudo") ?? ""
    stacks.write("uaf-sudo", stack.replacing("so nouserok=2027-01-31", with: "so nouserok=2027-02-30"))
    #expect(!stacks.text(stacks.run("status")).contains("UTC"))
    #expect(!stacks.run("status", "--json").output.contains("passwordUntil"))
  }
}
