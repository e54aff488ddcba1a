import Testing

@testable import UAFTool

@Suite struct StackPlaceTests {
  private let stacks = Stacks()
  private static let account = "account [success=ok ignore=ignore default=die] pam_uaf.so\n"
  private static let password = "password [success=done ignore=ignore default=die] pam_uaf.so\n"

  init() {
    stacks.write("common-account", "account [success=1 default=ignore] pam_unix.so\naccount requisite pam_deny.so\n")
    stacks.write("common-password", "password required pam_unix.so\n")
    _ = stacks.folder.file("vendor/of-the-vendor", Array("account required pam_unix.so\n".utf8), mode: 0o644)
  }

  /// Enables sudo with this file and a stack that ends with these lines; returns the refusal.
  private func refusal(_ text: String, bringing lines: String) -> String? {
    stacks.write("sudo", text)
    stacks.template("fallback/sudo", Stacks.stack + lines)
    let bench = stacks.run("enable", "sudo")
    #expect(bench.exit == (bench.notes.isEmpty ? .success : .refused))
    #expect(bench.notes.isEmpty || stacks.read("sudo") == text)
    #expect(bench.notes.isEmpty || !stacks.names.contains("uaf-sudo"))
    return bench.notes.isEmpty ? nil : stacks.text(bench)
  }

  // MARK: The only account lines

  @Test func `refuses a service without account lines if those of the stack would be its only ones`() {
    #expect(
      refusal("@include common-auth\nsession required pam_limits.so\n", bringing: Self.account)?.hasPrefix(
        """
        uafctl: sudo has no account lines of its own, and pam_uaf's would be the only ones
        hint: write '@include common-account', or whatever 'other' has for account, into 
        """) == true)
    #expect(refusal("@include common-auth\n", bringing: Self.account + Self.account)?.contains("no account") == true)
    #expect(refusal("@include common-auth\n", bringing: Self.password)?.contains("no password lines") == true)
  }

  @Test(arguments: [
    "@include common-auth\n@include common-account\n", "@include common-account\n@include common-auth\n",
    "@include common-auth\naccount include common-account\n", "@include common-auth\naccount required pam_unix.so\n",
    "@include common-auth\n-account required pam_unix.so\n",
  ])
  func `account lines of the service itself are enough, wherever they are and whatever file they come from`(
    text: String
  ) {
    #expect(refusal(text, bringing: Self.account) == nil)
  }

  @Test func `refuses a service that includes a file which only a vendor's folder has, where libpam does not look`() {
    let told = refusal("@include common-auth\n@include of-the-vendor\n", bringing: Self.account)
    #expect(told?.contains("sudo:2 includes of-the-vendor, which libpam cannot read") == true)
  }

  @Test func `lines of other stages do not count as account lines`() {
    #expect(refusal("@include common-auth\n@include common-password\n", bringing: Self.account) != nil)
    #expect(refusal("@include common-auth\npassword include common-account\n", bringing: Self.account) != nil)
    #expect(refusal("@include common-auth\n# @include common-account\n", bringing: Self.account) != nil)
  }

  @Test func `accepts a service without account lines if the stack adds none, or adds the shared ones`() {
    #expect(refusal("@include common-auth\n", bringing: "") == nil)
    _ = stacks.run("disable", "sudo")
    #expect(refusal("@include common-auth\n", bringing: Self.password + "@include common-password\n") == nil)
  }

  @Test func `refuses a change of shape too, if the service has lost its own account lines since`() {
    #expect(refusal("@include common-auth\n@include common-account\n", bringing: Self.account) == nil)
    stacks.write("sudo", "@include uaf-sudo\n")
    stacks.template("instead/sudo", Stacks.stack + Self.account)
    #expect(stacks.run("enable", "sudo", "--shape", "instead").notes.contains("pam_uaf's would be the only ones"))
  }

  // MARK: Jumps

  @Test(arguments: ["auth", "account", "password"])
  func `refuses a jump over the line that is replaced, in each stage for which the stack has lines`(group: String) {
    let jump = "\(group) [success=1 default=ignore] pam_succeed_if.so user notingroup contractors\n"
    let text = "# first\n\(jump)@include common-auth\n\(group) requisite pam_deny.so\n@include common-account\n"
    #expect(
      refusal(text, bringing: Self.account + Self.password + "@include common-password\n")?.hasPrefix(
        "uafctl: sudo:2: this line jumps past the place of the stack\n") == true)
  }

  @Test(arguments: [
    ("auth [success=1 default=ignore] pam_access.so\nauth required pam_google_authenticator.so nullok\n", false),
    (
      "auth [success=1 default=ignore] pam_localuser.so\nauth required pam_env.so\nauth required pam_faildelay.so\n",
      false
    ),
    ("auth [success=2 default=ignore] pam_access.so\nauth required pam_google_authenticator.so nullok\n", true),
    ("auth required pam_env.so\nauth [success=1 default=ignore] pam_access.so\n", true),
  ])
  func `a jump that ends before the stack, or at its first line, is accepted, and one that ends behind that is refused`(
    before: String, isRefused: Bool
  ) {
    let text = before + "@include common-auth\n"
    #expect((refusal(text, bringing: "")?.contains("this line jumps past") == true) == isRefused, "\(before)")
  }

  @Test func `accepts a jump in a stage for which the stack has no lines, or after the line that is replaced`() {
    let jump = "account [success=1 default=ignore] pam_succeed_if.so user notingroup contractors\n"
    #expect(refusal("\(jump)@include common-auth\n@include common-account\n", bringing: "") == nil)
    _ = stacks.run("disable", "sudo")
    #expect(refusal("@include common-auth\n\(jump)@include common-account\n", bringing: Self.account) == nil)
  }

  @Test(arguments: [
    ("account [success=1 default=ignore] pam_x.so\n", true), ("@include deeper\n", true),
    ("account required pam_y.so\naccount [default=1] pam_x.so\n", true),
    ("account [success=1 default=ignore] pam_x.so\naccount substack common-account\n", false),
    ("account [success=2 default=ignore] pam_x.so\naccount substack common-account\n", true),
    ("account [success=9223372036854775807 default=ignore] pam_x.so\n", true),
    ("auth [success=ok default=ignore] pam_x.so\naccount required pam_x.so\n", false),
    ("password [success=1 default=ignore] pam_x.so\n", false),
  ])
  func `refuses a jump out of an included file over the line that is replaced`(included: String, isRefused: Bool) {
    stacks.write("first", included)
    stacks.write("deeper", "account [success=1 default=ignore] pam_x.so\n")
    let text = "@include first\n@include common-auth\n@include common-account\n"
    #expect((refusal(text, bringing: Self.account) != nil) == isRefused)
  }

  @Test(arguments: [
    "account \\\n [success=1 default=ignore] pam_x.so\n", "account [success=1 \\\ndefault=ignore] pam_x.so\n",
    "account \\\ninclude \\\n deeper\n", "# comment \\\naccount [success=1 default=ignore] pam_x.so\n",
  ])
  func `finds a jump in a line that continues over several rows`(lines: String) {
    stacks.write("deeper", "account [success=1 default=ignore] pam_x.so\n")
    let text = lines + "@include common-auth\n@include common-account\n"
    #expect(refusal(text, bringing: Self.account)?.contains("this line jumps past the place of the stack") == true)
  }
}
