import Authenticator
import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import UAFHelper

/// Registrations at a server that still has keys of the account which this machine has lost (1008).
@Suite struct StaleKeyTests {
  private let stranger: KeyID

  init() throws { stranger = try KeyID(bytes: Array(repeating: 9, count: 32)) }

  private func bench() throws -> HelperBench {
    let bench = try HelperBench()
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    return bench
  }

  /// A machine that has lost its state after a registration.
  ///
  /// The server has the lost key and a key of another machine.
  private func robbed(_ loss: (HelperBench) throws -> Void = Self.removeFile) throws -> (HelperBench, own: KeyID) {
    let bench = try bench()
    #expect(try register(bench).result == 0)
    let own = try #require(bench.server.registered)
    bench.server.knownKeys = [stranger, own]
    try loss(bench)
    return (bench, own)
  }

  private static func removeFile(_ bench: HelperBench) throws {
    try FileManager.default.removeItem(atPath: bench.folder + "/state/accounts/4242.db")
  }

  private func register(_ bench: HelperBench, _ entries: [String] = ["correct", "correct"]) throws -> Transcript {
    try bench.run(bench.registration(), entries)
  }

  private func saysForgotten(_ bench: HelperBench) -> Bool {
    bench.log.lines.contains { $0.contains("ERROR_ALREADY_REG_USER") }
  }

  @Test
  func `another machine's key is neither deregistered nor reported as lost, whatever the server's request contains`()
    throws
  {
    let bench = try bench()
    bench.server.knownKeys = [stranger]
    #expect(try register(bench).result == 0)
    #expect(bench.server.asked.map(\.op) == [.registration])
    #expect(bench.server.asked[0].context.lostKeyIDs.isEmpty && bench.server.knownKeys == [stranger])
    #expect(!saysForgotten(bench))
  }

