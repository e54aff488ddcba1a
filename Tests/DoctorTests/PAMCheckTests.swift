import FidoResults
import Foundation
import Glibc
import Testing
import UAFConfiguration
import ToolTestSupport
import Wording

@testable import PAMStacks
@testable import Doctor

@Suite struct PAMCheckTests {
  private let machine = Machine()
  private let tester = FakeTester()

  private func check(isRoot: Bool = true, modules: [String]? = nil) -> PAMCheck {
    PAMCheck(
      directory: machine.pam, moduleFolders: modules ?? machine.installation.moduleFolders,
      vendorFolders: machine.installation.vendorPAMFolders,
      owner: geteuid(), passwords: machine.passwords, isRoot: isRoot, accounts: FakeAccounts(), tester: tester,
      trialParent: machine.folder.path)
  }

  /// The names of the findings for services with these texts.
  private func found(_ services: [String: String], isRoot: Bool = true) -> [FindingID] {
    for (name, text) in services { machine.service(name, text) }
    // Without a console no member of the rescue group gets in.
    if services["login"] == nil { machine.service("login", Self.console) }
    return check(isRoot: isRoot).findings().compactMap(\.id)
  }

  /// The report about one service's stack.
  private func report(_ stack: String) -> String {
    machine.service("sudo", stack)
    let findings = check().findings()
    let verdict = findings.last { $0.text.hasPrefix("pam: \(machine.pam)/") }
    return verdict?.line(in: .english, colours: false).replacing(machine.pam, with: "") ?? ""
  }

  @Test(arguments: [
    "auth sufficient pam_uaf.so\nauth required pam_unix.so",
    "auth [success=1 default=ignore] pam_uaf.so\nauth requisite pam_unix.so\nauth required pam_permit.so",
    "auth\tSufficient\t/lib/security/pam_uaf.so conf=/x # note\n-auth required pam_sss.so",
    "auth sufficient \\\n pam_uaf.so\nauth required pam_unix.so",
  ])
  func `doctor finds a second way in after pam_uaf`(stack: String) {
    #expect(report(stack) == "ok   pam: /sudo: a line after pam_uaf's is another way in")
  }

  @Test(arguments: [
    "auth sufficient pam_unix.so\nauth sufficient pam_uaf.so\nauth required pam_deny.so",
    "auth [success=done auth_err=die default=die] pam_unix.so\nauth sufficient pam_uaf.so\nauth required pam_ldap.so",
  ])
  func `doctor finds a second way in before pam_uaf`(stack: String) {
    #expect(report(stack).hasPrefix("ok   pam: /sudo: a line before pam_uaf's is another way in"))
  }

  @Test(arguments: [
    "auth sufficient pam_unix.so\nauth required pam_uaf.so",
    "auth [success=1 default=ignore] pam_succeed_if.so\nauth required pam_uaf.so\nauth required pam_unix.so",
    "auth [success=2 default=ignore] pam_group.so\nauth optional pam_env.so\nauth requisite pam_uaf.so\n"
      + "auth required pam_unix.so",
    "auth [success=done auth_err=ignore default=die] pam_ldap.so\nauth requisite pam_uaf.so\nauth required pam_permit.so",
  ])
  func `doctor fails if a line lets somebody in before pam_uaf is asked`(stack: String) {
    #expect(report(stack).hasPrefix("FAIL pam: /sudo:1: this line can let somebody in before pam_uaf is asked : "))
  }

