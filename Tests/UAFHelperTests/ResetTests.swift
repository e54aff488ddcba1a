import FidoResults
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct ResetTests {
  private func reset(_ bench: HelperBench, type: String? = nil, payload: EnrolmentPayload? = nil) -> Begin {
    var begin = bench.begin(.reset)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = type.map { Array($0.utf8) }
    begin.payload = payload.map { Array($0.encoded.utf8) }
    return begin
  }

  /// The same begin message from the person, who is not root.
  private func persons(_ bench: HelperBench, payload: EnrolmentPayload? = nil) -> Begin {
    var begin = Begin(.reset)
    begin.service = Array("uafctl".utf8)
    begin.payload = payload.map { Array($0.encoded.utf8) }
    return begin
  }

  @Test func `a reset by root wipes the secret, makes the keys unusable, and leaves a tombstone`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(reset(bench))
    #expect(transcript.pamCode == 0 && transcript.result == 7100 && transcript.prompts.isEmpty)
    #expect(
      transcript.finished.text
        == "The passcode of mina is reset. The server still knows its keys; they no longer open anything here. "
        + "With an enrolment code 'uafctl register mina passcode --code FILE' registers again.")
    let login = try bench.run(bench.begin(.authenticate, "nouserok"))
    #expect(login.result == 1009 && login.pamCode == 10, "a tombstone is no \"never\"")
    #expect(bench.server.requests.allSatisfy { !$0.body.isEmpty })
  }

  @Test func `a reset removes only the named one of two authenticators, and the other still works`() throws {
    let bench = try HelperBench.registeredTwice()
    #expect(try bench.run(reset(bench)).result == 7101, "none was named")
    #expect(try bench.run(reset(bench, type: "pattern")).result == 7100)
    bench.server.accepted = [["5541#0001"]]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern")).result == 1009)
  }

  @Test func `a reset by root ends a permanent lock`() throws {
    let bench = try HelperBench.registered("[passcode.lock]\nmax_lock_count = 0")
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    #expect(try bench.run(bench.begin()).result == 3014)
    #expect(try bench.run(reset(bench)).result == 7100)
    #expect(try bench.run(bench.registration(), ["battery", "battery"]).result == 0)
    #expect(try bench.run(bench.begin(), ["battery"]).result == 0)
  }

  @Test func `a reset by a person without root needs an enrolment code`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(persons(bench), peer: 4242)
    #expect(transcript.result == 7101 && transcript.pamCode == 20)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  /// Root's configuration of the server, for a bench whose account was registered at uaf-server.
  private static func configuration(_ bench: HelperBench, _ server: String) -> String {
    bench.configuration
      .replacing(
        "request_url = \"https://localhost/uaf/get\"\nresponse_url = \"https://localhost/uaf/respond\"", with: server)
  }

  @Test(arguments: [
    ("dialect = 'webauthn'\nbase_url = 'https://localhost/fido'\nenrolment = 'code'", EndCause.resetsNotTold),
    ("dialect = 'webauthn'\nbase_url = 'https://localhost/fido'\nenrolment = 'open'", .codesResetNothing),
    ("dialect = 'django-otp-webauthn'\nbase_url = 'https://localhost/fido'", .resetsNotTold),
    ("dialect = 'privacyidea'\nbase_url = 'https://localhost'", .codesResetNothing),
    (
      "request_url = 'https://localhost/uaf/get'\nresponse_url = 'https://localhost/uaf/respond'\ndialect = 'plain'",
      .codesResetNothing
    ),
    (
      "request_url = 'https://localhost/uaf/get'\nresponse_url = 'https://localhost/uaf/respond'\nenrolment = 'open'",
      .codesResetNothing
    ),
    (
      "request_url = 'https://localhost/uaf/get'\nresponse_url = 'https://localhost/uaf/respond'\nenrolment = 'token'",
      .codesResetNothing
    ),
    (
      "request_url = 'https://localhost/uaf/get'\nresponse_url = 'https://localhost/uaf/respond'\nenrolment = 'code'",
      .resetsNotSigned
    ),
    (
      "[server.registration]\nrequest_url = 'https://localhost/a'\nresponse_url = 'https://localhost/b'\n"
        + "[server.authentication]\nrequest_url = 'https://localhost/a'\nresponse_url = 'https://localhost/b'",
      .resetsNotTold
    ),
  ])
  func `a person whose server lets no code reset anything is told why, with and without a code`(
    _ server: String, _ cause: EndCause
  ) throws {
    for language in Language.allCases {
      let bench = try HelperBench.registered()
      bench.configuration = Self.configuration(bench, server)
      for payload in [nil, bench.server.payload()] {
        var begin = persons(bench, payload: payload)
        begin.locale = Array((language == .korean ? "ko_KR.UTF-8" : "C").utf8)
        let before = bench.server.requests.count
        let transcript = try bench.run(begin, peer: 4242)
        #expect(transcript.result == 7101 && bench.server.requests.count == before, "\(bench.log.lines)")
        let told = PromptText.cause(cause).text(in: language, codes: .roots)
        #expect(transcript.finished.text?.hasPrefix(told) == true, "\(transcript.finished.text ?? "")")
      }
    }
  }

  @Test func `a reset with a code that the server refuses wipes nothing`() throws {
    let bench = try HelperBench.registered(signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.deregistrationStatus = .init(rawValue: 1401)
    let transcript = try bench.run(persons(bench, payload: bench.server.payload()), peer: 4242)
    #expect(transcript.result == 7101 && transcript.pamCode == 7, "the server spoke")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test
  func `a reset with a code removes nothing from an account that the server forbids, even if it accepts the code`()
    throws
  {
    let bench = try HelperBench.registered(signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.respondStatus = .forbidden
    #expect(try bench.run(bench.begin(), ["correct"]).result == 9000)
    let before = bench.server.asked.count
    for operation in [UAFWire.Operation.reset, .deregister] {
      var begin = persons(bench, payload: bench.server.payload())
      begin.operation = operation
      let transcript = try bench.run(begin, peer: 4242)
      #expect(transcript.result == 9000 && transcript.pamCode == 7)
      #expect(transcript.finished.text?.hasPrefix("The server refused this account when this machine") == true)
    }
    #expect(bench.server.asked.count == before, "nobody is asked")
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(persons(bench, payload: bench.server.payload()), peer: 4242).result == 7100)
  }

  @Test(arguments: [UAFWire.Operation.reset, .deregister, .deregisterAll])
  func `if the server forbids a removal, it ends with 9000 each time, and its text mentions no logins`(
    operation: UAFWire.Operation
  ) throws {
    let bench = try HelperBench.registered(signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.deregistrationStatus = .forbidden
    for _ in 0..<2 {
      var begin = persons(bench, payload: bench.server.payload())
      begin.operation = operation
      if operation == .deregisterAll { begin.authenticator = nil }
      let transcript = try bench.run(begin, peer: 4242)
      #expect(transcript.result == 9000 && transcript.pamCode == 7)
      #expect(
        transcript.finished.text
          == "The server does not allow this for this account, which may be disabled: ask its administrator.")
    }
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(!document.contains("forbidden") && document.contains(#""usableTypes":4"#), "\(document)")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `only a refused login makes status show that the server forbids the account`() throws {
    let bench = try HelperBench.registered(signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    /// Runs a call that the server forbids; returns whether the status then calls the account forbidden.
    func isNoted(_ begin: Begin, _ entries: [String]) throws -> Bool {
      #expect(try bench.run(begin, entries).result == 9000, "\(bench.log.lines)")
      return try bench.run(bench.begin(.status)).finished.document?.contains(#""atServer":"forbidden""#) == true
    }
    var removal = bench.begin(.deregister)
    removal.service = Array("uafctl".utf8)
    bench.server.deregistrationStatus = .forbidden
    #expect(try !isNoted(removal, ["correct"]))
    bench.server.registrationStatus = .forbidden
    #expect(try !isNoted(bench.registration(), ["battery", "battery"]), "a request")
    bench.server.registrationStatus = .ok
    bench.server.respondStatus = .forbidden
    #expect(try !isNoted(bench.registration(), ["battery", "battery"]), "an answer")
    #expect(try isNoted(bench.begin(), ["correct"]), "a login")
  }

  @Test func `a reset with an accepted code deletes this machine's keys at the server, and wipes the secret`() throws {
    let bench = try HelperBench.registered(signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    let transcript = try bench.run(persons(bench, payload: bench.server.payload()), peer: 4242)
    #expect(transcript.result == 7100 && transcript.finished.text?.contains("still knows") == false)
    #expect(bench.server.asked.last?.op == .deregistration && bench.server.asked.last?.context.codeProof != nil)
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test
  func `a reset of one authenticator with a code asks the server to delete only that authenticator's keys`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    let begin = reset(bench, type: "pattern", payload: bench.server.payload())
    #expect(try bench.run(begin).result == 7100)
    let context = try #require(bench.server.asked.last?.context)
    #expect(context.deregisterAAID?.text == "5541#0002" && context.deregisterAll == nil)
    bench.server.accepted = [["5541#0001"]]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: [false, true])
  func `no code removes a secret unless the server signs its verdict, even if it accepts the code`(hasMachine: Bool)
    throws
  {
    let bench = try HelperBench.registered()
    if hasMachine { bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8) }
    let before = bench.server.asked.count
    let transcript = try bench.run(persons(bench, payload: bench.server.payload()), peer: 4242)
    #expect(transcript.result == 7101 && transcript.pamCode == 20)
    #expect(transcript.finished.text?.contains("have root run 'uafctl register USER --code FILE'") == true)
    #expect(bench.server.asked.count == before, "nobody is asked")
    #expect(bench.log.lines.contains { $0.contains("needs server.require_signed_verdict, which is not set") })
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a reset with a code changes nothing if the server cannot be reached`() throws {
    let bench = try HelperBench.registered(signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.server.failure = .noHandshake(.refused)
    #expect(try bench.run(persons(bench, payload: bench.server.payload()), peer: 4242).result == 4001)
    bench.server.failure = nil
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: ["nora", "root"]) func `a reset with another account's payload changes nothing`(_ name: String)
    throws
  {
    let bench = try HelperBench.registered(signed: true)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    let payload = bench.server.payload(username: name)
    #expect(try bench.run(persons(bench, payload: payload), peer: 4242).result == 1001)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a reset ends with 7102 if there is nothing to reset, and with 7103 if the system manages the secret`()
    throws
  {
    let bench = try HelperBench.registered()
    #expect(try bench.run(reset(bench)).result == 7100)
    let nothing = try bench.run(reset(bench))
    #expect(nothing.result == 7102 && nothing.pamCode == 20)
    let transcript = try bench.run(reset(bench, type: "fingerprint"))
    #expect(transcript.result == 7103 && transcript.pamCode == 20)
  }
}
