import Glibc
import Testing
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import UAFTool

@Suite struct PolicyCheckTests {
  private let folder = Folder()

  private static let rules = """
    [passcode]
    min_length = 8
    [passcode.rules]
    equal_character = true
    ascending_descending = "No runs, please."
    [passcode.ignore]
    "example" = "Not the company's name."
    [passcode.regex]
    '^[a-z0-9]*$' = "Small letters and digits."

    """

  private func file(_ text: String = rules, mode: mode_t = 0o600) -> String {
    folder.file("policy-\(mode)-\(text.utf8.count)", Array(text.utf8), mode: mode)
  }

  /// Checks a passcode.
  ///
  /// The files belong to whoever runs the tests; with `owner`, root's files belong to somebody else.
  private func check(
    _ value: String, _ arguments: [String], as userID: uid_t = geteuid(), owner: uid_t = geteuid(),
    locale: String? = nil, standard: String = Installation.nowherePath
  ) -> Bench {
    var installation = Installation.nowhere
    installation.owner = owner
    installation.configurationPath = standard
    return Bench(
      ["policy", "check"] + arguments, as: userID, core: FakeCore([]), input: Array(value.utf8), locale: locale,
      installation: installation)
  }

  @Test func `policy check accepts a passcode that breaks no rule, and asks no core`() {
    let bench = check("correct4horse\n", ["--conf", file()])
    #expect(bench.exit == .success)
    #expect(bench.output == "" && bench.notes == "uafctl: accepted\n")
    #expect(bench.startedOwn.isEmpty && bench.sent.isEmpty)
  }

