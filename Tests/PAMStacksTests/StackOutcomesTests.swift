import Foundation
import ProgramTesting
import Testing

@testable import PAMStacks

/// libpam and its rules as we compute them, with stacks of pam_debug, which answers what it is told.
@Suite struct StackOutcomesTests {
  private let stacks = TriedServices()

  /// What pam_debug can be told; `incomplete` and `conv_again` are not ends.
  private static let results = PAMControl.names.filter { !["default", "incomplete", "conv_again"].contains($0) }

  /// What each module of a line answers here: what it is told, or that it does not exist.
  private static func told(_ line: PAMLine) -> [String] {
    if !line.isWellFormed { return ["perm_denied"] }
    guard line.module == "pam_debug.so" else { return ["module_unknown"] }
    return line.arguments.filter { $0.hasPrefix("auth=") }.map { String($0.dropFirst("auth=".count)) }
  }

  private func computed() -> Set<Bool> {
    let entries = PAMDirectory(path: stacks.path).entries(of: "tried", in: "auth")
    return Set(StackOutcomes(entries).endings(Self.told).map(\.isSuccess))
  }

  private func compare(_ files: [String: String]) throws {
    for (name, text) in files {
      stacks.write(name, text.replacing(" inner", with: " \(stacks.path)/inner"))
    }
    let code = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect(computed() == [code == 0], "\(code): \(files)")
  }

  private static let yes = "pam_debug.so auth=success"
  private static let no = "pam_debug.so auth=auth_err"

  @Test(arguments: [
    "auth sufficient \(yes)\nauth required \(no)", "auth sufficient \(no)\nauth required \(yes)",
    "auth required \(no)\nauth sufficient \(yes)\nauth required \(yes)", "auth optional \(yes)", "auth optional \(no)",
    "auth [success=1 default=ignore] \(yes)\nauth requisite \(no)",
    "auth [success=1 default=ignore] \(yes)\nauth requisite \(no)\nauth required \(yes)",
    "auth [success=2 default=ignore] \(yes)\nauth required \(yes)", "auth [default=reset] \(yes)\nauth required \(yes)",
    "auth [success=ok default=bad] \(no)\nauth [default=reset] \(yes)\nauth required \(yes)",
    "auth required pam_debug.so auth=ignore", "auth [default=ok] pam_debug.so auth=maxtries\nauth required \(yes)",
    "auth required \(yes)\nauth [default=ok] pam_debug.so auth=maxtries",
    "auth required pam_nowhere.so\nauth required \(yes)",
    "auth optional pam_nowhere.so\nauth required \(yes)", "-auth required pam_nowhere.so\nauth required \(yes)",
    "auth sufficient\nauth required \(yes)", "auth maybe \(yes)\nauth required \(yes)", "auth required \(yes)\nnothing",
  ])
  func `predicts the result of a stack as libpam computes it`(text: String) throws {
    try compare(["tried": text + "\n"])
  }

  @Test(arguments: ["include", "substack"], ["done", "die", "1", "2", "3", "reset", "bad", "ok"])
  func `predicts the result of an included file as libpam computes it`(control: String, action: String) throws {
    for rest in ["auth required \(Self.yes)", "auth required \(Self.no)\nauth required \(Self.yes)", ""] {
      for result in ["success", "auth_err", "ignore"] {
        try compare([
          "inner": "auth [success=\(action) default=ignore] pam_debug.so auth=\(result)\nauth required \(Self.no)\n"
            + "auth required \(Self.yes)\n",
          "tried": "auth required \(Self.yes)\nauth \(control) inner\n\(rest)\n",
        ])
      }
    }
  }

  @Test func `predicts the results of hundreds of random stacks as libpam computes them`() throws {
    let count = ProcessInfo.processInfo.environment["STACKS"].flatMap { Int($0) } ?? 400
    var chance = SplitMix(state: UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? 1)
    var successes = 0
    for _ in 0..<count {
      let files = [
        "tried": Self.file(&chance, ["inner1", "inner2", "inner3"]),
        "inner1": Self.file(&chance, ["inner2", "inner3"]),
        "inner2": Self.file(&chance, ["inner3"]), "inner3": Self.file(&chance, []),
      ]
      try compare(files)
      if computed() == [true] { successes += 1 }
    }
    // Otherwise nothing was compared.
    #expect(successes * 10 > count && successes * 10 < count * 9, "\(successes) of \(count)")
  }

