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

  @Test func `a change asks for the old secret and twice for the new one, and then only the new secret is correct`()
    throws
  {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(change(bench), ["correct", "battery", "battery"])
    #expect(transcript.pamCode == 0 && transcript.result == 7110)
    #expect(transcript.prompts.map(\.step) == [.current, .new, .newAgain])
    #expect(
      transcript.prompts.map(\.text) == [
        "Current passcode for mina: ", "Use at least 6 characters.\nNew passcode for mina: ", "New passcode again: ",
      ])
    #expect(transcript.finished.text == "The passcode of mina is changed.")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["battery"]).result == 0)
  }

  @Test func `a change of the secret sends the server nothing`() throws {
    let bench = try HelperBench.registered()
    let before = bench.server.requests.count
    try bench.run(change(bench), ["correct", "battery", "battery"])
    #expect(bench.server.requests.count == before)
  }

  @Test func `in a change a wrong old secret is counted, and no new secret is asked for`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(change(bench), ["wrong1"])
    #expect(transcript.result == 3012 && transcript.pamCode == 7 && transcript.prompts.count == 1)
    #expect(try bench.triesLeft() == 2)
  }

  @Test func `refuses to change the secret of a locked authenticator`() throws {
    let bench = try HelperBench.registered()
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(change(bench), [wrong]) }
    let transcript = try bench.run(change(bench))
    #expect(transcript.result == 3013 && transcript.pamCode == 11 && transcript.prompts.isEmpty)
  }

  @Test func `in a change the old secret clears the count, and is wrong from then on`() throws {
    let bench = try HelperBench.registered()
    try bench.run(bench.begin(), ["wrong1"])
    #expect(
      try bench.run(change(bench), ["correct", "battery", "batterx", "short", "battery", "battery"]).result == 7110)
    #expect(try bench.triesLeft() == 3, "the right old value took it back")
    try bench.run(bench.begin(), ["correct"])
    #expect(try bench.triesLeft() == 2)
  }

  @Test func `a change refuses a new secret that breaks a rule or is the old one`() throws {
    let bench = try HelperBench.registered("[passcode.rules]\nequal_character = true")
    let transcript = try bench.run(change(bench), ["correct", "aaaaaa", "correct", "battery", "battery"])
    #expect(transcript.result == 7110)
    #expect(transcript.prompts[2].errorMessage == "Do not use only one character.")
    #expect(transcript.prompts[3].errorMessage == "That is the passcode you have already: choose another.")
  }

  @Test func `a change shows only as many broken rules as fit into a prompt`() throws {
    let message = String(repeating: "안", count: 200)
    let rules = (1...30).map { "'\(String(repeating: "z", count: $0))' = '\(message)'" }
    let bench = try HelperBench.registered("[passcode.ignore]\n" + rules.joined(separator: "\n"))
    let transcript = try bench.run(
      change(bench), ["correct", String(repeating: "z", count: 30), "battery", "battery"])
    #expect(transcript.result == 7110)
    #expect(transcript.prompts[2].errorMessage == "\(message)\n\(message)\n\(message)")
  }

  @Test func `a change ends with 7111 after three unacceptable secrets, and the old secret stays`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(change(bench), ["correct", "a", "b", "c"])
    #expect(transcript.result == 7111 && transcript.pamCode == 20)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: [1, 2, 3]) func `cancelling a change at any prompt ends it with 7112, and the old secret stays`(
    _ prompt: Int
  ) throws {
    let bench = try HelperBench.registered()
    let entries: [String?] = Array(["correct", "battery", "battery"].prefix(prompt - 1)) + [nil]
    let transcript = try bench.run(change(bench), entries)
    #expect(transcript.result == 7112 && transcript.pamCode == 20)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a divided change asks for the new secret only after the front end resumes`() throws {
    let bench = try HelperBench.registered()
    let whole = try bench.run(
      change(bench, divided: true),
      entries: [.answer("correct"), .resume, .answer("battery"), .answer("battery")])
    #expect(whole.result == 7110)
    #expect(whole.messages.map(\.type) == [.prompt, .prompt, .prompt, .finished])
  }

  @Test func `if a divided change is cancelled before it resumes, the old secret stays`() throws {
    let bench = try HelperBench.registered()
    #expect(try bench.run(change(bench, divided: true), entries: [.answer("correct"), .cancelled]).result == 7112)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a change leaves an account that never registered to the other modules, without a prompt`() throws {
    let bench = try HelperBench.registered()
    var begin = change(bench)
    begin.uid = 4243
    begin.account = Array("nora".utf8)
    let transcript = try bench.run(begin)
    #expect(transcript.pamCode == 25 && transcript.result == 1009 && transcript.prompts.isEmpty)
  }

  @Test func `a change says in uafctl that there is nothing to change`() throws {
    let bench = try HelperBench.registered()
    var begin = change(bench)
    begin.uid = 4243
    begin.account = Array("nora".utf8)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).pamCode == 10)
  }

  @Test func `a change ends with 7113 if the system manages the secret`() throws {
    let bench = try HelperBench.registered()
    var begin = change(bench)
    begin.authenticator = Array("fingerprint".utf8)
    let transcript = try bench.run(begin)
    #expect(transcript.result == 7113 && transcript.pamCode == 20 && transcript.prompts.isEmpty)
  }

  @Test func `a change changes only the chosen one of several authenticators`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(change(bench), ["2", "12369", "74123", "74123"])
    #expect(transcript.result == 7110 && transcript.prompts[1].check == "pattern")
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["74123"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  // MARK: Secrets that no longer meet the rules

  @Test func `a login with a stale secret succeeds, and says that the secret should be changed`() throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 10"
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.pamCode == 0 && transcript.result == 0 && transcript.finished.staleValue)
    #expect(try bench.run(change(bench), ["correct", "longbattery", "longbattery"]).result == 7110)
    #expect(try !bench.run(bench.begin(), ["longbattery"]).finished.staleValue)
  }

  @Test func `a pattern with fewer nodes than the current rules demand is stale too`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.configuration += "\n[pattern]\nmin_nodes = 6"
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).finished.staleValue)
    #expect(try !bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).finished.staleValue)
  }

  @Test func `a login that is refused never says that the secret is stale`() throws {
    let bench = try HelperBench.registered()
    bench.configuration += "\n[passcode]\nmin_length = 10"
    bench.server.respondStatus = .init(rawValue: 1500)
    #expect(try !bench.run(bench.begin(), ["correct"]).finished.staleValue)
    #expect(try !bench.run(bench.begin(), ["wrong1"]).finished.staleValue)
  }
}