  @Test func `policy check refuses with one line for each broken rule, which begins with the rule's key`() {
    #expect(
      check("EEEE\n", ["--conf", file()]).output == """
        min_length: Use at least 8 characters.
        equal_character: Do not use only one character.
        regex: Small letters and digits.

        """)
    #expect(check("12345678\n", ["--conf", file()]).output == "ascending_descending: No runs, please.\n")
    #expect(check("myexample77\n", ["--conf", file()]).output == "ignore: Not the company's name.\n")
    #expect(check("EEEE\n", ["--conf", file()]).exit == .refused)
  }

  /// Lets root check a passcode while the core reports this about alice.
  private func checkAsRoot(_ document: String, registered: [uid_t] = [1000]) -> Bench {
    var installation = Installation.nowhere
    installation.owner = geteuid()
    installation.registered = { _ in registered }
    var finished = Finished(pamCode: 0, result: 0)
    finished.document = document
    return Bench(
      ["policy", "check", "--conf", file()], as: 0, core: FakeCore([.finished(finished)]),
      input: Array("correct4horse\n".utf8), installation: installation)
  }

  @Test func `policy check tells root for whom changed lock settings are still waiting, and accepts the passcode`() {
    let bench = checkAsRoot(Machine.document(Machine.authenticator(state: 3006, more: #","lockOptionsWait":true"#)))
    #expect(bench.exit == .success && bench.output == "")
    #expect(bench.notes.contains("because of wrong entries: alice (3015)\nhint: "))
    // The core uses the file that is being checked.
    #expect(bench.startedOwn == [true])
  }

  @Test func `policy check does not mention lock settings that apply, and asks no core if nobody is registered`() {
    #expect(checkAsRoot(Machine.document(Machine.passcode)).notes == "uafctl: accepted\n")
    let nobody = checkAsRoot(Machine.document(Machine.passcode), registered: [])
    #expect(nobody.notes == "uafctl: accepted\n" && nobody.startedOwn.isEmpty)
  }

  @Test func `policy check uses the caller's language`() {
    let bench = check("1111\n", ["--conf", file()], locale: "ko_KR.UTF-8")
    #expect(bench.output.hasPrefix("min_length: 8") && !bench.output.contains("characters"))
  }

  @Test(arguments: ["", "a\u{1}bcdefgh", "a\0bcdefgh", String(repeating: "a", count: 2000)])
  func `policy check refuses input that could never be stored as a passcode`(value: String) {
    let bench = check(value + "\n", ["--conf", file()])
    #expect(bench.exit == .refused)
    #expect(bench.output.hasPrefix("format: ") && bench.output.split(separator: "\n").count == 1)
  }

  @Test func `policy check reads only the first line of input, and shows no part of it`() {
    let bench = check("Qqqqqqqqqqq\ncorrect4horse\n", ["--conf", file()])
    #expect(bench.exit == .refused)
    #expect(!(bench.output + bench.notes).lowercased().contains("qqq"))
  }

  @Test func `empty input for policy check is an error, not a refusal`() {
    let bench = check("", ["--conf", file()])
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: no value was given\nhint: "))
  }

  @Test func `policy check accepts no passcode as an argument`() {
    let bench = check("x\n", ["secret"])
    #expect(bench.exit == .usage && bench.output == "")
  }

  @Test func `without a file policy check uses the machine's configuration, or the defaults if there is none`() {
    #expect(check("correct4horse\n", [], standard: file()).exit == .success)
    #expect(check("EEEEEEE\n", [], standard: file()).exit == .refused)
    #expect(check("EEEEEEE\n", []).exit == .success)
    #expect(check("EEEEE\n", []).output == "min_length: Use at least 6 characters.\n")
  }

  @Test func `the file for policy check may come before the subcommands`() {
    let path = file()
    var installation = Installation.nowhere
    installation.owner = geteuid()
    for arguments in [["--conf", path, "policy", "check"], ["policy", "--conf", path, "check"]] {
      let bench = Bench(
        arguments, as: geteuid(), core: FakeCore([]), input: Array("EEEE\n".utf8), installation: installation)
      #expect(bench.output.contains("equal_character: "))
    }
  }

  @Test func `a person without root may use policy check on a file of their own`() {
    let bench = check("EEEE\n", ["--conf", file()], owner: geteuid() + 1)
    #expect(bench.exit == .refused && bench.output.contains("equal_character: "))
  }

  @Test func `policy check refuses a file that belongs neither to root nor to the caller`() {
    let bench = check("EEEE\n", ["--conf", file()], as: 4711, owner: 4712)
    #expect(bench.exit == .usage && bench.output == "")
    #expect(bench.notes.contains("the configuration cannot be used: "))
  }

  @Test func `policy check never answers a mistyped file name with advice to change a folder's owner`() {
    let bench = check("x\n", ["--conf", folder.path + "/none"], owner: geteuid() + 1)
    #expect(bench.exit == .usage)
    #expect(bench.notes.contains("there is no such file") && !bench.notes.contains("chown"))
    // A folder of a third person with a file of root in it.
    for caller in [4711, 4713] as [uid_t] {
      let bench = check("x\n", ["--conf", folder.path + "/none"], as: caller, owner: 4712)
      #expect(bench.exit == .usage && !bench.notes.contains("chown"))
    }
  }

  @Test func `policy check refuses to let root use another person's file`() {
    let bench = check("EEEE\n", ["--conf", file()], as: 4712, owner: 4712)
    #expect(bench.exit == .usage)
  }

  @Test func `policy check refuses a file that others can write, and one that is missing`() {
    #expect(check("x\n", ["--conf", file(mode: 0o666)]).exit == .usage)
    #expect(check("x\n", ["--conf", folder.path + "/none"]).exit == .usage)
  }

  @Test func `policy check names file, line and key of a mistake, and the position within an expression`() {
    let path = file("[passcode]\nmin_length = 8\n[passcode.regex]\n'^(abc$' = true\n")
    let bench = check("x\n", ["--conf", path])
    #expect(bench.exit == .usage && bench.output == "")
    #expect(bench.notes.contains(path) && bench.notes.contains("4") && bench.notes.contains("position 6"))
    #expect(check("x\n", ["--conf", file("[passcode]\nmin_lenght = 8\n")]).notes.contains("min_lenght"))
  }
}
