import FidoResults
import Testing
import ToolTestSupport
import UAFConfiguration
import UAFWire
import Wording

@testable import Doctor
@testable import PAMStacks

/// What doctor says about `nouserok=` with a day, on 2027-01-15; alice and bob may use sudo.
@Suite struct PasswordEndTests {
  private let machine = Machine()

  init() {
    machine.passwords.local = ["root", "alice", "bob"]
    machine.passwords.states["bob"] = .usable
    machine.passwords.groups["uaf-rescue"] = []
    machine.sudoers("bob ALL=ALL\nalice ALL=(ALL) ALL\n")
  }

  /// Doctor's findings about the days of a service, for people who are registered or not.
  private func findings(
    _ argument: String, service: String = "sudo", unregistered: [String]? = ["bob"], hidesState: Bool = false
  ) throws -> [Finding] {
    machine.service(
      service, WholeMachine.stack.replacing("default=die] pam_uaf.so", with: "default=die] pam_uaf.so \(argument)"))
    let check = PAMCheck(
      directory: machine.pam, moduleFolders: machine.installation.moduleFolders,
      vendorFolders: machine.installation.vendorPAMFolders, owner: machine.installation.owner,
      passwords: machine.passwords, isRoot: true, accounts: FakeAccounts(), tester: FakeTester(),
      trialParent: machine.folder.path, hidesState: { _ in hidesState },
      today: try #require(CalendarDay("2027-01-15")),
      unregistered: { names in unregistered.map { wanted in names.filter(wanted.contains) } },
      sudo: machine.installation.readSudoers())
    return check.findings().filter { $0.text.contains("nouserok") || $0.text.contains("(UTC)") }
  }

  @Test(arguments: [
    ("2027-01-15", Finding.Level.warning), ("2027-01-29", .warning), ("2027-01-30", .ok), ("2028-01-16", .ok),
  ])
  func `doctor says who is not registered, and warns from two weeks before the day`(
    day: String, level: Finding.Level
  ) throws {
    let found = try #require(try findings("nouserok=\(day)").first)
    #expect(found.level == level && found.id == (level == .ok ? nil : .pamNouserokEnds))
    #expect(
      found.text.hasSuffix(
        "/sudo: up to the end of \(day) (UTC) the password is enough for whoever never registered here; not registered yet: bob"
      ), "\(found.text)")
    #expect((found.text(in: .english).remedy?.contains("uafctl register") == true) == (level == .warning))
  }

  @Test func `doctor says that everybody has registered, and how to remove the day`() throws {
    let found = try #require(try findings("nouserok=2027-01-20", unregistered: []).first)
    #expect(found.text.hasSuffix("; everybody who uses it has registered"))
    #expect(found.text(in: .english).remedy == "uafctl pam enable sudo")
  }

  @Test func `doctor names nobody if it is not known who is registered`() throws {
    let found = try #require(try findings("nouserok=2027-01-20", unregistered: nil).first)
    #expect(found.text.hasSuffix("; whoever has not registered by then is refused") && !found.text.contains("bob"))
  }

  @Test func `doctor counts those beyond the first names`() throws {
    let names = (1...30).map { "p\($0)" }
    machine.passwords.local += names
    for name in names { machine.passwords.states[name] = .usable }
    let found = PasswordEndText.open(
      file: "/sudo", service: "sudo", try #require(CalendarDay("2027-01-20")), unregistered: names)
    #expect(found.english.what.contains("p1, p2") && found.english.what.contains("and 22 more"))
    #expect(found.korean.what.contains("p1, p2") && found.korean.what.contains("외 22개"))
  }

  @Test func `after the day doctor says that the argument can be removed`() throws {
    let found = try #require(try findings("nouserok=2027-01-14").first)
    #expect(found.level == .warning && found.id == .pamNouserokOver)
    #expect(
      found.text.hasSuffix(
        "/sudo: nouserok=2027-01-14 is over, and whoever is not registered is refused: the argument can be removed"))
    #expect(found.text(in: .english).remedy == "uafctl pam enable sudo, or take it out by hand")
  }

  @Test(arguments: ["nouserok=2028-01-17", "nouserok=9999-12-31", "nouserok"])
  func `a day that is more than a year ahead is no end`(argument: String) throws {
    #expect(try findings(argument).map(\.id) == [.pamNouserok])
  }

  @Test func `doctor says that the day has no effect if registrations are hidden`() throws {
    #expect(try findings("nouserok=2027-01-20", hidesState: true).map(\.id) == [.pamNouserokHidden])
  }

  @Test(arguments: [
    "nouserok=2027-02-30", "nouserok=", "nouserok=2027-01-20 nouserok", "nouserok=2027-01-20 nouserok=2027-01-21",
  ])
  func `doctor fails for a day that the module does not read, because it refuses everybody`(argument: String) throws {
    let found = try findings(argument)
    #expect(found.contains { $0.id == .pamArgument && $0.level == .failure }, "\(found)")
    #expect(!found.contains { $0.level == .ok || $0.id == .pamNouserokEnds && argument.hasPrefix("nouserok=2027-02") })
  }

  @Test func `whether root is asked about registrations decides whether doctor names people`() {
    machine.service(
      "sudo",
      WholeMachine.stack.replacing("default=die] pam_uaf.so", with: "default=die] pam_uaf.so nouserok=2027-01-20"))
    let root = machine.doctor().output
    #expect(root.contains("not registered yet: ") && root.contains("bob"), "\(root)")
    let person = machine.doctor(as: 1000).output
    #expect(person.contains("2027-01-20") && !person.contains("bob"), "\(person)")
  }
}
