import Authenticator
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct ChangeTests {
  private func change(_ bench: HelperBench, divided: Bool = false) -> Begin {
    var begin = bench.begin(.change)
    begin.isDivided = divided
    return begin
  }

  @Test func `the old value first, the new one twice, and from then on the new one alone is right`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(change(bench), ["correct", "battery", "battery"])
    #expect(transcript.pamCode == 0 && transcript.result == 7110)
    #expect(transcript.prompts.map(\.step) == [.current, .new, .newAgain])
    #expect(
      transcript.prompts.map(\.text) == [
        "Current passcode for mina: ", "New passcode for mina: ", "New passcode again: ",
      ])
    #expect(transcript.finished.text == "The passcode of mina is changed.")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["battery"]).result == 0)
  }

  @Test func `the server has no part in it`() throws {
    let bench = try HelperBench.registered()
    let before = bench.server.requests.count
    try bench.run(change(bench), ["correct", "battery", "battery"])
    #expect(bench.server.requests.count == before)
  }

  @Test func `a wrong old value is an attempt, and nothing new is asked for`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(change(bench), ["wrong1"])
    #expect(transcript.result == 3012 && transcript.pamCode == 7 && transcript.prompts.count == 1)
    #expect(try bench.triesLeft() == 2)
  }

  @Test func `a locked value cannot be changed`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(change(bench), [wrong]) }
    let transcript = try bench.run(change(bench))
    #expect(transcript.result == 3013 && transcript.pamCode == 11 && transcript.prompts.isEmpty)
  }

  @Test func `a change does not take back the wrong entries that another has to answer for`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["wrong1"])
    #expect(
      try bench.run(change(bench), ["correct", "battery", "batterx", "short", "battery", "battery"]).result == 7110)
    #expect(try bench.triesLeft() == 3, "the right old value took it back")
    try bench.run(bench.begin(), ["correct"])
    #expect(try bench.triesLeft() == 2)
  }

  @Test func `the rules hold for a new value, and the old one is none`() throws {
    let bench = try HelperBench.registered("[passcode.rules]\nequal_character = true")
    let transcript = try bench.run(change(bench), ["correct", "aaaaaa", "correct", "battery", "battery"])
    #expect(transcript.result == 7110)
    #expect(transcript.prompts[2].errorMessage == "Do not use one character only.")
    #expect(transcript.prompts[3].errorMessage == "That is the passcode you have already: choose another.")
  }

  @Test func `more broken rules than a prompt has room for are told as far as there is room`() throws {
    let message = String(repeating: "안", count: 200)
    let rules = (1...30).map { "'\(String(repeating: "z", count: $0))' = '\(message)'" }
    let bench = try HelperBench.registered("[passcode.ignore]\n" + rules.joined(separator: "\n"))
    let transcript = try bench.run(
      change(bench), ["correct", String(repeating: "z", count: 30), "battery", "battery"])
    #expect(transcript.result == 7110)
    #expect(transcript.prompts[2].errorMessage == "\(message)\n\(message)\n\(message)")
  }

  @Test func `three unacceptable values are 7111, and the old one stays`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(change(bench), ["correct", "a", "b", "c"])
    #expect(transcript.result == 7111 && transcript.pamCode == 20)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: [1, 2, 3]) func `cancelled at any prompt is 7112, and the old value stays`(_ prompt: Int) throws {
    let bench = try HelperBench.registered()
    let entries: [String?] = Array(["correct", "battery", "battery"].prefix(prompt - 1)) + [nil]
    let transcript = try bench.run(change(bench), entries)
    #expect(transcript.result == 7112 && transcript.pamCode == 20)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `divided, the new value is asked for once the front end resumes`() throws {
    let bench = try HelperBench.registered()
    let whole = try bench.run(
      change(bench, divided: true),
      entries: [.answer("correct"), .resume, .answer("battery"), .answer("battery")])
    #expect(whole.result == 7110)
    #expect(whole.messages.map(\.type) == [.prompt, .prompt, .prompt, .finished])
  }

  @Test func `divided and given up between, the old value stays`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(change(bench, divided: true), entries: [.answer("correct"), .cancelled]).result == 7112)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `an account without a row is left to the other modules, without a question`() throws {
    let bench = try HelperBench.registered()
    var begin = change(bench)
    begin.uid = 4243
    begin.account = Array("nora".utf8)
    let transcript = try bench.run(begin)
    #expect(transcript.pamCode == 25 && transcript.result == 1009 && transcript.prompts.isEmpty)
  }

  @Test func `uafctl is told that there is nothing to change`() throws {
    let bench = try HelperBench.registered()
    var begin = change(bench)
    begin.uid = 4243
    begin.account = Array("nora".utf8)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).pamCode == 10)
  }

  @Test(arguments: ["fingerprint", "face"]) func `a value the system keeps is 7113`(_ type: String) throws {
    let bench = try HelperBench.registered()
    var begin = change(bench)
    begin.authenticator = Array(type.utf8)
    let transcript = try bench.run(begin)
    #expect(transcript.result == 7113 && transcript.pamCode == 20 && transcript.prompts.isEmpty)
  }

  @Test func `of several authenticators the one that is chosen is changed, and no other`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(change(bench), ["2", "12369", "74123", "74123"])
    #expect(transcript.result == 7110 && transcript.prompts[1].check == "pattern")
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["74123"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  // MARK: Values that the rules have overtaken

  @Test func `a login with a value that today's rules refuse succeeds and says so`() throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 10"
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.pamCode == 0 && transcript.result == 0 && transcript.finished.staleValue)
    #expect(try bench.run(change(bench), ["correct", "longbattery", "longbattery"]).result == 7110)
    #expect(try !bench.run(bench.begin(), ["longbattery"]).finished.staleValue)
  }

  @Test func `a pattern with too few nodes by today's rules is stale too`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.configuration += "\n[pattern]\nmin_nodes = 6"
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).finished.staleValue)
    #expect(try !bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).finished.staleValue)
  }

  @Test func `a refused login never says that a value is stale`() throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 10"
    bench.server.respondStatus = .init(rawValue: 1500)
    #expect(try !bench.run(bench.begin(), ["correct"]).finished.staleValue)
    #expect(try !bench.run(bench.begin(), ["wrong1"]).finished.staleValue)
  }
}
