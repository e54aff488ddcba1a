import FidoResults
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct RegisterAgainTests {
  private static let more = "[prompt]\noffer_reset = true"
  private static let code = (try? FakeServer.code().text) ?? ""

  @Test
  func `the list in a login ends with registering again, which needs a code and a new secret, and is not a login`()
    throws
  {
    let bench = try HelperBench.registered(Self.more, signed: true)
    let transcript = try bench.run(bench.begin(), ["2", Self.code, "battery", "battery"])
    #expect(transcript.result == 980 && transcript.pamCode == 7)
    #expect(transcript.prompts[0].options == ["passcode", "register again with a new enrolment code"])
    #expect(transcript.prompts.map(\.check) == ["choice", "code", "passcode", "passcode"])
    #expect(transcript.errors == ["Registered again: log in with the new passcode."])
    let types = transcript.messages.map(\.type)
    // The person is told of the choice immediately, whatever the registration's result.
    #expect(types.prefix(3) == [.prompt, .info, .prompt] && transcript.infos.first?.hasSuffix("[980]") == true)
    #expect(bench.server.asked.last?.context.authCode == nil)
    let statement = EnrolmentCode.registrationStatement(username: "mina")
    #expect(try bench.server.asked.last?.context.codeProof == FakeServer.codeProof(statement))
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["1", "battery"]).result == 0)
  }

  @Test func `until the server has accepted the new key, the old secret and its attempts stay`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    try bench.run(bench.begin(), ["1", "wrong1"])
    bench.server.respondStatus = .init(rawValue: 1500)
    #expect(try bench.run(bench.begin(), ["2", Self.code, "battery", "battery"]).result == 9000)
    bench.server.respondStatus = .ok
    #expect(try bench.triesLeft() == 2)
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 0)
  }

  @Test(arguments: [[], ["wrong1", "wrong2", "wrong3"]])
  func `if the server cannot be reached, registering again never leads to the password, even during a lock`(
    _ wrong: [String]
  ) throws {
    let bench = try HelperBench.registered(Self.more + "\n[passcode.lock]\nmax_lock_count = 0", signed: true)
    for value in wrong { try bench.run(bench.begin(), ["1", value]) }
    bench.server.lateFailure = .noHandshake(.refused)
    for machine in ["", "0123456789abcdef0123456789abcdef"] {
      bench.device.machineID = Array(machine.utf8)
      for entries in [["2", "any-text", "battery", "battery"], ["2", ""], ["2", nil]] as [[String?]] {
        let transcript = try bench.run(bench.begin(), entries)
        #expect(transcript.pamCode != 0 && transcript.pamCode != 9 && transcript.pamCode != 25, "\(transcript)")
      }
    }
    let proved = try bench.run(bench.begin(), ["1", "correct"])
    #expect(proved.pamCode == (wrong.isEmpty ? 9 : 11), "who knows the value goes on, where nothing is locked")
  }

  @Test(arguments: [
    ("B9D5-MPJT-B9D5-MPJ", "in group 4 of 4"), ("B9D5-MPJT-B9D-MPJQ", "in group 3 of 4"),
    ("b9d5 mpjt b9d5 mpju", "in group 4 of 4"),
    ("B9D5-MPJT-B9D5-MJPQ", nil), ("B9D5-MPJT-B9D5-MPJR", nil), ("9BD5-MPJT-B9D5-MPJQ", nil),
  ])
  func `a code with a typing error is not sent, and the text names the wrong group if the code shows it`(
    typed: String, group: String?
  ) throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    let asked = bench.server.asked.count
    let transcript = try bench.run(bench.begin(), ["2", typed])
    #expect(transcript.result == 1001)
    let said = transcript.errors.last ?? ""
    #expect(said.contains("The enrolment code has a typing error" + (group.map { " \($0)" } ?? ":")), "\(said)")
    #expect(!bench.server.asked.dropFirst(asked).contains { $0.op == .registration || $0.context.authCode != nil })
  }

  @Test func `a text that cannot be a code of our server is not sent`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    let asked = bench.server.asked.count
    // The line that the server prints can be longer than a prompt accepts.
    let line = "This is not a valid enrolment code. Check your entry: give just the 16 characters of the code."
    let mistyped = "The enrolment code has a typing error: compare it with the code that you were given."
    for (typed, text) in [
      ("new-code", line), ("00000-00000-00000-00001", mistyped), ("0000-0000-0000-0001", mistyped),
    ] {
      let transcript = try bench.run(bench.begin(), ["2", typed])
      #expect(transcript.result == 1001)
      #expect(transcript.errors.last == text)
    }
    #expect(!bench.server.asked.dropFirst(asked).contains { $0.op == .registration || $0.context.authCode != nil })
  }

  @Test func `when registering again, a wrong code is reported before a new secret is asked for`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.registrationStatus = .unauthorized
    bench.server.deregistrationStatus = .unauthorized
    let transcript = try bench.run(bench.begin(), ["2", "0000-0000-0000-0000"])
    #expect(transcript.prompts.map(\.check) == ["choice", "code"])
    #expect(
      transcript.errors == ["The server does not accept the enrolment code. Ask the administrator for a new one."])
    #expect(transcript.result == 13_006 && transcript.pamCode == 7)
    #expect(!bench.server.asked.map(\.op).contains(.deregistration))
    bench.server.registrationStatus = .ok
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 0)
  }

  @Test func `a code that expires while the new secret is entered is reported, and the old secret stays`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    var gets = 0
    bench.server.onEachGet = { [server = bench.server] in
      gets += 1
      // Two requests came before: that of the login, and the one with which the server checks the code.
      if gets == 3 { (server.registrationStatus, server.deregistrationStatus) = (.unauthorized, .unauthorized) }
    }
    let transcript = try bench.run(bench.begin(), ["2", Self.code, "battery", "battery"])
    #expect(transcript.result == 13_006 && gets == 3)
    #expect(
      transcript.errors == ["The server does not accept the enrolment code. Ask the administrator for a new one."])
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 0)
  }

  @Test func `a server that demands both authenticators checks the code before the replaced keys are removed`() throws {
    let bench = try HelperBench.registeredTwice(Self.more, signed: true)
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    // A server that demands what is missing on this machine: at first nothing is, and then the passcode.
    var gets = 0
    bench.server.onEachGet = { [server = bench.server] in
      gets += 1
      if gets == 3 { server.accepted = [["5541#0001"]] }
    }
    let transcript = try bench.run(bench.begin(), ["2", "1", Self.code, "battery", "battery"])
    #expect(transcript.result == 980 && gets == 3, "\(bench.log.lines)")
    #expect(transcript.errors == ["Registered again: log in with the new passcode."])
  }

  @Test func `three unusable secrets end registering again, without a login and without a change`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    bench.configuration += "\n[passcode]\nmin_length = 6"
    let transcript = try bench.run(bench.begin(), ["2", Self.code, "abc", "abc", "abc"])
    #expect(transcript.result == 980 && transcript.pamCode == 7)
    #expect(transcript.errors.last == "No passcode was set, because no entry could be used. Try again.")
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 0)
  }

  @Test
  func `registering again accepts a payload instead of its code, and refuses a payload for another account`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    let payload = bench.server.payload().encoded
    #expect(try bench.run(bench.begin(), ["2", payload, "battery", "battery"]).result == 980)
    #expect(bench.server.asked.last?.context.codeProof != nil)
    let foreign = bench.server.payload(username: "nora").encoded
    #expect(try bench.run(bench.begin(), ["2", foreign]).result == 1001)
  }

  @Test func `cancelling before the new secret is set changes nothing, here or at the server`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    #expect(try bench.run(bench.begin(), ["2", Self.code, "battery", nil]).result == 999)
    #expect(!bench.server.asked.map(\.op).contains(.deregistration))
  }

  @Test func `the server is asked to replace the person's old key, and no other key of the account`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    let old = try #require(bench.server.registered)
    let stranger = try KeyID(bytes: Array(repeating: 9, count: 32))
    bench.server.knownKeys = [old, stranger]
    #expect(try bench.run(bench.begin(), ["2", Self.code, "battery", "battery"]).result == 980)
    #expect(bench.server.asked.map(\.op) == [.registration, .authentication, .registration, .registration])
    #expect(bench.server.asked.last?.context.lostKeyIDs == [old] && bench.server.knownKeys == [stranger])
  }

  @Test
  func `one of several authenticators is chosen to register again, and the next list does not offer it once more`()
    throws
  {
    let bench = try HelperBench.registeredTwice(Self.more, signed: true)
    let transcript = try bench.run(bench.begin(), ["3", "2", Self.code, "74123", "74123"])
    #expect(transcript.result == 980 && transcript.prompts[1].options == ["passcode", "pattern"])
    #expect(try bench.run(bench.begin(), ["2", "74123"]).result == 0)
    #expect(try bench.run(bench.begin(), ["1", "correct"]).result == 0)
  }

  @Test func `registering again without a code ends without a change`() throws {
    let bench = try HelperBench.registered(Self.more, signed: true)
    let before = bench.server.asked.count
    let transcript = try bench.run(bench.begin(), ["2", ""])
    #expect(transcript.result == 980 && transcript.pamCode == 7)
    #expect(bench.server.asked.dropFirst(before).map(\.op) == [.authentication])
  }

  @Test
  func `registering again is offered only if root allows it, in services with several prompts and without hide_state`()
    throws
  {
    let plain = try HelperBench.registered()
    #expect(try plain.run(plain.begin(), ["correct"]).prompts.count == 1)
    let bench = try HelperBench.registered(Self.more, signed: true)
    var begin = bench.begin()
    begin.service = Array("swaylock".utf8)
    #expect(try bench.run(begin, ["correct"]).prompts.map(\.check) == ["passcode"])
    begin.service = Array("sshd".utf8)
    begin.isRemote = true
    #expect(try bench.run(begin, ["correct"]).prompts.map(\.check) == ["passcode"])
  }

  // MARK: A second authenticator

  @Test func `a login with the first authenticator is enough to register a second one, without a code`() throws {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    var begin = bench.registration("pattern")
    begin.payload = nil
    let transcript = try bench.run(begin, ["correct", "12369", "12369"])
    #expect(transcript.result == 0 && transcript.prompts.map(\.step) == [.current, .new, .newAgain])
    #expect(bench.server.asked.suffix(2).map(\.context.proofFor) == [.registration, nil])
    #expect(bench.server.asked.last?.context.proof == "token-of-the-server")
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
  }

  @Test func `a wrong secret of the first authenticator registers no second one`() throws {
    let bench = try HelperBench.registered()
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    var begin = bench.registration("pattern")
    begin.payload = nil
    #expect(try bench.run(begin, ["wrong1", "wrong1", "wrong1"]).result == 3012)
    #expect(bench.server.keys.count == 1)
  }

  @Test func `without a code, registering a type that already has a secret is refused, and nobody is asked`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.registration()
    begin.payload = nil
    let transcript = try bench.run(begin)
    #expect(transcript.result == 1001 && transcript.prompts.isEmpty)
  }

  @Test
  func `a first registration sets root's first type without a list, and a second one sets a type that remains`()
    throws
  {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    bench.server.accepted = [["5541#0002"], ["5541#0001"]]
    var begin = bench.registration()
    begin.authenticator = nil
    let first = try bench.run(begin, ["correct", "correct"])
    #expect(first.result == 0 && first.prompts.map(\.check) == ["passcode", "passcode"])
    begin.payload = nil
    let second = try bench.run(begin, ["correct", "12369", "12369"])
    #expect(second.result == 0 && second.prompts.map(\.check) == ["passcode", "pattern", "pattern"])
    #expect(try bench.run(begin).result == 2002, "all registered already")
  }

  @Test(arguments: [["\"pattern\"", "\"passcode\""], ["\"passcode\"", "\"pattern\""]])
  func `a registration that names no type uses the first type in root's order that the server accepts`(
    _ order: [String]
  )
    throws
  {
    for accepted in [[["5541#0001"], ["5541#0002"]], [["5541#0001"]], [["5541#0002"]]] {
      let bench = try HelperBench()
      bench.configuration = "authenticators = [\(order.joined(separator: ", "))]\n" + bench.configuration
      _ = try bench.run(bench.begin(.initialise))
      bench.server.accepted = accepted
      var begin = bench.registration()
      begin.authenticator = nil
      let isPattern = accepted.count > 1 ? order[0] == "\"pattern\"" : accepted == [["5541#0002"]]
      let entry = isPattern ? "12369" : "correct"
      let transcript = try bench.run(begin, [entry, entry])
      #expect(transcript.result == 0 && transcript.prompts.first?.check == (isPattern ? "pattern" : "passcode"))
    }
  }

  @Test func `if the server demands both authenticators, both are registered together`() throws {
    let bench = try HelperBench()
    _ = try bench.run(bench.begin(.initialise))
    bench.server.accepted = [["5541#0001", "5541#0002"]]
    var begin = bench.registration()
    begin.authenticator = nil
    #expect(try bench.run(begin, ["correct", "correct", "12369", "12369"]).result == 0)
    #expect(bench.server.signatures == 2)
    #expect(try bench.run(bench.begin(), ["correct", "12369"]).result == 0)
  }
}
