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

  @Test func `several authenticators that the server's policy accepts are a numbered list`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), ["2", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["choice", "pattern"])
    let list = transcript.prompts[0]
    #expect(list.text == "Authenticators of mina:\n  1. passcode\n  2. pattern\nWhich one (1-2): ")
    #expect(list.options == ["passcode", "pattern"])
    #expect(!list.echo, "a value that is entered there by mistake is not shown")
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 0)
  }

  @Test func `the list is in the server's order, without what the server does not accept`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0002"], ["5541#0001"]]
    #expect(try bench.run(bench.begin(), ["1", "12369"]).prompts[0].options == ["pattern", "passcode"])
    bench.server.accepted = [["5541#0002"]]
    let single = try bench.run(bench.begin(), ["12369"])
    #expect(single.result == 0 && single.prompts.map(\.check) == ["pattern"])
  }

  @Test(arguments: ["0", "3", "", "two", "-1", "1 ", "99", "001"])
  func `an entry that is not a number of the list leads to the same question again, and is not counted`(_ entry: String)
    throws
  {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), [entry, "1", "correct"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts[1].errorMessage == "Enter a number from 1 to 2; this was not counted.")
  }

  @Test func `a list from which nothing is chosen ends with 2002`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), ["9", "9", "9", "9", "9"])
    #expect(transcript.result == 2002 && transcript.pamCode == 7)
  }

  @Test func `an empty line at the prompt leads back to the list, and is not counted`() throws {
    let bench = try HelperBench.registeredTwice()
    let transcript = try bench.run(bench.begin(), ["1", "", "2", "12369"])
    #expect(transcript.result == 0)
    #expect(transcript.prompts.map(\.check) == ["choice", "passcode", "choice", "pattern"])
    #expect(transcript.prompts[1].text == "(empty line: back to the list)\nPasscode for mina (login): ")
    #expect(try bench.triesLeft() == 3)
  }

  @Test(arguments: ["swaylock", "gdm-password"])
  func `a service with one prompt asks for the authenticator used last`(_ service: String) throws {
    let bench = try HelperBench.registeredTwice()
    var begin = bench.begin()
    begin.service = Array(service.utf8)
    let nothing = try bench.run(begin)
    #expect(nothing.result == 2002 && nothing.prompts.isEmpty)
    #expect(try bench.run(bench.begin(), ["2", "12369"]).result == 0)
    let transcript = try bench.run(begin, ["12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["pattern"])
  }

  @Test func `a service that shows one prompt gets one try, whatever root has set for tries`() throws {
    let bench = try HelperBench.registered("[prompt]\ntries = 5")
    var begin = bench.begin()
    begin.service = Array("swaylock".utf8)
    #expect(try bench.run(begin, ["wrong1"]).prompts.count == 1)
  }

  @Test func `a peer without root is asked once, unless it is uafctl`() throws {
    let bench = try HelperBench.registeredTwice()
    var begin = Begin(.authenticate)
    begin.service = Array("login".utf8)
    #expect(try bench.run(begin, peer: 4242).result == 2002)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["1", "wrong1", "correct"], peer: 4242).result == 0)
  }

  @Test func `asks immediately for an authenticator that is named by type or AAID`() throws {
    let bench = try HelperBench.registeredTwice("[service.login]\nauthenticator = \"pattern\"")
    #expect(try bench.run(bench.begin(), ["12369"]).prompts.map(\.check) == ["pattern"])
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=5541#0001"), ["correct"]).result == 0)
  }

  @Test func `a named authenticator that the server does not accept gives 2002`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0002"]]
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 2002)
  }

  @Test(arguments: ["biometric", "face"])
  func `a type that this version does not have gives 2002, and nobody is asked`(_ type: String) throws {
    let bench = try HelperBench.registered()
    bench.configuration = "authenticators = [\"passcode\", \"\(type)\"]\n" + bench.configuration
    let transcript = try bench.run(bench.begin(.authenticate, "authenticator=\(type)"))
    #expect(transcript.result == 2002 && transcript.prompts.isEmpty)
  }

  // MARK: Several together

  @Test func `passcode and pattern are asked for in turn and sent in one answer`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    let transcript = try bench.run(bench.begin(), ["correct", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["passcode", "pattern"])
    #expect(bench.server.signatures == 2)
  }

  @Test func `if two secrets are asked for, one wrong secret is a refusal, and nothing is sent`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    let answered = bench.server.answered
    #expect(try bench.run(bench.begin(), ["correct", "96321"]).result == 3012)
    #expect(bench.server.answered == answered)
  }

  @Test func `the list contains sets of authenticators as well as single ones`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"], ["5541#0002"]]
    let transcript = try bench.run(bench.begin(), ["1", "correct", "12369"])
    #expect(transcript.result == 0 && transcript.prompts[0].options == ["passcode and pattern", "pattern"])
  }

  @Test func `a service with one prompt ends with 2002 if the policy needs two secrets`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    var begin = bench.begin(.authenticate, "authenticator=passcode")
    begin.service = Array("swaylock".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 2002)
  }

  @Test func `a policy that needs an unregistered authenticator gives 2002`() throws {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 2002)
  }

  @Test(arguments: [Operation.authenticate, .change, .deregister, .reset, .repair])
  func `an unregistered type has a text of its own if a different type is registered`(operation: Operation) throws {
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
