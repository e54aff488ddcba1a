import Testing

@testable import PAMStacks

/// Lines of pam_env.conf, each tried with pam_env of Linux-PAM 1.5 in a session.
@Suite struct EnvironmentTextTests {
  @Test(arguments: [
    ("A DEFAULT=${HOME\n", 1), ("# x\nA DEFAULT=x OVERRIDE=@{PAM_USER\n", 2), ("A DEFAULT=${\n", 1), ("# \0\n", 1),
    ("A OVERRIDE=${HOME}${X\n", 1), ("A DEFAULT=x\\", 1), ("\n#" + String(repeating: "x", count: 9000) + "\n", 2),
    ("A DEFAULT=\\\\${FOO\n", nil), ("A \\\n DEFAULT=${X\n", 1),
  ])
  func `a line that makes pam_env abort is found`(text: String, line: Int?) {
    #expect(EnvironmentText.unread(text) == line)
  }

  @Test(arguments: [
    "", "# a\n", "A\n", "A=x\n", "A FOO=${BAR\n", "A DEFAULT=\"x y\n", "A DEFAULT=${HOME}/x\n", "A DEFAULT=\\${HOME\n",
    "A DEFAULT=@{NOSUCH}\n", "A DEFAULT=$\n", "A DEFAULT=x # ${\n", "A DEFAULT=a@b\n", "A DEFAULT=\u{1}\n", "\\\n",
    "#\\\n",
    "A DEFAULT=" + String(repeating: "x", count: 8000) + "\n",
  ])
  func `a line that pam_env skips or understands is not`(text: String) {
    #expect(EnvironmentText.unread(text) == nil)
  }
}
