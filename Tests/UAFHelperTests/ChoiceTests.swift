import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct ChoiceTests {
  private func interactive(_ bench: HelperBench, _ arguments: String...) -> Begin {
    var begin = bench.begin()
    begin.arguments += arguments.map { Array($0.utf8) }
    return begin
  }

  @Test func `several authenticators that the server accepts are shown as a numbered list`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), ["2", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["choice", "pattern"])
    let list = transcript.prompts[0]
    #expect(list.text == "Authenticators of mina:\n  1. passcode\n  2. pattern\nWhich one (1-2): ")
    #expect(list.options == ["passcode", "pattern"])
    #expect(!list.echo, "a value that is entered there by mistake is not shown")
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 0)
  }

  @Test
  func `the list of authenticators has the server's order, and omits those that the server does not accept`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0002"], ["5541#0001"]]
    #expect(try bench.run(bench.begin(), ["1", "12369"]).prompts[0].options == ["pattern", "passcode"])
    bench.server.accepted = [["5541#0002"]]
    let single = try bench.run(bench.begin(), ["12369"])
    #expect(single.result == 0 && single.prompts.map(\.check) == ["pattern"])
  }

  @Test(arguments: ["0", "3", "", "two", "-1", "1 ", "99", "001"])
  func `after an entry that is not a number of the list, the list is shown again, and nothing is counted`(
    _ entry: String
  )
    throws
  {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), [entry, "1", "correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts[1].errorMessage == "Enter a number from 1 to 2; this was not counted.")
  }

  @Test func `a login ends with 2002 if nothing is chosen from the list`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), ["9", "9", "9", "9", "9"])
    #expect(transcript.result == 2002 && transcript.pamCode == 7)
  }

  @Test func `an empty line at the prompt for a secret leads back to the list, and is not counted`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), ["1", "", "2", "12369"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.map(\.check) == ["choice", "passcode", "choice", "pattern"])
    #expect(transcript.prompts[1].text == "(empty line: back to the list)\nPasscode for mina (login): ")
    #expect(try bench.triesLeft() == 3)
  }

  @Test(arguments: ["swaylock", "gdm-password"])
  func `a service with one prompt uses the authenticator that was used last`(_ service: String) throws {
    let bench = try HelperBench.registeredTwice()
    var begin = bench.begin()
    begin.service = Array(service.utf8)
    let nothing = try bench.run(begin)
    #expect(nothing.result == 2002 && nothing.prompts.isEmpty)
    #expect(try bench.run(bench.begin(), ["2", "12369"]).result == 0)
    let transcript = try bench.run(begin, ["12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["pattern"])
  }

  /// A login through GDM, which shows lists.
  private func gdm(_ bench: HelperBench) -> Begin {
    var begin = bench.begin()
    begin.service = Array("gdm-password".utf8)
    begin.showsLists = true
    return begin
  }

  @Test func `a greeter that shows lists gets one of the account's authenticators, with a heading alone`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(gdm(bench), ["2", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["choice", "pattern"])
    #expect(transcript.prompts.first?.text == "Authenticators of mina:")
    #expect(transcript.prompts.first?.options == ["passcode", "pattern"])
    #expect(!transcript.prompts.contains { $0.text.contains("back to the list") })
  }

  @Test(arguments: ["", "3", "0", "two", "99"])
  func `after a choice that was not in a greeter's list, the authenticator that was used last is asked for`(
    _ entry: String
  ) throws {
    let bench = try HelperBench.registeredTwice()
    #expect(try bench.run(bench.begin(), ["2", "12369"]).result == 0)
    let transcript = try bench.run(gdm(bench), [entry, "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["choice", "pattern"])
    #expect(transcript.errors == ["Nothing in the list was chosen; this was not counted."])
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `the other way to log in is the last entry of a greeter's list`() throws {
    let bench = try HelperBench.registeredTwice(
      "[prompt]\ncancel_text = { en = \"Use your password\", ko = \"비밀번호 사용\" }")
    let transcript = try bench.run(gdm(bench), ["3"])
    #expect(transcript.prompts.first?.options == ["passcode", "pattern", "Use your password"])
    #expect(transcript.result == 7009 && transcript.pamCode == 15)
  }

  @Test func `a greeter shows no list for one authenticator, and a wrong value ends the login there`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(gdm(bench), ["wrong1"])
    #expect(transcript.prompts.map(\.check) == ["passcode"] && transcript.result != 0)
  }

  @Test func `with hide_state a greeter gets no list, which would tell what the account has`() throws {
    let bench = try HelperBench.registeredTwice("[general]\nhide_state = true")
    let transcript = try bench.run(gdm(bench), ["correct"])
    #expect(!transcript.prompts.contains { $0.check == "choice" })
  }

  @Test func `a peer that is not root may not say that its host shows lists`() throws {
    let bench = try HelperBench.registeredTwice()
    var begin = bench.begin()
    (begin.uid, begin.account, begin.typedName, begin.callerUID) = (nil, nil, nil, nil)
    begin.showsLists = true
    let transcript = try bench.run(begin, peer: 4242)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test func `a service that shows one prompt gets one try, whatever number root has configured`() throws {
    let bench = try HelperBench.registered("[prompt]\ntries = 5")
    var begin = bench.begin()
    begin.service = Array("swaylock".utf8)
    #expect(try bench.run(begin, ["wrong1"]).prompts.count == 1)
  }

  @Test func `a peer without root gets one prompt, unless it is uafctl`() throws {
    let bench = try HelperBench.registeredTwice()
    var begin = Begin(.authenticate)
    begin.service = Array("login".utf8)
    #expect(try bench.run(begin, peer: 4242).result == 2002)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["1", "wrong1", "correct"], peer: 4242).result == 0)
  }

  @Test func `if an authenticator is named by type or AAID, no list is shown`() throws {
    let bench = try HelperBench.registeredTwice("[service.login]\nauthenticator = \"pattern\"")
    #expect(try bench.run(bench.begin(), ["12369"]).prompts.map(\.check) == ["pattern"])
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=5541#0001"), ["correct"]).result == 0)
  }

  @Test func `a login ends with 2002 if the server does not accept the named authenticator`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0002"]]
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 2002)
  }

  // MARK: Several together

  @Test
  func `if the server demands passcode and pattern, both are asked for in turn and sent in one response`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    let transcript = try bench.run(bench.begin(), ["correct", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["passcode", "pattern"])
    #expect(bench.server.signatures == 2)
  }

  @Test func `if two secrets are demanded and one is wrong, the login is refused and nothing is sent`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    let answered = bench.server.answered
    #expect(try bench.run(bench.begin(), ["correct", "96321"]).result == 3012)
    #expect(bench.server.answered == answered)
  }

  @Test func `the list shows a set of authenticators as one choice`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"], ["5541#0002"]]
    let transcript = try bench.run(bench.begin(), ["1", "correct", "12369"])
    #expect(transcript.result == 0 && transcript.prompts[0].options == ["passcode and pattern", "pattern"])
  }

  @Test func `a service with one prompt ends with 2002 if the server demands two secrets`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    var begin = bench.begin(.authenticate, "authenticator=passcode")
    begin.service = Array("swaylock".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 2002)
  }

  @Test func `a login ends with 2002 if the server demands an authenticator that is not registered`() throws {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 2002)
  }

  @Test(arguments: [Operation.authenticate, .change, .deregister, .reset, .repair])
  func `if a named type is not registered but another is, a separate text says so`(operation: Operation) throws {
    let bench = try HelperBench.registered()
    for (type, other) in [("pattern", "passcode"), ("passcode", "pattern")] {
      if type == "passcode" {
        _ = try bench.run(bench.begin(.forget))
        bench.server.accepted = [["5541#0002"]]
        #expect(try bench.run(bench.registration("pattern"), ["12369", "12369"]).result == 0)
      }
      var begin = bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      begin.authenticator = Array(type.utf8)
      if operation == .repair { begin.payload = Array(bench.server.payload().encoded.utf8) }
      let transcript = try bench.run(begin)
      #expect(transcript.result == (operation == .reset ? 7102 : 1009), "\(other) alone")
      #expect(transcript.finished.text?.hasPrefix("This account has a different authenticator on this machine") == true)
      _ = try bench.run(bench.begin(.forget))
      let none = try bench.run(begin)
      #expect(none.finished.text?.contains("another authenticator") == false)
      bench.server.accepted = [["5541#0001"]]
      if type == "pattern" { #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0) }
    }
  }
}