  @Test func `a registration names the keys that this state folder has made and lost, and no others`() throws {
    let (bench, own) = try robbed()
    #expect(try register(bench).result == 0)
    #expect(bench.server.asked.map(\.op) == [.registration, .registration])
    #expect(bench.server.asked[1].context.lostKeyIDs == [own] && bench.server.knownKeys == [stranger])
    #expect(saysForgotten(bench))
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `the person is told once that the server forgot lost keys, and only if it did`() throws {
    func hears(_ transcript: Transcript) -> Int { transcript.infos.count { $0.contains("[1008]") } }
    let (bench, _) = try robbed()
    #expect(hears(try register(bench)) == 1)
    let (keeping, _) = try robbed()
    keeping.server.forgetsLostKeys = false
    #expect(hears(try register(keeping)) == 0)
    #expect(hears(try register(try self.bench())) == 0)
  }

  @Test
  func `without a code a registration ends with 1008 if keys were lost, and with 1001 if none were ever made`() throws {
    func codeless(_ bench: HelperBench) throws -> Transcript {
      var begin = bench.registration()
      begin.payload = nil
      return try bench.run(begin)
    }
    #expect(try codeless(try bench()).result == 1001)
    let (bench, own) = try robbed()
    let transcript = try codeless(bench)
    #expect(transcript.result == 1008 && transcript.pamCode == 7 && transcript.prompts.isEmpty)
    #expect(transcript.finished.text?.contains("that this machine has lost.\nAsk") == true)
    #expect(bench.server.knownKeys == [stranger, own])
    #expect(try register(bench).result == 0, "a code still replaces them in one step")
  }

  @Test(arguments: [UAFWire.Operation.forget, .reset])
  func `the record of the keys that were made stays after forgetting and a reset`(_ operation: UAFWire.Operation) throws
  {
    let (bench, own) = try robbed { bench in
      var begin = bench.begin(operation)
      begin.service = Array("uafctl".utf8)
      let result = try bench.run(begin).result
      #expect(result == 0 || result == 7100)
    }
    #expect(try register(bench).result == 0)
    #expect(bench.server.asked[1].context.lostKeyIDs == [own])
  }

  @Test func `a key whose success message was lost is named as lost in the next registration`() throws {
    let bench = try bench()
    bench.server.onRespond = { [unowned bench] in bench.server.lateFailure = .afterHandshake(.connectionLost) }
    #expect(try register(bench).result == 4001)
    bench.server.onRespond = nil
    bench.server.lateFailure = nil
    let own = try #require(bench.server.registered)
    #expect(try register(bench).result == 0)
    #expect(bench.server.asked.last?.context.lostKeyIDs == [own])
  }

  @Test func `if the server keeps the lost keys, no text says that it forgot them`() throws {
    let (bench, own) = try robbed()
    bench.server.forgetsLostKeys = false
    #expect(try register(bench).result == 0)
    #expect(bench.server.knownKeys == [stranger, own] && !saysForgotten(bench))
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `names no lost keys under a new server user name, from another account's record or from a changed record`()
    throws
  {
    for change in ["name", "byte", "account", "wiped"] {
      let (bench, _) = try robbed()
      let record = bench.folder + "/state/accounts/4242.made"
      switch change {
      case "name":
        bench.configuration = bench.configuration.replacing("[state]", with: "username = \"m-{user}\"\n[state]")
      case "byte":
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: record)))
        bytes[10] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: record))
        _ = unsafe chmod(record, 0o600)
      case "account": try FileManager.default.moveItem(atPath: record, toPath: record.replacing("4242", with: "4243"))
      default: try FileManager.default.removeItem(atPath: record)
      }
      var begin = bench.registration()
      if change == "name" { begin.payload = Array(bench.server.payload(username: "m-mina").encoded.utf8) }
      #expect(try bench.run(begin, ["correct", "correct"]).result == 0, "\(change) \(bench.log.lines)")
      #expect(bench.server.asked[1].context.lostKeyIDs.isEmpty, "\(change)")
    }
  }

  @Test func `keys that are still on this machine are not reported as lost`() throws {
    let bench = try bench()
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    #expect(try register(bench).result == 0)
    #expect(try bench.run(bench.registration("pattern"), ["12369", "12369"]).result == 0)
    #expect(bench.server.asked.allSatisfy { $0.context.lostKeyIDs.isEmpty })
  }

  @Test func `a deregistration tells the server which keys were made on this machine`() throws {
    let (bench, own) = try robbed()
    #expect(try register(bench).result == 0)
    bench.server.knownKeys = []
    var begin = bench.begin(.deregister)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin, ["correct"]).result == 0)
    let context = try #require(bench.server.asked.last?.context)
    #expect(context.deregisterKeyIDs == [own, try #require(bench.server.registered)])
  }

  @Test(arguments: [UInt32(1401), 1403, 1500])
  func `a refused registration keeps the record of the lost keys`(_ status: UInt32) throws {
    let (bench, own) = try robbed()
    bench.server.respondStatus = UAFStatusCode(rawValue: status)
    #expect(try register(bench).pamCode == 7)
    #expect(bench.server.knownKeys == [stranger, own] && !saysForgotten(bench))
  }

  // MARK: One of two keys is lost

  @Test
  func
    `if the server has lost the key of one of two types, a login names that type, and the other one registers it again`()
    throws
  {
    let bench = try HelperBench.registeredTwice()
    let pattern = try #require(bench.server.registered)
    var removal = Begin(.deregister)
    removal.service = Array("uafctl".utf8)
    removal.authenticator = Array("passcode".utf8)
    removal.payload = Array(bench.server.payload().encoded.utf8)
    bench.server.order = [.allKeys(try AAID("5541#0001"))]
    #expect(try bench.run(removal, peer: 4242).result == 0, "\(bench.log.lines)")
    bench.server.policyKeys = [pattern]
    let login = try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"])
    #expect(
      login.errors == [
        "The passcode is no longer registered at the server: 'uafctl register passcode' registers it again."
      ])
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains(#""atServer":"unknown""#) == true)
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("passcode".utf8)
    let transcript = try bench.run(begin, ["12369", "correct"], peer: 4242)
    #expect(transcript.result == 0, "\(bench.log.lines)")
    bench.server.policyKeys = nil
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  @Test(arguments: ["named", "last used"])
  func `the first login after the server lost one of two types' keys says the likely cause and the remedy`(
    _ way: String
  ) throws {
    let bench = try HelperBench.registeredTwice()
    let pattern = try #require(bench.server.registered)
    var begin = bench.begin(.authenticate, "authenticator=passcode")
    #expect(try bench.run(begin, ["correct"]).result == 0)
    if way == "last used" {
      begin = bench.begin()
      begin.service = Array("swaylock".utf8)
    }
    bench.server.policyKeys = [pattern]
    #expect(
      try bench.run(begin, ["correct"]).errors == [
        "The server does not ask for the passcode: it no longer has its key, or does not accept it. Use another "
          + "authenticator, or register it again: 'uafctl register passcode'."
      ])
    guard way == "last used" else { return }
    let next = try bench.run(begin, ["12369"])
    #expect(next.result == 0 && next.prompts.map(\.check) == ["pattern"], "\(next.errors)")
  }

  /// A machine with two registered types.
  ///
  /// The server refused the last login with the passcode with this status.
  private func refusing(_ status: UAFStatusCode, signed: Bool = false) throws -> HelperBench {
    let bench = try HelperBench.registeredTwice(signed: signed)
    bench.server.respondStatus = status
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result != 0)
    bench.server.respondStatus = .ok
    return bench
  }

  @Test(arguments: [UAFStatusCode.revokedAuthenticator, .unknownKeyID])
  func `a type that the server has refused is not offered as a choice`(status: UAFStatusCode) throws {
    for service in ["login", "swaylock"] {
      let bench = try refusing(status)
      var begin = bench.begin()
      begin.service = Array(service.utf8)
      let login = try bench.run(begin, ["12369"])
      #expect(login.result == 0 && login.prompts.map(\.check) == ["pattern"], "\(service) \(bench.log.lines)")
      var named = begin
      named.arguments.append(Array("authenticator=passcode".utf8))
      #expect(try bench.run(named, ["correct"]).prompts.map(\.check) == ["passcode"], "named")
    }
    let bench = try refusing(status)
    var change = bench.begin(.change)
    change.service = Array("uafctl".utf8)
    #expect(
      try bench.run(change, ["12369", "14789", "14789"]).prompts.map(\.check) == ["pattern", "pattern", "pattern"])
  }

  @Test func `with hidden registrations, a login asks for the type that the server has not refused`() throws {
    let bench = try refusing(.revokedAuthenticator)
    bench.configuration += "\n[general]\nhide_state = true\n"
    #expect(try bench.run(bench.begin(), ["12369"]).result == 0)
  }

  @Test
  func `if the server has refused both types, the person is asked as usual, and is told what the server says`() throws {
    let bench = try refusing(.revokedAuthenticator)
    bench.server.respondStatus = .revokedAuthenticator
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result != 0)
    let transcript = try bench.run(bench.begin(), ["2", "12369"])
    #expect(transcript.prompts.map(\.check) == ["choice", "pattern"] && transcript.result != 2002)
  }

  @Test func `a code replaces the type that the server has refused, without a choice`() throws {
    let bench = try refusing(.revokedAuthenticator, signed: true)
    var begin = bench.registration()
    begin.authenticator = nil
    let transcript = try bench.run(begin, ["battery", "battery"])
    #expect(
      transcript.result == 0 && transcript.prompts.map(\.check) == ["passcode", "passcode"], "\(bench.log.lines)")
  }

  @Test func `if the server lost one type's key, removing that type does not say that nothing is left`() throws {
    let bench = try HelperBench.registeredTwice()
    bench.server.policyKeys = [try #require(bench.server.registered)]
    var begin = Begin(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = Array("passcode".utf8)
    let transcript = try bench.run(begin, ["correct"], peer: 4242)
    #expect(
      transcript.finished.text == "mina is deregistered: passcode. The server no longer had this key, and now this "
        + "machine does not have it either.")
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
  }
}