  private static func file(_ chance: inout SplitMix, _ inner: [String]) -> String {
    (0..<chance.below(5) + 1).map { _ in line(&chance, inner) }.joined(separator: "\n") + "\n"
  }

  private static func line(_ chance: inout SplitMix, _ inner: [String]) -> String {
    if !inner.isEmpty, chance.below(4) == 0 {
      let name = inner[chance.below(inner.count)]
      return ["@include \(name)", "auth include \(name)", "auth substack \(name)"][chance.below(3)]
    }
    let result = chance.below(2) == 0 ? "success" : results[chance.below(results.count)]
    let module = chance.below(20) == 0 ? "pam_nowhere.so" : "pam_debug.so"
    return "\(chance.below(9) == 0 ? "-" : "")auth \(control(&chance)) \(module) auth=\(result)"
  }

  private static func control(_ chance: inout SplitMix) -> String {
    let words = ["required", "requisite", "sufficient", "optional"]
    if chance.below(2) == 0 { return words[chance.below(words.count)] }
    let actions = (0..<chance.below(3) + 1).map { _ in
      "\(chance.below(2) == 0 ? "success" : results[chance.below(results.count)])=\(action(&chance))"
    }
    return "[\((actions + (chance.below(4) == 0 ? [] : ["default=\(action(&chance))"])).joined(separator: " "))]"
  }

  private static func action(_ chance: inout SplitMix) -> String {
    ["ignore", "ok", "ok", "done", "bad", "die", "reset", "1", "2", "3"][chance.below(10)]
  }

  // MARK: What a service amounts to

  private func reading(_ text: String, common: String = "", service: String = "sshd") -> StackReading {
    stacks.write("tried", text + "\n")
    stacks.write("common-auth", common + "\n")
    return StackReading(PAMDirectory(path: stacks.path).entries(of: "tried", in: "auth"), of: service)
  }

  private func passing(_ text: String, common: String = "", service: String = "sshd") -> String? {
    reading(text, common: common, service: service).passing.map { entry in
      "\(entry.place.path.replacing(stacks.path + "/", with: "")):\(entry.place.line)"
    }
  }

  private static let ours = "auth [success=ok ignore=ignore default=die] pam_uaf.so"
  /// Debian's lines with a directory that is enough by itself.
  private static let directory = """
    # A comment.
    auth [success=2 default=ignore] pam_unix.so nullok
    auth sufficient pam_sss.so use_first_pass
    auth requisite pam_deny.so
    auth required pam_permit.so
    """

  @Test(
    arguments: [
      ("@include common-auth", "common-auth:3"), ("auth include common-auth", "common-auth:3"),
      ("auth substack common-auth", nil), ("auth sufficient pam_unix.so", "tried:1"),
      ("auth [success=done default=ignore] pam_ldap.so", "tried:1"),
      ("auth [success=1 default=ignore] pam_x.so", "tried:1"),
      ("auth required pam_env.so\nauth [default=done] pam_x.so", "tried:2"),
      ("auth [success=2 default=ignore] pam_x.so", nil),
      ("auth [success=ok default=1] pam_x.so", "tried:1"), ("auth sufficient pam_faillock.so authsucc", "tried:1"),
      ("auth sufficient pam_wheel.so trust", "tried:1"), ("auth sufficient pam_deny.so", nil),
      ("auth sufficient pam_permit.so", "tried:1"),
      // Nothing is asked for after pam_uaf.
      ("auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup uaf-rescue", "tried:1"),
      ("auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup staff", "tried:1"),
      // Whoever is not in the rescue group, or is not root.
      ("auth [default=1 success=ignore] pam_succeed_if.so quiet user ingroup uaf-rescue", "tried:1"),
      ("auth [success=ignore default=1] pam_rootok.so", "tried:1"),
      ("auth required pam_unix.so", nil), ("auth requisite pam_unix.so\nauth optional pam_cap.so", nil),
    ] as [(String, String?)])
  func `names the line that lets somebody in before pam_uaf is asked`(before: String, place: String?) {
    #expect(passing("\(before)\n\(Self.ours)\nauth required pam_permit.so", common: Self.directory) == place)
  }