  @Test(
    arguments: [
      "auth sufficient pam_uaf.so\nauth required pam_unix.so", "auth required pam_uaf.so", "auth optional pam_uaf.so",
    ])
  func `doctor fails if pam_rootok lets everybody in, whatever control pam_uaf's line has`(rest: String) {
    for service in ["sshd", "login", "gdm-password"] {
      machine.service(service, "auth sufficient pam_rootok.so\n" + rest)
      let place = PAMText.passedOver(file: "\(machine.pam)/\(service)", line: 1)
      #expect(check().findings().contains(.failure(.pamPassedOver, place)))
    }
    machine.service("su", "auth sufficient pam_rootok.so\n" + rest)
    #expect(
      !check().findings().contains(.failure(.pamPassedOver, PAMText.passedOver(file: "\(machine.pam)/su", line: 1))))
  }

  @Test(arguments: [
    "auth sufficient pam_permit.so", "auth sufficient pam_succeed_if.so quiet user ingroup uaf-rescue",
    "auth sufficient pam_u2f.so nouserok",
  ])
  func `doctor fails if a line lets somebody in without asking, even if a second way in follows`(line: String) {
    #expect(report("\(line)\nauth sufficient pam_uaf.so\nauth required pam_unix.so").hasPrefix("FAIL pam: /sudo:1: "))
  }

  @Test func `doctor fails if a line after the included stack undoes a refusal of pam_uaf`() throws {
    let stack = StackRecord(
      service: "sudo", template: "instead/sudo", replaced: "@include common-auth", madeFrom: nil)
    let whole = try stack.file(with: Array("auth requisite pam_uaf.so\n".utf8))
    machine.service("uaf-sudo", String(decoding: whole.dropLast(), as: UTF8.self))
    let rest = "auth [default=reset] pam_env.so\nauth required pam_permit.so"
    #expect(
      report("auth substack uaf-sudo\n\(rest)").hasPrefix(
        "FAIL pam: /sudo: a refusal of pam_uaf does not make the stack refuse"))
  }

  @Test func `doctor names the line in the file that a service includes`() {
    machine.service("common-auth", "# Debian\nauth sufficient pam_sss.so\nauth required pam_unix.so\n")
    let after = "auth required pam_uaf.so"
    #expect(report("@include common-auth\n\(after)").hasPrefix("FAIL pam: /common-auth:2: "))
    #expect(
      report("auth substack common-auth\n\(after)").hasPrefix("warn pam: /sudo: nobody gets in if pam_uaf refuses"))
  }

  @Test(arguments: [
    "auth [success=1 default=ignore] pam_succeed_if.so user ingroup uaf-rescue\nauth required pam_uaf.so\n"
      + "auth required pam_unix.so"
  ])
  func `doctor notices people whom the stack leads past pam_uaf`(stack: String) {
    #expect(report(stack) == "ok   pam: /sudo: a line leads some people past pam_uaf to another way in")
  }

  @Test func `fails if an installed stack was edited so that its refusal has no effect`() throws {
    let stack = StackRecord(
      service: "sudo", template: "instead/sudo", replaced: "@include common-auth", madeFrom: nil)
    let whole = try stack.file(with: Array("auth requisite pam_uaf.so\n@include common-auth\n".utf8))
    let edited = String(decoding: whole, as: UTF8.self).replacing("requisite", with: "sufficient")
    machine.service("common-auth", "auth required pam_unix.so")
    machine.service("uaf-sudo", edited)
    #expect(report("@include uaf-sudo").hasPrefix("FAIL pam: /uaf-sudo: was edited: "))
    machine.service("uaf-sudo", String(decoding: whole, as: UTF8.self))
    #expect(report("@include uaf-sudo").hasPrefix("warn pam: /sudo: nobody gets in if pam_uaf refuses"))
  }

  @Test(arguments: [
    "# auth required pam_uaf.so\n@include common-auth\naccount [ignore=ignore default=die] pam_uaf.so\n",
    "@include common-auth\n", "account required pam_uaf.so account_check\n", "",
  ])
  func `fails if an installed stack was edited so that nobody is asked for the passcode`(stack: String) {
    machine.service("common-auth", "auth required pam_unix.so")
    machine.service("sudo", "@include uaf-sudo\naccount required pam_unix.so")
    machine.service("uaf-sudo", stack)
    let told = "pam: \(machine.pam)/uaf-sudo: was edited: sudo no longer asks for the passcode"
    #expect(check().findings().contains { $0.level == .failure && $0.text.hasPrefix(told) })
    machine.service("uaf-sudo", stack + "auth required pam_uaf.so\n")
    #expect(!check().findings().contains { $0.text.hasPrefix(told) })
  }

  @Test(arguments: ["instead", "fallback"], ["sudo", "su", "login", "sshd", "polkit-1", "display-manager", "locker"])
  func `doctor finds each shipped stack correct in the service that includes it`(shape: String, service: String) throws
  {
    let stacks = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "pam.d").appending(path: shape)
    machine.service(
      "common-auth",
      "auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so")
    machine.service("common-account", "account required pam_unix.so")
    machine.service("common-password", "password required pam_unix.so")
    machine.service("uaf-" + service, try String(contentsOf: stacks.appending(path: service), encoding: .utf8))
    let report = report("@include uaf-\(service)\n@include common-account")
    #expect(report == "ok   pam: /sudo: a line leads some people past pam_uaf to another way in")
  }

  @Test(arguments: [
    "auth optional pam_unix.so\nauth required pam_uaf.so",
    "auth [success=ok default=ignore] pam_sss.so\nauth [success=ok default=die] pam_uaf.so",
    "auth optional pam_unix.so\nauth [success=1 default=ignore] pam_succeed_if.so user ingroup uaf-rescue\n"
      + "auth required pam_uaf.so\nauth required pam_permit.so",
  ])
  func `doctor fails if a wrong password gets past the line before pam_uaf`(stack: String) {
    #expect(
      report(stack).hasPrefix(
        "FAIL pam: /sudo:1: a wrong password gets past this line, and can let somebody in : have it refuse"))
  }

  @Test(arguments: [
    "auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_succeed_if.so quiet uid >= 1000\n"
      + "auth requisite pam_deny.so\nauth required pam_uaf.so",
    "auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_localuser.so\n"
      + "auth requisite pam_deny.so\nauth required pam_uaf.so",
    "auth [success=2 default=ignore] pam_unix.so\nauth [default=1] pam_faildelay.so delay=3\n"
      + "auth requisite pam_deny.so\nauth required pam_uaf.so",
  ])
  func `doctor's hint for a line that asks for no password is to jump to the next line, not to refuse`(stack: String) {
    let told = report(stack)
    #expect(told.hasPrefix("FAIL pam: /sudo:2: a wrong password gets past this line"), "\(told)")
    #expect(told.contains(" : have it lead to the next line") && !told.contains("have it refuse"), "\(told)")
  }

  @Test(arguments: [TrialProblem.noCore(4), .configuration])
  func `no hint of doctor says to run doctor`(problem: TrialProblem) {
    for text in [RescueText.untried(problem).english, RescueText.untried(problem).korean] {
      #expect(!(text.what + (text.remedy ?? "")).contains("doctor") && text.remedy != nil, "\(text)")
    }
  }

  @Test(arguments: [
    // The jump ends at the module, after the last line, or at a line that refuses everybody.
    "auth [success=1 default=ignore] pam_succeed_if.so\nauth optional pam_env.so\nauth required pam_uaf.so\n"
      + "auth required pam_unix.so",
    "auth [success=9 default=ignore] pam_succeed_if.so\nauth required pam_uaf.so\nauth required pam_unix.so",
    "auth [success=1 default=ignore] pam_succeed_if.so\nauth required pam_uaf.so\nauth required pam_deny.so",
    "auth [success=2 default=ignore] pam_unix.so\nauth required pam_uaf.so",
    "auth required pam_uaf.so", "auth required pam_unix.so\nauth required pam_uaf.so",
    "auth requisite pam_uaf.so\nauth required pam_unix.so",
    "auth [success=done authinfo_unavail=ignore default=die] pam_uaf.so\nauth required pam_unix.so",
    "auth required pam_env.so\nauth sufficient pam_uaf.so\nauth required pam_deny.so",
    "auth required pam_uaf.so\n# auth sufficient pam_unix.so", "auth sufficient pam_uaf.so",
  ])
  func `doctor warns if nobody can get in without pam_uaf`(stack: String) {
    #expect(report(stack).hasPrefix("warn pam: /sudo: nobody gets in if pam_uaf refuses, administrators included : "))
  }

  @Test(arguments: [
    "auth sufficient pam_uaf.so\nauth required pam_permit.so", "auth optional pam_uaf.so\nauth required pam_env.so",
    "auth [default=ignore] pam_uaf.so\nauth optional pam_permit.so",
    "auth [success=1 default=ignore] pam_uaf.so\nauth required pam_permit.so",
    "auth required pam_unix.so\nauth sufficient pam_uaf.so",
    "auth required pam_unix.so\nauth [success=ok default=ignore] pam_uaf.so",
    "auth required pam_unix.so\nauth required pam_uaf.so\nauth [default=reset] pam_env.so\nauth required pam_permit.so",
    "auth sufficient pam_uaf.so\nauth required pam_google_authenticator.so nullok\nauth required pam_permit.so",
    "auth required pam_u2f.so nouserok\nauth sufficient pam_uaf.so\nauth required pam_permit.so",
  ])
  func `doctor fails if pam_uaf's refusal does not make the stack refuse`(stack: String) {
    #expect(report(stack).hasPrefix("FAIL pam: /sudo: a refusal of pam_uaf does not make the stack refuse : "))
  }

  @Test func `doctor follows includes, and stops at a circular one`() {
    machine.service("inner", "auth required pam_unix.so")
    machine.service("outer", "auth include inner")
    #expect(report("auth sufficient pam_uaf.so\nauth substack outer").hasPrefix("ok   "))
    machine.service("loop", "@include loop\nauth sufficient pam_uaf.so\nauth required pam_unix.so")
    #expect(!report("auth sufficient pam_uaf.so\n@include loop").isEmpty)
  }

  @Test func `doctor checks the module files that the lines name`() {
    machine.service("sudo", "auth required /nonexistent/pam_uaf.so")
    machine.service("login", "auth required pam_uaf.so")
    let findings = check().findings()
    #expect(findings.contains(.ok(PAMText.module(path: "\(machine.folder.path)/libexec/pam_uaf.so"))))
    #expect(findings.contains(.failure(.pamModule, PAMText.noModule("/nonexistent/pam_uaf.so"))))
  }

  @Test func `doctor says if no service uses pam_uaf, and ignores other files`() {
    machine.service("sudo.dpkg-old", "auth required pam_uaf.so")
    machine.service("sudo~", "auth required pam_uaf.so")
    machine.service("other", "auth required pam_unix.so")
    let findings = check(modules: []).findings()
    #expect(findings == [.warning(.pamUnused, PAMText.unused(folder: machine.pam))])
  }

  @Test func `doctor has no finding about ways in for a stack that uses pam_uaf only to change passwords`() {
    machine.service("passwd", "password optional pam_uaf.so")
    let findings = check().findings()
    #expect(findings == [.ok(PAMText.module(path: "\(machine.folder.path)/libexec/pam_uaf.so"))])
  }

  @Test(arguments: [
    "", " \t", "# auth required pam_uaf.so", " \\\n# x", "\0auth required pam_uaf.so",
  ])
  func `doctor ignores an empty line of a PAM file`(line: String) {
    #expect(PAMFile.firstLine(of: line) == nil || PAMFile.firstLine(of: line) == .unreadable)
  }

  @Test(arguments: ["auth", "auth required", "auth [success=1 pam_uaf.so", "@include", "- auth required pam_uaf.so"])
  func `doctor treats a line that libpam cannot read as one that refuses everybody`(line: String) {
    #expect(PAMFile.firstLine(of: line)?.isWellFormed == false)
  }

  // MARK: What is easily overlooked

  private static let good = WholeMachine.stack
  private static let console = "auth required pam_unix.so\naccount required pam_unix.so"

  @Test func `doctor reports nothing about a correct stack`() {
    #expect(found(["sudo": Self.good]) == [])
  }

  @Test func `doctor reports nouserok in each place where it is used`() {
    let stack = Self.good.replacing("default=die] pam_uaf.so", with: "default=die] pam_uaf.so debug nouserok")
    #expect(found(["sudo": "@include common-uaf", "common-uaf": stack]) == [.pamNouserok])
    #expect(found(["common-uaf": stack.replacing("nouserok", with: "# nouserok")]) == [])
  }

  @Test(arguments: [
    ("user_unknown=1", true), ("user_unknown=ignore", true), ("user_unknown=die", false), ("ignore=1", false),
  ])
  func `doctor reports a control that lets people past who never registered`(word: String, isReported: Bool) {
    let stack = Self.good.replacing("default=die] pam_uaf.so", with: "\(word) default=die] pam_uaf.so")
    #expect(stack != Self.good)
    #expect(found(["sudo": stack]).contains(.pamNouserok) == isReported)
  }

  @Test(arguments: ["nouserokay", "timeout=601", "conf=relative", "tries=3 tries=4", "try_first_pass use_first_pass"])
  func `doctor fails for a wrong module argument with file and line, once for all services that include it`(
    argument: String
  ) throws {
    let stack = Self.good.replacing("default=die] pam_uaf.so", with: "default=die] pam_uaf.so \(argument)")
    machine.service("common-uaf", stack)
    machine.service("sudo", "@include common-uaf")
    machine.service("login", "@include common-uaf")
    let named = check().findings().filter { $0.id == .pamArgument }
    #expect(named.count == 1 && named.first?.level == .failure)
    let text = try #require(named.first).text
    #expect(text.contains("/common-uaf:") && text.contains("module argument") && text.contains("refuses everybody"))
  }

  @Test func `doctor fails for a module argument that an account line does not accept`() {
    let stack = Self.good.replacing("default=die] pam_uaf.so", with: "default=die] pam_uaf.so quiet")
    machine.service("sudo", stack + "\naccount required pam_uaf.so account_chek\n")
    let named = check().findings().filter { $0.id == .pamArgument }
    #expect(named.count == 1 && named.first?.text.contains("account_chek") == true)
    #expect(named.first?.text.contains("ignores it") == true)
    #expect(found(["sudo": stack]) == [])
  }

  @Test func `doctor fails if a module argument contradicts the configuration of its service`() {
    machine.service("sudo", Self.good)
    machine.service("login", Self.good)
    var check = check()
    check.contradiction = { _, service in
      service == "login" ? .argument("authenticator", problem: .notEnabled("pattern")) : nil
    }
    let named = check.findings().filter { $0.id == .pamArgument }
    #expect(!named.isEmpty && named.allSatisfy { $0.text.contains("/login:") && $0.text.contains("pattern") })
    #expect(named.allSatisfy { $0.text(in: .korean).what.contains("pattern은(는) 설정의 authenticators에 없습니다") })
  }

  @Test func `doctor reports that nouserok has no effect if the configuration hides registrations`() {
    let stack = Self.good.replacing("default=die] pam_uaf.so", with: "default=die] pam_uaf.so nouserok")
    machine.service("sudo", stack)
    machine.service("login", stack)
    var check = check()
    check.hidesState = { $0 == "login" }
    let named = check.findings().filter { $0.id == .pamNouserokHidden || $0.id == .pamNouserok }
    #expect(named.map(\.id) == [.pamNouserokHidden, .pamNouserok])
    #expect(named.first?.text.contains("/login: nouserok has no effect") == true)
  }

  @Test(arguments: [
    "pam_uafs.so", "pam_auf.so", "pam-uaf.so", "PAM_UAF.so", "pam_uaf", "libpam_uaf.so", "/lib/security/pam_ufa.so",
  ])
  func `doctor fails if a line names a missing module that looks like a misspelt pam_uaf.so`(module: String) {
    #expect(found(["sudo": Self.good, "su": "auth required \(module)"]) == [.pamMisspelt])
    #expect(found(["common-auth": "auth required \(module)"]).contains(.pamMisspelt))
  }

  @Test(arguments: ["pam_unix.so", "pam_sss.so", "pam_deny.so", "/lib/security/pam_faillock.so"])
  func `doctor does not take another module for a misspelt pam_uaf.so`(module: String) {
    #expect(found(["sudo": Self.good, "su": "auth required \(module)"]) == [])
  }

  @Test func `doctor never takes a module that exists for a misspelt pam_uaf.so`() {
    _ = machine.folder.module("libexec/pam_u2f.so")
    #expect(found(["sudo": Self.good, "su": "auth required pam_u2f.so"]) == [])
    machine.folder.delete("libexec/pam_u2f.so")
    #expect(found(["sudo": Self.good, "su": "auth required pam_u2f.so"]) == [.pamMisspelt])
  }

  @Test func `doctor reports a missing password line, but not a missing account line`() {
    let stack = Self.good.replacing("password required pam_uaf.so", with: "")
    #expect(found(["sudo": stack]) == [.pamNoPasswordLine])
    #expect(found(["sudo": stack.replacing("account required pam_uaf.so", with: "")]) == [])
  }

  @Test(arguments: [
    "auth optional pam_uaf.so\nauth required pam_unix.so",
    "auth [default=ignore] pam_uaf.so\nauth required pam_unix.so",
    "auth [success=ignore auth_err=ignore default=ignore] pam_uaf.so\n@include rest",
  ])
  func `doctor reports a stack in which pam_uaf's result has no effect`(stack: String) {
    #expect(found(["sudo": stack, "rest": "auth required pam_unix.so"]) == [.pamNoEffect])
  }

  @Test(arguments: [
    "auth sufficient pam_uaf.so\nauth required pam_unix.so",
    "auth [success=1 default=ignore] pam_uaf.so\nauth requisite pam_unix.so\nauth required pam_permit.so",
    "auth [success=ok default=ignore] pam_uaf.so\nauth required pam_unix.so",
  ])
  func `doctor does not report a stack in which pam_uaf's success has an effect`(stack: String) {
    #expect(found(["sudo": stack]) == [])
  }

  @Test func `doctor fails if a service includes a stack that does not exist`() {
    // A person who is led past it at the console does not become root either.
    #expect(found(["sudo": "@include uaf-sudo", "login": Self.good]) == [.pamInclude, .rescuePassword])
    #expect(found(["uaf-sudo": Self.good]) == [])
  }

  @Test(arguments: ["@include gone", "auth substack gone", "session include gone"])
  func `doctor fails if a line includes a file that libpam cannot read, and names the line`(line: String) {
    machine.service("sudo", Self.good + "\n\(line)")
    let row = Self.good.split(separator: "\n", omittingEmptySubsequences: false).count + 1
    #expect(check().findings().contains(.failure(.pamInclude, PAMNameText.unread(place: "\(machine.pam)/sudo:\(row)"))))
  }

  @Test func `doctor warns if libpam 1.5 reads a file differently from later versions, and names the line`() {
    let stack = Self.good + "\naccount required \\\n# x\n pam_unix.so\n"
    #expect(found(["sudo": stack]) == [.pamTwoReadings, .pamNoWayIn])
    machine.service("login", "#" + String(repeating: "x", count: 1100) + "\n" + Self.good)
    #expect(
      check().findings().contains(
        .warning(.pamTwoReadings, PAMLineText.twoReadings(file: "\(machine.pam)/login", line: 1))))
    #expect(found(["sudo": Self.good, "su": "#" + String(repeating: "x", count: 1000) + "\n" + Self.good]) == [])
  }

  @Test func `doctor fails if a line of a PAM file ends with a carriage return, and names the line`() {
    let stack = Self.good.replacing("\n", with: "\r\n")
    machine.service("sudo", "# comment\r\n\r\n" + stack + "\r\n")
    #expect(
      check().findings().contains(
        .failure(.pamCarriageReturn, PAMLineText.carriageReturn(file: "\(machine.pam)/sudo", line: 3))))
    #expect(!found(["sudo": "# comment\r\n \r\n" + Self.good]).contains(.pamCarriageReturn))
  }

  @Test func `doctor fails if others can change a PAM module`() {
    machine.folder.setMode(0o666, of: "libexec/pam_uaf.so")
    #expect(found(["sudo": Self.good]) == [.pamModule])
    machine.folder.delete("libexec/pam_uaf.so")
    machine.folder.link("libexec/pam_uaf.so", to: "/etc/passwd")
    #expect(found(["sudo": Self.good]) == [.pamModule])
  }

  @Test func `doctor reports a profile of pam-auth-update with pam_uaf`() {
    let text =
      "auth [success=2 default=ignore] pam_uaf.so\nauth [success=1 default=ignore] pam_unix.so\n"
      + "auth requisite pam_deny.so\nauth required pam_permit.so\n"
    #expect(found(["common-auth": text, "sudo": "@include common-auth"]) == [.pamProfile])
  }

  @Test func `doctor fails if the group that skips the passcode exists only in a directory`() {
    machine.passwords.directoryGroups = ["uaf-rescue"]
    #expect(found(["sudo": Self.good]) == [.rescueGroup])
    let finding = check().findings().first { $0.id == .rescueGroup }
    #expect(finding?.level == .failure && finding?.text.hasPrefix("pam: the group uaf-rescue") == true)
    machine.passwords.directoryGroups = []
    #expect(found(["sudo": Self.good]) == [])
  }

  @Test func `doctor reports a second way in that nobody can use`() {
    machine.passwords.groups = [:]
    #expect(found(["sudo": Self.good]) == [.rescueGroup])
    machine.passwords.groups = ["uaf-rescue": []]
    #expect(found(["sudo": Self.good]) == [.rescueGroup])
    machine.passwords.groups = ["uaf-rescue": ["alice", "bob"], "sudo": ["alice", "bob"]]
    #expect(found(["sudo": Self.good]) == [.rescuePassword])
    #expect(found(["sudo": Self.good], isRoot: false) == [])
    #expect(check(isRoot: false).findings().contains { $0.level == .skipped })
    machine.passwords.states["bob"] = .usable
    #expect(found(["sudo": Self.good]) == [])
  }

  @Test func `doctor reports a member of the rescue group for whom pam_faillock has counted wrong passwords`() {
    machine.passwords.wrong = ["bob": 3]
    #expect(found(["sudo": Self.good]) == [])
    machine.passwords.wrong = ["alice": 1]
    #expect(found(["sudo": Self.good]) == [.rescuePassword])
    #expect(
      check().findings().contains {
        $0.text.contains("pam_faillock has counted wrong passwords of alice of uaf-rescue")
      })
  }

  @Test(arguments: ["/usr/sbin/nologin", "/bin/false", "/nonexistent/zsh"])
  func `doctor reports a member of the rescue group whose shell gives no session`(shell: String) {
    machine.passwords.shells["alice"] = shell
    #expect(found(["sudo": Self.good]) == [.rescuePassword])
    #expect(check().findings().contains { $0.text.contains("alice of uaf-rescue has \(shell) for a shell") })
  }

  /// Reports that a member of the rescue group does not become root by the password, if something is wrong with the member.
  private func told(_ breaking: (PAMCheckTests) -> Void) -> String? {
    for (name, text) in ["sudo": Self.good, "login": Self.console] { machine.service(name, text) }
    breaking(self)
    let findings = check().findings()
    return findings.first { $0.id == .rescuePassword }?.line(in: .english, colours: false)
      .replacing(machine.pam + "/", with: "")
  }

  @Test func `doctor judges a member of the rescue group as pam enable does`() {
    #expect(told { _ in } == nil)
    let kept: [(String, (PAMCheckTests) -> Void)] = [
      (
        "alice of uaf-rescue is refused by the account lines of login (6)",
        { $0.tester.accountCodesOfPeople = ["alice": 6] }
      ),
      ("alice of uaf-rescue is in none of the groups sudo, wheel, admin", { $0.machine.passwords.groups["sudo"] = [] }),
      (
        "alice of uaf-rescue cannot log in by a password: the console (login) is not there, or leads nobody past pam_uaf",
        { $0.machine.service("login", "auth required pam_deny.so") }
      ),
      (
        "alice of uaf-rescue is refused by login:1",
        {
          $0.machine.service("login", "session required pam_limits.so\n" + Self.console)
          _ = $0.machine.folder.module("libexec/pam_limits.so")
          $0.machine.passwords.limitLines = ["alice hard maxlogins 0"]
        }
      ),
      (
        "alice of uaf-rescue is refused by login:3",
        {
          $0.machine.service("login", Self.console + "\npassword required pam_deny.so")
          $0.tester.accountCodesOfPeople = ["alice": 12]
        }
      ),
      (
        "alice of uaf-rescue may be refused by sudo:1",
        {
          $0.machine.service("sudo", "auth required pam_corp.so\n" + Self.good)
          _ = $0.machine.folder.module("libexec/pam_corp.so")
        }
      ),
      (
        "alice of uaf-rescue is kept out by /etc/nologin, which login:1 looks at : rm /etc/nologin: as long as it is there",
        {
          $0.machine.service("login", "auth requisite pam_nologin.so\n" + Self.console)
          _ = $0.machine.folder.module("libexec/pam_nologin.so")
          $0.machine.passwords.files = ["/etc/nologin"]
        }
      ),
      (
        "alice of uaf-rescue is refused by login: neither it nor 'other' has session lines : write '@include common-session'",
        { $0.machine.folder.delete("vendor/other") }
      ),
      (
        "alice of uaf-rescue cannot log in by a password: /bin/login may not be executed : chmod 755 /bin/login",
        { $0.machine.passwords.flaws = ["login": .closed(path: "/bin/login")] }
      ),
      (
        "alice of uaf-rescue has /home/alice for a home",
        { $0.machine.passwords.closedHomes = ["alice": "/home/alice"] }
      ),
      (
        "alice of uaf-rescue has an account that has expired : chage -E -1 alice, or",
        {
          $0.machine.passwords.states["alice"] = .accountExpired
        }
      ),
      (
        "alice of uaf-rescue has a password that is expired : passwd alice, or",
        {
          $0.machine.passwords.states["alice"] = .expired
        }
      ),
    ]
    for (text, breaking) in kept {
      let other = PAMCheckTests()
      let said = other.told(breaking)
      #expect(said?.hasPrefix("warn pam: " + text) == true, "\(text): \(said ?? "nothing")")
    }
  }

  @Test
  func `doctor names a member of uaf-rescue who cannot become root: no rule allows it, or sudo is not set-user-ID`() {
    for (name, text) in ["sudo": Self.good, "login": Self.console] { machine.service(name, text) }
    var sudoers = SudoersText()
    sudoers.add(Array("bob ALL=(ALL) ALL\n".utf8)) { _, _ in }
    let settings = SudoSettings(sudoers, hosts: ["here"])
    var flawed = settings
    flawed.flaw = .noSetUserID(path: "/usr/bin/sudo")
    for (sudo, text) in [
      (settings, "alice of uaf-rescue cannot become root: no rule of sudoers"),
      (flawed, "alice of uaf-rescue cannot become root: /usr/bin/sudo is not set-user-ID"),
    ] {
      var check = check()
      check.sudo = sudo
      #expect(check.findings().contains { $0.id == .rescuePassword && $0.text.hasPrefix("pam: " + text) })
    }
  }

  @Test func `doctor's check of the rescue group clears no count of wrong passwords, and leaves no folder behind`() {
    let before = machine.folder.names(".").sorted()
    let faillock = "account required pam_faillock.so\n"
    machine.service("sudo", Self.good)
    machine.service("login", faillock + Self.console)
    tester.accountCodes = [("pam_faillock.so", 7)]
    #expect(!check().findings().contains { $0.id == .rescuePassword })
    #expect(tester.accounts == ["alice", "alice"] && machine.folder.names(".").sorted() == before)
  }

  @Test func `doctor checks nothing about the rescue group if no stack uses it`() {
    machine.passwords.groups = [:]
    #expect(found(["sudo": "auth sufficient pam_uaf.so\nauth required pam_unix.so"]) == [])
  }
}
