import Foundation
import Testing

extension EndToEnd {
  /// `uafctl --json-conversation --together` with the real core: the second prompt of a form is shown before the core asks for
  /// that entry.
  @Suite struct JSONTogetherTests {
    private static let new = "marmalade7"

    /// The lines that uafctl prints in a conversation about the scene's account.
    private func lines(
      _ scene: Scene, _ words: [String], together: Bool, _ answers: [String], locale: String = "C"
    ) throws -> [NSDictionary] {
      let arguments = words + ["--json-conversation"] + (together ? ["--together"] : [])
      let output = try Command.run(
        [Programs.tool, "--conf", scene.configuration] + arguments, input: answers.map { $0 + "\n" }.joined(),
        environment: scene.names.merging(["LC_ALL": locale]) { $1 })
      return try output.lines.map(Self.object)
    }

    private static func object(_ line: some StringProtocol) throws -> NSDictionary {
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
      guard let object = object as? NSDictionary else { throw Failure("no object: \(line)") }
      return object
    }

    private func one(_ answers: String...) -> [String] { answers.map { #"{"answer":"\#($0)"}"# } }

    private func all(_ answers: String...) -> String {
      #"{"answers":[\#(answers.map { "\"\($0)\"" }.joined(separator: ","))]}"#
    }

    /// The challenges of a conversation, one by one or together, without the member that makes the difference.
    private func challenges(_ lines: [NSDictionary]) -> [NSDictionary] {
      lines.flatMap { line in
        if let all = line["challenges"] as? [NSDictionary] { return all }
        guard line["type"] as? String == "challenge", let copy = line.mutableCopy() as? NSMutableDictionary else {
          return []
        }
        copy.removeObject(forKey: "type")
        return [copy]
      }
    }

    private func payload(_ scene: Scene) throws -> String {
      try scene.write(try scene.server.enrol(scene.user), to: "payload", mode: 0o600)
      return scene.path("payload")
    }

    @Test(arguments: ["C", "ko_KR.UTF-8"])
    func `a change shows the same prompts with --together as without, and only the new passcode logs in`(locale: String)
      throws
    {
      let scene = try Scene.registered()
      let words = ["change", scene.user]
      let apart = try lines(
        scene, words, together: false, one(Scene.passcode, "walnut-333", "walnut-333"), locale: locale)
      let together = try lines(
        scene, words, together: true, [all("walnut-333"), all(Self.new, Self.new)], locale: locale)
      #expect(challenges(apart) == challenges(together) && challenges(apart).count == 3, "\(apart) \(together)")
      #expect(together.compactMap { ($0["challenges"] as? [Any])?.count } == [1, 2])
      #expect(together.last?["result"] as? Int == 7110)
      #expect(try scene.logIn(Self.new).code == .success)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
    }

    @Test(
      arguments: [
        ("passcode", "[passcode]\nui_type = \"pin4\"", "4827", "5931"),
        ("passcode", "[passcode]\nui_type = \"pin6\"", "482715", "593170"),
        ("passcode", "[passcode]\nauto_submit = true\nmax_length = 12", "walnut-333", "marmalade7"),
        ("pattern", "", "12369", "74123"),
      ], ["en", "ko"])
    func `a registration, and a second one with a code, show the same prompts with --together as without`(
      _ row: (type: String, more: String, first: String, second: String), _ language: String
    ) throws {
      let scene = try Scene {
        $0.authenticators = [row.type]
        $0.more = row.more
      }
      // The locale `C` names no language, so the configuration's applies.
      try scene.configure { $0.more = "[general]\nlanguage = \"\(language)\"\n" + $0.more }
      let words = ["register", scene.user, row.type, "--code", try payload(scene)]
      let apart = try lines(scene, words, together: false, one(row.first, row.first))
      #expect(apart.last?["result"] as? Int == 0, "\(apart)")
      _ = try payload(scene)
      let together = try lines(scene, words, together: true, [all(row.second, row.second)])
      #expect(together.last?["result"] as? Int == 0, "\(together)")
      #expect(challenges(apart) == challenges(together) && challenges(together).count == 2, "\(apart) \(together)")
      let again = challenges(together).last?["text"] as? String
      #expect(again?.contains(language == "en" ? " again" : "다시") == true)
      #expect(try scene.logIn(row.second).code == .success)
    }

    @Test func `with --together both entries are asked for again if the rules refuse the first, or if the two differ`()
      throws
    {
      let scene = try Scene()
      let lines = try lines(
        scene, ["register", scene.user, "--code", try payload(scene)], together: true,
        [all("abc", Self.new), all(Self.new, "marmalade8"), all(Self.new, Self.new)])
      let errors = lines.compactMap { ($0["challenges"] as? [NSDictionary])?.map { $0["errorMessage"] is String } }
      #expect(errors == [[false, false], [true, false], [true, false]], "\(lines)")
      #expect(lines.last?["type"] as? String == "success")
      #expect(try scene.logIn(Self.new).code == .success)
    }

    @Test(arguments: [#"{"cancel":true}"#, #"{"answers":["marmalade7"]}"#, #"{"answers":["a","b","c"]}"#, "marmalade7"])
    func `a change with --together keeps the old passcode if it is cancelled or its form is filled in wrongly`(
      line: String
    ) throws {
      let scene = try Scene.registered()
      let lines = try lines(scene, ["change", scene.user], together: true, [all(Scene.passcode), line])
      #expect(lines.last?["result"] as? Int == 7112, "\(lines)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test
    func `with --together the digits of a shuffled keypad are asked for one entry at a time, each with its own keys`()
      throws
    {
      let scene = try Scene { $0.more = "[passcode]\nui_type = \"pin4\"\nkeypad = \"shuffled\"" }
      let command = try Command(
        [
          Programs.tool, "--conf", scene.configuration, "register", scene.user, "--code", try payload(scene),
          "--json-conversation", "--together",
        ], environment: scene.names)
      for step in ["new", "newAgain"] {
        try command.wait(for: #""step":"\#(step)""#)
        try Wait.until("the end of the line") { command.text.hasSuffix("\n") }
        let asked = try command.text.split(separator: "\n").map(Self.object).last?["challenges"] as? [NSDictionary]
        let text = try #require(asked?.first?["text"] as? String)
        let keys = try #require(text.split(separator: "\n").first { $0.hasPrefix("Press") }).split(separator: " ")
        #expect(asked?.count == 1 && keys.count == 11)
        command.send(all([4, 8, 2, 7].map { String(keys[$0 + 1]) }.joined()) + "\n")
      }
      let output = try command.end()
      #expect(output.status == 0, "\(output.text)")
      try scene.configure { $0.more = "[passcode]\nui_type = \"pin4\"" }
      #expect(try scene.logIn("4827").code == .success)
    }
  }
}