  private static let rootsWays = [
    "auth sufficient pam_rootok.so", "auth [success=done default=ignore] pam_rootok.so",
    "auth [success=1 default=ignore] pam_rootok.so", "auth sufficient /lib/security/pam_rootok.so debug",
  ]

  @Test(
    arguments: ["sshd", "login", "remote", "gdm-password", "lightdm", "cron", "polkit-1", "doas", "other", "swaylock"],
    rootsWays)
  func `pam_rootok lets everybody in if the program runs as root for anybody who calls it`(
    service: String, line: String
  ) {
    let rest = "\(Self.ours)\nauth required pam_permit.so"
    #expect(passing("\(line)\n\(rest)", service: service) == "tried:1")
    #expect(passing("@include common-auth\n\(rest)", common: line, service: service) == "common-auth:1")
  }

  @Test(arguments: ["su", "su-l", "runuser", "chsh", "chfn", "passwd", "sudo", "sudo-i"], rootsWays)
  func `pam_rootok lets only root in if the program asks whoever started it`(service: String, line: String) {
    let rest = "\(Self.ours)\nauth required pam_permit.so"
    #expect(passing("\(line)\n\(rest)", service: service) == nil)
    #expect(
      reading("auth sufficient pam_uaf.so\n\(line)\nauth required pam_deny.so", service: service).refusal == .refuses)
  }

  @Test func `pam_rootok after pam_uaf does not let the rescue group in without a password`() {
    let stack = "auth [success=1 default=ignore] pam_succeed_if.so user ingroup uaf-rescue\n\(Self.ours)\n"
    let common = "auth sufficient pam_rootok.so\nauth required pam_unix.so"
    #expect(passing(stack + "@include common-auth", common: common) == "common-auth:1")
    #expect(passing(stack + "@include common-auth", common: common, service: "su") == nil)
    #expect(
      passing(stack + "@include common-auth", common: "auth required pam_rootok.so\nauth required pam_unix.so") == nil)
    #expect(reading("auth sufficient pam_uaf.so\nauth required pam_rootok.so").refusal == .letsIn)
  }

  private static let rescuers = "pam_succeed_if.so quiet user ingroup uaf-rescue"
  private static let debian =
    "auth [success=1 default=ignore] pam_unix.so nullok\nauth requisite pam_deny.so\nauth required pam_permit.so"
  private static let ready = "auth [success=1 default=ignore] \(rescuers)\n\(ours)\nauth substack common-auth"

  @Test(
    arguments: [
      ("", debian, nil), ("auth sufficient \(rescuers)", debian, "tried:1"),
      ("auth [success=done default=ignore] \(rescuers)", debian, "tried:1"),
      ("auth [default=ignore success=9] \(rescuers)", debian, nil),
      ("auth optional pam_env.so\nauth sufficient \(rescuers)", debian, "tried:2"),
      ("", "auth [success=done default=ignore] \(rescuers)\n\(debian)", "common-auth:1"),
      ("", "auth sufficient \(rescuers)\n\(debian)", "common-auth:1"),
      ("", "auth [success=2 default=ignore] \(rescuers)\n\(debian)", "common-auth:1"),
      ("", "auth [success=1 default=ignore] \(rescuers)\n\(debian)", nil),
      ("", "auth sufficient pam_listfile.so item=user sense=allow file=/etc/in\n\(debian)", "common-auth:1"),
      ("", "auth sufficient pam_google_authenticator.so nullok\n\(debian)", "common-auth:1"),
      ("", "auth sufficient pam_google_authenticator.so\n\(debian)", nil),
      ("", "auth sufficient pam_google_authenticator.so grace_period=3600\n\(debian)", "common-auth:1"),
      ("", "auth sufficient pam_google_authenticator.so grace_period=0\n\(debian)", nil),
      ("", "auth sufficient pam_duo.so\n\(debian)", "common-auth:1"),
      ("", "\(debian)\nauth required pam_duo.so", nil),
      (
        "",
        "auth required pam_env.so\nauth sufficient pam_fprintd.so\nauth sufficient pam_unix.so\nauth required pam_deny.so",
        nil
      ),
      (
        "",
        "auth required pam_faillock.so preauth\n-auth [success=2 default=ignore] pam_systemd_home.so\n"
          + "auth [success=1 default=bad] pam_unix.so try_first_pass nullok\nauth [default=die] pam_faillock.so authfail\n"
          + "auth optional pam_permit.so\nauth required pam_env.so\nauth required pam_faillock.so authsucc", nil
      ),
    ] as [(String, String, String?)], ["sshd", "sudo", "login"])
  func `the rescue group is led past pam_uaf only to a password`(
    _ stack: (before: String, common: String, place: String?), service: String
  ) {
    #expect(passing("\(stack.before)\n\(Self.ready)", common: stack.common, service: service) == stack.place)
    let second = "\(stack.before)\n@include common-auth\nauth [success=1 default=ignore] \(Self.rescuers)\n\(Self.ours)"
    if stack.place != nil {
      #expect(passing(second, common: stack.common, service: service) == stack.place)
    }
  }

  @Test(arguments: ["sshd", "login", "gdm-password", "polkit-1"])
  func `a line for the rescue group that tests the program's user leads everybody past pam_uaf if root runs it`(
    service: String
  ) {
    let caller = "auth [success=1 default=ignore] pam_succeed_if.so use_uid user ingroup uaf-rescue"
    let stack = "\(caller)\n\(Self.ours)\nauth required pam_unix.so"
    #expect(passing(stack, service: service) == "tried:1")
    #expect(!reading(stack, service: service).leadsRescuersPast)
    #expect(passing(stack, service: "sudo") == nil && reading(stack, service: "sudo").leadsRescuersPast)
    #expect(passing(stack.replacing("use_uid ", with: ""), service: service) == nil)
  }

  @Test func `a jump or an end inside a substack does not skip the lines after the substack`() {
    stacks.write("inner", "auth [success=done default=ignore] pam_sss.so\nauth [success=1 default=die] pam_x.so\n")
    #expect(passing("auth substack inner\n\(Self.ours)") == nil)
    #expect(passing("auth include inner\n\(Self.ours)") == "inner:1")
    #expect(passing("auth substack outer\n\(Self.ours)") == nil)
    stacks.write("outer", "@include inner\n")
    #expect(passing("@include outer\n\(Self.ours)") == "inner:1")
    // pam_uaf in the substack, and a line before it that ends the substack.
    stacks.write("both", "auth sufficient pam_sss.so\n\(Self.ours)\n")
    #expect(passing("auth required pam_env.so\nauth substack both") == "both:1")
  }

  @Test(arguments: [
    ("auth required pam_uaf.so", StackReading.Refusal.refuses), ("auth sufficient pam_uaf.so", .refuses),
    ("auth sufficient pam_uaf.so\nauth required pam_permit.so", .letsIn),
    ("auth sufficient pam_uaf.so\nauth required pam_unix.so", .leavesToOthers),
    ("auth [success=ok maxtries=ignore default=die] pam_uaf.so\nauth required pam_unix.so", .leavesToOthers),
    ("auth [success=ok authinfo_unavail=1 default=die] pam_uaf.so\nauth required pam_unix.so", .refuses),
    // What was asked for before says nothing about the second factor.
    ("auth required pam_unix.so\nauth optional pam_uaf.so", .letsIn),
    ("auth required pam_unix.so\nauth sufficient pam_uaf.so", .letsIn),
    ("auth required pam_unix.so\nauth [success=ok default=ignore] pam_uaf.so", .letsIn),
    ("auth required pam_unix.so\nauth [success=done default=ignore] pam_uaf.so", .letsIn),
    (
      "auth required pam_unix.so\nauth required pam_uaf.so\nauth [default=reset] pam_env.so\nauth required pam_permit.so",
      .letsIn
    ),
    ("auth requisite pam_unix.so\nauth sufficient pam_uaf.so\nauth required pam_deny.so", .refuses),
    (
      "auth required pam_unix.so\nauth sufficient pam_uaf.so\nauth required pam_google_authenticator.so",
      .leavesToOthers
    ),
    // Both succeed, or say nothing, if nobody has set them up.
    (
      "auth sufficient pam_uaf.so\nauth required pam_google_authenticator.so nullok\nauth required pam_permit.so",
      .letsIn
    ),
    ("auth sufficient pam_uaf.so\nauth required pam_google_authenticator.so nullok", .letsIn),
    ("auth sufficient pam_uaf.so\nauth required pam_u2f.so cue nouserok\nauth required pam_permit.so", .letsIn),
    ("auth required pam_u2f.so nouserok\nauth sufficient pam_uaf.so\nauth required pam_permit.so", .letsIn),
    ("auth sufficient pam_uaf.so\nauth required pam_u2f.so cue", .leavesToOthers),
    // For trials, these accept everything; so does a program that looks at nothing.
    ("auth sufficient pam_uaf.so\nauth required pam_u2f.so alwaysok", .letsIn),
    ("auth sufficient pam_uaf.so\nauth required pam_oath.so usersfile=/etc/users.oath alwaysok", .letsIn),
    ("auth sufficient pam_uaf.so\nauth required pam_yubico.so id=16 alwaysok", .letsIn),
    ("auth sufficient pam_uaf.so\nauth sufficient pam_u2f.so alwaysok\nauth required pam_unix.so", .letsIn),
    (
      "auth sufficient pam_uaf.so\nauth sufficient pam_exec.so expose_authtok /bin/true\nauth required pam_unix.so",
      .letsIn
    ),
    (
      "auth sufficient pam_uaf.so\nauth required pam_google_authenticator.so nullok\nauth required pam_unix.so nullok",
      .leavesToOthers
    ),
    // It asks for nothing, and nothing is known about the other.
    ("auth sufficient pam_uaf.so\nauth sufficient pam_wheel.so trust\nauth required pam_deny.so", .letsIn),
    ("auth sufficient pam_uaf.so\nauth required pam_corp.so", .letsIn),
    (
      "auth sufficient pam_uaf.so\nauth [success=1 new_authtok_reqd=1 default=die] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so",
      .leavesToOthers
    ),
  ])
  func `says what a refusal of pam_uaf leads to`(text: String, worth: StackReading.Refusal) {
    #expect(reading(text).refusal == worth)
  }

  @Test(
    arguments: [
      ("auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so", nil),
      ("auth required pam_unix.so", nil), ("auth required pam_unix.so\nauth optional pam_cap.so", nil),
      // Three lines of a script that counts tries, inserted before the line that a jump counts.
      (
        "auth required pam_faillock.so preauth\nauth [success=1 default=ignore] pam_unix.so\n"
          + "auth [default=die] pam_faillock.so authfail\nauth sufficient pam_faillock.so authsucc\n"
          + "auth requisite pam_deny.so\nauth required pam_permit.so", nil
      ),
      (
        "auth [success=1 default=ignore] pam_unix.so\nauth [default=die] pam_faillock.so authfail\n"
          + "auth requisite pam_deny.so\nauth required pam_permit.so", 3
      ),
      ("auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so", 2),
      ("auth [success=2 default=ignore] pam_unix.so\nauth requisite pam_deny.so", 1),
      ("auth required pam_sss.so\nauth required pam_unix.so", 1),
      // For a local account the line of its directory is jumped over.
      (
        "auth [success=1 default=ignore] pam_localuser.so\nauth [success=2 default=die] pam_sss.so\n"
          + "auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so", nil
      ),
      ("auth [success=die default=ignore] pam_localuser.so\nauth required pam_unix.so", 1),
    ] as [(String, Int?)])
  func `follows the stack to its end for a person with the right password`(text: String, refused: Int?) {
    let way = reading(text).way(asRescuer: false)
    #expect(way == (refused.map { .refused(StackLinePlace(path: stacks.path + "/tried", line: $0)) } ?? .open))
  }

  @Test func `no password gets past a missing module, unless its line is optional`() {
    let text = "auth required pam_unix.so\nauth required pam_gone.so\n"
    #expect(reading(text).way(asRescuer: false) { $0.module != "pam_gone.so" } != .open)
    #expect(
      reading(text.replacing("required pam_gone", with: "optional pam_gone")).way(asRescuer: false) {
        $0.module != "pam_gone.so"
      } == .open)
  }

  @Test func `a file that is too large is read up to the limit, and then refuses`() {
    stacks.write("common-auth", "auth required pam_unix.so\n" + String(repeating: "# filler\n", count: 30_000))
    stacks.write("tried", "@include common-auth\n")
    let entries = PAMDirectory(path: stacks.path).entries(of: "tried", in: "auth")
    #expect(entries.map(\.line.moduleName) == ["pam_unix.so", ""])
    #expect(StackReading(entries, of: "sshd").way(asRescuer: false) != .open)
  }

  @Test func `a password is no way in if pam_uaf asks as well, or if nothing asks for the password`() {
    #expect(reading("auth required pam_permit.so").way(asRescuer: true) == .none)
    let stack =
      "auth [success=1 default=ignore] pam_succeed_if.so user ingroup uaf-rescue\n\(Self.ours)\nauth required pam_unix.so"
    #expect(reading(stack).way(asRescuer: true) == .open && reading(stack).way(asRescuer: false) == .none)
  }

  // MARK: A wrong password

  private static let second = "@include common-auth\nauth [success=1 default=ignore] \(rescuers)\n\(ours)"

  private func wrong(_ text: String, common: String = "", isSecondFactor: Bool = false) -> String? {
    reading(text, common: common, service: "sudo").passwordGap(isSecondFactor: isSecondFactor).map { gap in
      "\(gap.place.path.replacing(stacks.path + "/", with: "")):\(gap.place.line)"
    }
  }

  /// Lines before a second factor, and the line that a wrong password gets past.
  private static let before: [(String, String?)] = [
    ("auth optional pam_unix.so", "common-auth:1"), ("auth [success=ok default=ignore] pam_unix.so", "common-auth:1"),
    ("auth [success=ok default=reset] pam_unix.so", "common-auth:1"),
    ("auth [default=reset] pam_unix.so", "common-auth:1"),
    // Such a result has an effect, but is not a success.
    ("auth [default=ok] pam_unix.so\nauth optional pam_cap.so", nil),
    ("auth required pam_unix.so\nauth [default=reset] pam_env.so", "common-auth:2"),
    ("auth [success=1 default=ignore] pam_unix.so\nauth required pam_permit.so", "common-auth:1"),
    (
      "auth [success=2 default=ignore] pam_unix.so\nauth [default=1] pam_env.so\nauth requisite pam_deny.so\n"
        + "auth required pam_permit.so", "common-auth:2"
    ),
    (
      "auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_localuser.so\n"
        + "auth requisite pam_deny.so\nauth required pam_permit.so", "common-auth:2"
    ),
    ("# A comment.\nauth optional pam_unix.so\nauth optional pam_sss.so use_first_pass", "common-auth:3"),
    ("auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_krb5.so", "common-auth:2"),
    ("auth required pam_permit.so\nauth optional pam_unix.so", "common-auth:2"),
    ("auth substack inner", "inner:1"), ("auth substack inner\nauth required pam_permit.so", "inner:1"),
    ("auth required pam_duo.so", "tried:3"), ("auth required pam_unix.so\nauth required pam_duo.so", nil),
    ("auth optional pam_winbind.so", "common-auth:1"), ("auth optional pam_ldap.so", "common-auth:1"),
    ("auth optional pam_userdb.so db=/etc/users", "common-auth:1"), ("auth optional pam_u2f.so", "common-auth:1"),
    ("auth [success=ok authinfo_unavail=ignore default=die] pam_sss.so", "common-auth:1"),
    ("auth optional pam_exec.so expose_authtok /bin/check", "common-auth:1"),
    // The second factor is checked, and the password is not.
    ("auth optional pam_unix.so\nauth required pam_google_authenticator.so", "common-auth:1"),
    ("auth optional pam_unix.so\nauth required pam_corp.so", "common-auth:1"),
    ("auth required pam_unix.so\nauth [default=reset] pam_permit.so", "common-auth:2"),
    // Nobody, or not everybody, is asked for a password.
    ("", "tried:3"), ("# A comment.", "tried:3"), ("auth required pam_env.so", "tried:3"),
    (
      "auth [success=1 default=ignore] pam_succeed_if.so user ingroup staff\nauth required pam_unix.so", "common-auth:1"
    ),
    ("auth [success=1 default=ignore] pam_localuser.so\nauth required pam_unix.so nullok", "common-auth:1"),
    ("auth [default=1] pam_env.so\nauth required pam_unix.so", "common-auth:1"),
    (
      "auth [success=2 default=ignore] pam_succeed_if.so user notingroup x\n" + debian, "common-auth:1"
    ),
    (debian, nil), ("auth required pam_unix.so", nil),
    ("auth requisite pam_unix.so\nauth optional pam_cap.so", nil),
    (directory.replacing("sufficient", with: "required"), nil),
    ("auth optional pam_unix.so\nauth requisite pam_sss.so use_first_pass", nil),
    ("auth optional pam_corp.so\nauth required pam_unix.so", nil),
    // A finger or the password.
    ("auth [success=2 default=ignore] pam_fprintd.so\n" + debian, nil),
    ("auth substack strict", nil),
    (
      "auth required pam_faillock.so preauth\nauth [success=1 default=bad] pam_unix.so\n"
        + "auth [default=die] pam_faillock.so authfail\nauth optional pam_permit.so", nil
    ),
  ]

  @Test(arguments: before)
  func `names the line that a wrong password gets past before a second factor`(common: String, place: String?) {
    stacks.write("inner", "auth sufficient pam_unix.so\n")
    stacks.write("strict", "auth sufficient pam_unix.so\nauth sufficient pam_sss.so\nauth required pam_deny.so\n")
    #expect(wrong(Self.second, common: common, isSecondFactor: true) == place)
  }

  @Test(
    arguments: [
      ("auth optional pam_unix.so\n\(ours)", "tried:1"),
      ("auth optional pam_unix.so\nauth required pam_uaf.so", "tried:1"),
      ("auth optional pam_unix.so\n\(ours)\nauth required pam_unix.so", nil),
      // An unknown module may do anything.
      ("auth optional pam_corp.so\n\(ours)", nil), ("auth [success=ok default=ignore] pam_corp.so\n\(ours)", nil),
      // Either of them is enough, or the password comes after.
      (
        "auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_uaf.so\n"
          + "auth requisite pam_deny.so\nauth required pam_permit.so", nil
      ),
      ("auth sufficient pam_unix.so\nauth sufficient pam_uaf.so\nauth required pam_deny.so", nil),
      ("auth sufficient pam_uaf.so\nauth required pam_unix.so", nil), ("\(ours)\nauth optional pam_unix.so", nil),
      // The password if a server is away.
      (
        "auth [success=2 default=ignore] \(rescuers)\nauth [success=ok authinfo_unavail=1 default=die] pam_uaf.so\n"
          + "auth [success=1 default=die] pam_permit.so\nauth optional pam_unix.so\nauth required pam_permit.so",
        "tried:4"
      ),
      (
        "auth optional pam_unix.so\nauth [success=ok ignore=ignore default=die] pam_uaf.so nouserok\nauth required pam_permit.so",
        "tried:1"
      ),
    ] as [(String, String?)])
  func `names the line in a hand-written stack that a wrong password gets past`(text: String, place: String?) {
    #expect(wrong(text) == place)
  }

  /// Modules of Linux-PAM and of distributions that ask nobody for anything, whatever they answer.
  private static let bystanders = [
    "pam_lastlog.so inactive=35", "pam_mail.so", "pam_sepermit.so", "pam_keyinit.so", "pam_loginuid.so",
    "pam_limits.so", "pam_namespace.so", "pam_systemd.so", "pam_xauth.so", "pam_tty_audit.so", "pam_mkhomedir.so",
    "pam_timestamp.so", "pam_access.so", "pam_slurm_adopt.so", "pam_sss_gss.so",
  ]

  @Test(arguments: bystanders)
  func `a module that asks for nothing counts neither as a module for passwords nor as pam_uaf`(module: String) {
    let skip = "auth [success=2 default=ignore] pam_succeed_if.so quiet user ingroup users\n"
    let unasked = "auth [success=ok ignore=ignore default=bad] \(module)\nauth required pam_permit.so"
    for common in ["auth required \(module)\n" + skip + Self.debian, unasked] {
      #expect(wrong(Self.second, common: common, isSecondFactor: true) != nil, "\(common)")
    }
    let rescue = "auth [success=1 default=ignore] \(Self.rescuers)\n\(Self.ours)\n@include common-auth"
    #expect(passing(rescue, common: unasked, service: "sudo") != nil)
    // A hand-written stack with such a line at its end.
    let byHand = reading("\(skip)auth required pam_unix.so\n\(Self.ours)\nauth optional \(module)", service: "sudo")
    #expect(byHand.looksLikeSecondFactor)
  }

  /// pam_debug under the names of the modules of ``before``, which all refuse there; the passcode is right.
  @Test(arguments: before)
  func `libpam lets a wrong password in exactly if a line is named`(common: String, place: String?) throws {
    // What depends on who is asked, and on factors other than the right password, is not compared.
    guard
      !["localuser", "succeed_if", "google", "corp", "duo", "authinfo_unavail", "pam_exec"].contains(
        where: common.contains),
      common.contains("pam_"), common != "auth required pam_env.so"
    else { return }
    let module = try #require(Self.moduleOfDebian("pam_debug.so"), "libpam-modules is needed")
    func told(_ text: String) -> String {
      var text = text
      for name in ["unix", "sss", "krb5", "ldap", "winbind", "userdb", "u2f", "fprintd"] {
        let answer = "\(module) auth=\(name == "sss" ? "authinfo_unavail" : "auth_err") "
        text = text.replacing("pam_\(name).so", with: answer)
      }
      for name in ["env", "faillock", "cap"] {
        text = text.replacing("pam_\(name).so", with: "\(module) auth=ignore ")
      }
      return text.replacing("substack ", with: "substack \(stacks.path)/") + "\n"
    }
    stacks.write("inner", told("auth sufficient pam_unix.so"))
    stacks.write("strict", told("auth sufficient pam_unix.so\nauth sufficient pam_sss.so\nauth required pam_deny.so"))
    stacks.write("common-auth", told(common))
    stacks.write(
      "tried",
      "@include \(stacks.path)/common-auth\nauth [success=ok ignore=ignore default=die] \(module) auth=success\n")
    let code = try LibPAM(tty: nil).cancelled("tried", in: stacks.path, as: "nobody")
    #expect((code == 0) == (place != nil), "\(code)")
  }

  private static func moduleOfDebian(_ name: String) -> String? {
    ["/lib/x86_64-linux-gnu/security", "/lib/aarch64-linux-gnu/security"].map { $0 + "/" + name }
      .first { FileManager.default.fileExists(atPath: $0) }
  }

  @Test func `blames no line of a shipped stack if a file of the administrator lets everybody in`() {
    stacks.write("uaf-sudo", Self.second + "\n")
    for (common, place) in [
      ("auth required pam_permit.so", "common-auth:1"),
      ("auth required pam_permit.so\nauth optional pam_unix.so", "common-auth:2"),
    ] {
      #expect(passing("@include uaf-sudo", common: common, service: "sudo") == place)
    }
  }
}
