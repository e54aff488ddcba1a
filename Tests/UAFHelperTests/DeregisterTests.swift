import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

@Suite struct DeregisterTests {
  private func deregister(_ bench: HelperBench, _ operation: UAFWire.Operation = .deregister) throws -> Transcript {
    var begin = bench.begin(operation)
    begin.service = Array("uafctl".utf8)
    return try bench.run(begin, ["correct"])
  }

  @Test func `a deregistration proves the account with the token of a new authentication`() throws {
    let bench = try HelperBench.registered()
    #expect(try deregister(bench).result == 0)
    #expect(bench.server.asked.map(\.op) == [.registration, .authentication, .deregistration])
    #expect(bench.server.asked[1].context.proofFor == .deregistration)
    #expect(bench.server.asked[2].context.proof == "token-of-the-server")
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test func `a deregistration returns the server's token to a caller that wants it`() throws {
    for isWanted in [true, false] {
      let bench = try HelperBench.registered()
      bench.server.deregistrationToken = "gone"
      var begin = bench.begin(.deregister)
      begin.service = Array("uafctl".utf8)
      begin.wantsToken = isWanted
      let transcript = try bench.run(begin, ["correct"])
      #expect(transcript.result == 0 && transcript.finished.token == (isWanted ? "gone" : nil))
    }
  }

  @Test func `a deregistration returns no token if the server's order names other keys`() throws {
    let bench = try HelperBench.registered()
    bench.server.deregistrationToken = "gone"
    bench.server.knownKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.wantsToken = true
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 1001 && transcript.finished.token == nil)
  }

  @Test func `a server that issues no tokens decides itself whether a deregistration needs a proof`() throws {
    let bench = try HelperBench.registered()
    bench.server.token = nil
    #expect(try deregister(bench, .deregisterAll).result == 0)
    #expect(bench.server.asked[2].context.proof == nil && bench.server.asked[2].context.deregisterAll == true)
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test func `if the server's order names other keys, no key is removed here and the deregistration fails`() throws {
    let bench = try HelperBench.registered()
    bench.server.knownKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    let transcript = try deregister(bench)
    #expect(transcript.result == 1001 && transcript.pamCode == 7)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `if the server refuses to deregister, the key stays in use`() throws {
    let bench = try HelperBench.registered()
    bench.server.deregistrationStatus = .init(rawValue: 1401)
    #expect(try deregister(bench).result == 15_007)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a deregistration asks for the secret first, and sends no request after a wrong one`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["wrong1", "wrong2", nil]).result == 999)
    #expect(!bench.server.asked.map(\.op).contains(.deregistration))
  }

  // MARK: Keys that the server has forgotten

  @Test
  func `if the server forgets more keys than requested, the person is told which of them are still on this machine`()
    throws
  {
    let bench = try HelperBench.registeredTwice()
    bench.server.order = [.everything]
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("passcode".utf8)
    let transcript = try bench.run(begin, ["correct"])
    #expect(transcript.result == 0)
    #expect(
      transcript.finished.text
        == "mina is deregistered. The server has forgotten the pattern as well, which is still on "
        + "this machine: uafctl deregister mina pattern")
    #expect(bench.log.lines.contains { $0.contains("has also deleted the key of the pattern") })
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
  }

  @Test(arguments: ["status", "request"])
  func `a person can remove a key that the server has forgotten`(_ way: String) throws {
    let bench = try HelperBench.registered()
    if way == "status" {
      bench.server.respondStatus = .unknownKeyID
    } else {
      bench.server.policyKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    }
    let transcript = try deregister(bench)
    #expect(transcript.result == 0)
    #expect(
      transcript.finished.text
        == "mina is deregistered: passcode. The server no longer had this key, and now this machine does not have it either."
    )
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test
  func `a key with which the person has just logged in is kept, even if the server then says that it is unknown`()
    throws
  {
    let bench = try HelperBench.registered()
    bench.server.deregistrationStatus = .unknownKeyID
    #expect(try deregister(bench).result == 15_007)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a deregistration removes a key that the server has forgotten, and keeps the other one`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.policyKeys = [try #require(bench.server.registered)]
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("passcode".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 0)
    #expect(!bench.server.asked.map(\.op).contains(.deregistration))
    #expect(try bench.run(bench.begin(), ["12369"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode")).result == 1009)
  }

