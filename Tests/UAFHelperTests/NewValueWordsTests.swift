import Testing
import UAFWire

@testable import UAFHelper

/// What a person is told about a new secret that is not acceptable.
@Suite struct NewValueWordsTests {
  @Test(arguments: [
    ("", "Nothing was entered."), (String(repeating: "x", count: 300), "This is too long."),
    (String(repeating: "x", count: 1024), "This is too long."),
    ("a\u{7}bcdefgh", "This has characters that cannot be used."),
  ])
  func `the text about a new passcode says why the entry cannot be one`(_ entry: String, _ words: String) throws {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    let transcript = try bench.run(bench.registration(), [entry, "correct", "correct"])
    #expect(transcript.result == 0 && transcript.prompts.compactMap(\.errorMessage) == [words])
  }

  @Test(arguments: [
    ("correct", "Use only the digits 1 to 9."), ("1232569", "Use each node once."),
    ("11", "Use each node once. Use at least 5 nodes."), ("1236", "Use at least 5 nodes."),
    ("", "Nothing was entered."),
    ("0123", "Use only the digits 1 to 9."), ("132456", "Use each node once."),
  ])
  func `the text about a new pattern says only why the entry cannot be one`(_ entry: String, _ words: String)
    throws
  {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    bench.configuration += "\n[pattern]\nmin_nodes = 5"
    let transcript = try bench.run(bench.registration("pattern"), [entry, "12369", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.compactMap(\.errorMessage) == [words])
  }

  /// What the first prompt for a new secret says before the prompt itself.
  private func told(_ type: String, _ configuration: String, _ value: String, locale: String? = nil) throws -> [String]
  {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    bench.configuration += "\n" + configuration
    if type == "passcode" { _ = try bench.run(bench.begin(.forget)) }
    var begin = bench.registration(type)
    begin.locale = locale.map { Array($0.utf8) }
    let transcript = try bench.run(begin, [value, value])
    #expect(transcript.result == 0, "\(bench.log.lines)")
    let lines = transcript.prompts.map { $0.text.split(separator: "\n").map(String.init).dropLast() }
    #expect(lines[1].isEmpty, "told once")
    return Array(lines[0])
  }

  @Test(
    arguments: [
      ("", ["Use at least 6 characters."]),
      ("min_length = 8\nmax_length = 20", ["Use at least 8 characters.", "Use at most 20 characters."]),
      ("digits_only = true", ["Use at least 6 characters.", "Use digits only."]),
      ("ui_type = 'pin6'\n[passcode.rules]\nequal_character = true", ["Do not use only one character."]),
      (
        "[passcode.rules]\nascending_descending = 'No runs.'\ntwo_character_repeat = true\nequal_character = false",
        ["Use at least 6 characters.", "No runs.", "Do not use two characters in turn, such as 373737."]
      ),
      (
        "[passcode.ignore]\n'acme' = 'Not the company.'\n'ACME' = 'Not the company.'\n'bob' = true",
        [
          "Use at least 6 characters.", "Not the company.", "Do not use words that your administrator has excluded.",
        ]
      ),
      (
        "regular_expression = '[0-9]+'\n[passcode.regex]\n'.*8.*' = 'An 8, please.'",
        ["Use at least 6 characters.", "Use the form that your administrator requires.", "An 8, please."]
      ),
    ] as [(String, [String])])
  func `each rule for a new passcode is shown before the passcode is entered`(_ lines: String, _ words: [String]) throws
  {
    let value = lines.contains("pin6") ? "135798" : "13579864"
    #expect(try told("passcode", "[passcode]\n" + lines, value) == words)
  }

  @Test func `the rule for a new pattern is shown, in the person's language, before the pattern is drawn`() throws {
    #expect(try told("pattern", "[pattern]\nmin_nodes = 4", "12369").contains("Use at least 4 nodes."))
    #expect(try told("passcode", "", "135798", locale: "ko_KR.UTF-8") == ["6자 이상이어야 합니다."])
  }

  @Test func `a change shows the rules before the new secret is entered, and not again after an unacceptable one`()
    throws
  {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 8"
    let transcript = try bench.run(bench.begin(.change), ["correct", "short", "longer-one", "longer-one"])
    #expect(transcript.result == 7110)
    #expect(transcript.prompts.map { $0.text.contains("at least 8") } == [false, true, false, false])
    #expect(transcript.prompts[2].errorMessage == "Use at least 8 characters.")
  }
}