  @Test(arguments: [UInt32(1400), 1401, 1403, 1480, 1491, 1493, 1498, 1500])
  func `a key is kept if the server refuses the deregistration for any other reason`(_ status: UInt32) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: status)
    #expect(try deregister(bench).result != 0)
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a person can remove the only key on this machine alone if the server does not accept its authenticator`()
    throws
  {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .unacceptableAuthenticator
    let transcript = try deregister(bench)
    #expect(transcript.result == 0 && !bench.server.asked.map(\.op).contains(.deregistration))
    #expect(transcript.finished.text?.contains("on this machine alone. The server still lists the key") == true)
    #expect(bench.log.lines.contains { $0.contains("1 key removed, which the server does not accept") })
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test func `if the server does not accept one of two authenticators, neither key is removed`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.respondStatus = .unacceptableAuthenticator
    for operation in [UAFWire.Operation.deregister, .deregisterAll] {
      var begin = bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      if operation == .deregister { begin.authenticator = Array("passcode".utf8) }
      #expect(try bench.run(begin, operation == .deregister ? ["correct"] : ["1", "correct"]).result != 0)
    }
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  @Test func `a wrong secret removes no key whose authenticator the server does not accept`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .unacceptableAuthenticator
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["wrong1", "wrong2", nil]).result == 999)
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `after a wrong secret, a key that the server has forgotten is not removed`() throws {
    let bench = try HelperBench.registered()
    bench.server.policyKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["wrong1", "wrong2", nil]).result == 999)
    bench.server.policyKeys = nil
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `a deregistration removes only the authenticator whose key the server has forgotten`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.respondStatus = .unknownKeyID
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("pattern".utf8)
    #expect(try bench.run(begin, ["12369"]).result == 0)
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern")).result == 1009)
  }

  // MARK: A server without an address for it

  @Test
  func `without an address for deregistrations, the key is removed on this machine alone, after the right secret`()
    throws
  {
    let bench = try HelperBench.registered()
    let addresses = ["request_url = \"https://localhost/uaf/get\"", "response_url = \"https://localhost/uaf/respond\""]
    for address in addresses { bench.configuration = bench.configuration.replacing(address, with: "") }
    for operation in ["registration", "authentication"] {
      bench.configuration += "\n[server.\(operation)]\n" + addresses.joined(separator: "\n") + "\n"
    }
    let count = bench.server.asked.count
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["wrong1", "wrong2", nil]).result == 999)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    let transcript = try deregister(bench)
    #expect(transcript.result == 0 && !bench.server.asked.dropFirst(count).map(\.op).contains(.deregistration))
    #expect(transcript.finished.text?.contains("on this machine alone") == true, "\(bench.log.lines)")
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  // MARK: With a code

  private func byCode(_ bench: HelperBench, _ payload: EnrolmentPayload? = nil) -> Begin {
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array((payload ?? bench.server.payload()).encoded.utf8)
    return begin
  }

  @Test func `root deregisters with an enrolment code, without the secret`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(byCode(bench))
    #expect(transcript.result == 0 && transcript.prompts.isEmpty)
    #expect(bench.server.asked.last?.context.codeProof != nil && bench.server.asked.last?.context.proof == nil)
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test
  func `an enrolment code of a person without root deletes the keys at the server, and none on this machine`() throws {
    let bench = try HelperBench.registered()
    var begin = byCode(bench)
    (begin.uid, begin.account, begin.typedName, begin.arguments) = (nil, nil, nil, [])
    #expect(try bench.run(begin, peer: 4242).result == 0)
    #expect(try bench.triesLeft() == 3)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0, "this server never forgets")
  }

  @Test func `an enrolment code that the server refuses, or that is another account's, deregisters nothing`() throws {
    let bench = try HelperBench.registered()
    bench.server.deregistrationStatus = .init(rawValue: 1401)
    let refused = try bench.run(byCode(bench))
    #expect(refused.result == 13_006)
    #expect(
      refused.finished.text == "The server does not accept the enrolment code.\nAsk the administrator for a new one.")
    #expect(try bench.run(byCode(bench, bench.server.payload(username: "nora"))).result == 1001)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  // MARK: Scope

  /// The begin message for the account nora.
  private func nora(_ bench: HelperBench, _ operation: UAFWire.Operation) -> Begin {
    var begin = bench.begin(operation)
    begin.uid = 4243
    begin.account = Array("nora".utf8)
    begin.typedName = Array("nora".utf8)
    return begin
  }

  @Test(arguments: [DeregisterAuthenticator.everything, .allKeys(try AAID("5541#0001"))])
  func `an order to deregister all keys does not remove those of another person`(_ wildcard: DeregisterAuthenticator)
    throws
  {
    let bench = try HelperBench.registered()
    let minas = try #require(bench.server.registered)
    var registration = nora(bench, .register)
    registration.payload = Array(bench.server.payload(username: "nora").encoded.utf8)
    #expect(try bench.run(registration, ["noras-one", "noras-one"]).result == 0)
    let noras = try #require(bench.server.registered)
    bench.server.policyKeys = [minas]
    bench.server.order = [wildcard]
    #expect(try deregister(bench, .deregisterAll).result == 0)
    #expect(try bench.run(bench.begin()).result == 1009)
    bench.server.policyKeys = [noras]
    #expect(try bench.run(nora(bench, .authenticate), ["noras-one"]).result == 0)
  }

  @Test(arguments: [DeregisterAuthenticator.everything, .allKeys(try AAID("5541#0001"))])
  func `an order to deregister all keys does not remove those of another application`(
    _ wildcard: DeregisterAuthenticator
  ) throws {
    let bench = try HelperBench.registered()
    let first = try #require(bench.server.registered)
    let configuration = bench.configuration
    bench.configuration = configuration.replacing("[server]", with: "[server]\nfacet_id = \"linux:other\"")
    var repair = bench.registration()
    repair.operation = .repair
    #expect(try bench.run(repair, ["correct"]).result == 0)
    bench.server.order = [wildcard]
    #expect(try deregister(bench, .deregisterAll).result == 0)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 2002)
    bench.configuration = configuration
    bench.server.policyKeys = [first]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `an order to deregister all keys of another authenticator removes nothing`() throws {
    let bench = try HelperBench.registered()
    bench.server.order = [.allKeys(try AAID("5541#0002"))]
    #expect(try deregister(bench, .deregisterAll).result == 1001)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: ["biometric", "iris", "5541#0009", ""])
  func `deregistering a type that does not exist gives 1012 before anybody is asked`(type: String) throws {
    let bench = try HelperBench.registered()
    for enabled in ["", "authenticators = [\"passcode\", \"face\", \"fingerprint\"]\n"] {
      bench.configuration = enabled + bench.configuration
      for operation in [UAFWire.Operation.deregister, .authenticate, .register, .change, .reset] {
        var begin = bench.begin(operation)
        begin.service = Array("uafctl".utf8)
        begin.authenticator = Array(type.utf8)
        let transcript = try bench.run(begin)
        #expect(transcript.result == 1012 && transcript.prompts.isEmpty, "\(operation) \(type): \(bench.log.lines)")
        #expect(transcript.finished.text?.hasPrefix("There is no such authenticator type.") == true)
      }
    }
  }

  @Test(arguments: [nil, "passcode"]) func `a deregistration that finds nothing does not advise the person to register`(
    type: String?
  )
    throws
  {
    let bench = try HelperBench.registered()
    #expect(try deregister(bench, .deregisterAll).result == 0)
    for operation in [UAFWire.Operation.deregister, .deregisterAll] {
      var begin = bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      if operation == .deregister { begin.authenticator = type.map { Array($0.utf8) } }
      for payload in [nil, Array("00000-00000-00000-00000".utf8)] {
        begin.payload = payload
        let transcript = try bench.run(begin)
        #expect(transcript.result == 1009, "\(bench.log.lines)")
        #expect(transcript.finished.text == "This account is not registered on this machine.")
      }
    }
  }

  @Test func `deregistering a type that exists but is disabled does not report an unknown type`() throws {
    let bench = try HelperBench.registered()
    for type in ["pattern", "fingerprint"] {
      bench.configuration =
        "authenticators = [\"passcode\"]\n"
        + bench.configuration.replacing(
          "authenticators = [\"passcode\"]\n", with: "")
      var begin = bench.begin(.deregister)
      begin.authenticator = Array(type.utf8)
      #expect(try bench.run(begin).result == 2002)
    }
  }
}
