import Foundation
import Testing
import UAFMessages
import UAFWire

@testable import UAFHelper

/// A person who has forgotten a passcode or pattern can set a new one by following the texts, whatever was tried before.
@Suite struct ForgottenValueTests {
  private func persons(_ operation: UAFWire.Operation, _ type: String? = nil) -> Begin {
    var begin = Begin(operation)
    begin.service = Array("uafctl".utf8)
    begin.authenticator = type.map { Array($0.utf8) }
    return begin
  }

  private func byCode(_ bench: HelperBench, _ type: String? = nil) -> Begin {
    var begin = persons(.register, type)
    begin.payload = Array(bench.server.payload().encoded.utf8)
    return begin
  }

  // MARK: A code sets a new secret

  @Test(arguments: [nil, "passcode"] as [String?], ["root", "person"])
  func `a registration with a code says that a secret exists, sets a new one, and asks for no other`(
    _ type: String?, _ who: String
  ) throws {
    let bench = try HelperBench.registered(signed: true)
    let old = try #require(bench.server.registered)
    bench.server.knownKeys = [old]
    var begin = bench.registration()
    begin.authenticator = type.map { Array($0.utf8) }
    let transcript =
      who == "root"
      ? try bench.run(begin, ["battery", "battery"])
      : try bench.run(byCode(bench, type), ["battery", "battery"], peer: 4242)
    #expect(transcript.result == 0, "\(bench.log.lines)")
    #expect(transcript.prompts.map(\.step) == [.new, .newAgain])
    #expect(
      transcript.infos.first?.hasPrefix("mina has a passcode on this machine already: the code sets a new") == true)
    #expect(
      transcript.finished.text
        == "mina has a new passcode. The old one is removed from this machine. The server has forgotten its key.")
    #expect(bench.server.asked.last?.context.lostKeyIDs == [old])
    #expect(try bench.run(bench.begin(), ["correct"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["battery"]).result == 0)
  }

  @Test
  func `after the server revoked the old key, no text says to have a key revoked, because that would be the new one`()
    throws
  {
    let bench = try HelperBench.registered(signed: true)
    bench.server.respondStatus = .revokedAuthenticator
    #expect(try bench.run(bench.begin(), ["correct"]).result != 0)
    bench.server.respondStatus = .ok
    bench.server.forgetsLostKeys = false
    let transcript = try bench.run(byCode(bench), ["battery", "battery"], peer: 4242)
    #expect(
      transcript.finished.text == "mina has a new passcode. The old one is removed from this machine.",
      "\(bench.log.lines)")
  }

  @Test
  func `if the server does not confirm that it forgot a valid old key, the text names that key for revocation`() throws
  {
    let bench = try HelperBench.registered(signed: true)
    let old = try #require(bench.server.registered)
    bench.server.forgetsLostKeys = false
    let transcript = try bench.run(byCode(bench), ["battery", "battery"], peer: 4242)
    #expect(transcript.finished.text?.hasSuffix("with 'uaf-server revoke --key': 5541#0001 \(old.text)") == true)
  }

  @Test
  func `with a code a locked account gets a new secret, and wrong entries of the old one no longer count`() throws {
    let bench = try HelperBench.registered("[passcode.lock]\nmax_lock_count = 0", signed: true)
    for value in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [value]) }
    #expect(try bench.run(bench.begin(), ["correct"]).result == 3014)
    #expect(try bench.run(byCode(bench), ["battery", "battery"], peer: 4242).result == 0)
    #expect(try bench.triesLeft() == 3)
    #expect(try bench.run(bench.begin(), ["battery"]).result == 0)
  }

  @Test
  func `a code that the server refuses changes nothing, and is reported before a new secret is asked for`() throws {
    let bench = try HelperBench.registered(signed: true)
    bench.server.registrationStatus = .unauthorized
    let transcript = try bench.run(byCode(bench), [], peer: 4242)
    #expect(transcript.result == 13_006 && transcript.prompts.isEmpty)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test(arguments: [UAFStatusCode(rawValue: 1498), .unauthorized, .init(rawValue: 1500)])
  func `until the server has accepted the new key, the old secret and its count stay`(_ status: UAFStatusCode) throws {
    let bench = try HelperBench.registered(signed: true)
    try bench.run(bench.begin(), ["wrong1"])
    bench.server.respondStatus = status
    #expect(try bench.run(byCode(bench), ["battery", "battery"], peer: 4242).result != 0)
    bench.server.respondStatus = .ok
    #expect(try bench.triesLeft() == 2)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `if the front end disappears before a registration ends, the old secret stays`() throws {
    let bench = try HelperBench.registered(signed: true)
    #expect(try bench.run(byCode(bench), ["battery", nil], peer: 4242).result == 999)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `with a code for two secrets the person chooses which one to set, and the other stays`() throws {
    let bench = try HelperBench.registeredTwice(signed: true)
    let transcript = try bench.run(byCode(bench), ["2", "74123", "74123"], peer: 4242)
    #expect(transcript.result == 0 && transcript.prompts.map(\.check) == ["choice", "pattern", "pattern"])
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["74123"]).result == 0)
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  @Test func `a code for a named type without a secret adds that type`() throws {
    let bench = try HelperBench.registered(signed: true)
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    let transcript = try bench.run(byCode(bench, "pattern"), ["12369", "12369"], peer: 4242)
    #expect(transcript.result == 0 && transcript.finished.text == "mina is registered.")
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["correct"]).result == 0)
  }

  @Test func `if the server does not sign its success, only root can replace the secret of an account in use`() throws {
    let bench = try HelperBench.registered()
    let refused = try bench.run(byCode(bench), [], peer: 4242)
    #expect(refused.result == 1001 && refused.infos.isEmpty && refused.prompts.isEmpty)
    #expect(refused.finished.text?.contains("'uafctl register USER --code FILE'") == true)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.registration(), ["battery", "battery"]).result == 0)
    #expect(try bench.run(bench.begin(), ["battery"]).result == 0)
  }

  @Test func `without a code, nobody is asked for a secret that only a code can replace`() throws {
    let bench = try HelperBench.registeredTwice(signed: true)
    let transcript = try bench.run(persons(.register), [], peer: 4242)
    #expect(transcript.result == 2002 && transcript.prompts.isEmpty)
    #expect(transcript.finished.text?.contains("'uafctl register --code FILE'") == true)
    #expect(try bench.triesLeft() == 3)
  }

  // MARK: What a deregistration says

  @Test(arguments: ["root", "person"])
  func `a deregistration with a code removes keys here and at the server, and names both`(_ who: String) throws {
    let bench = try HelperBench.registered(signed: true)
    var begin = who == "root" ? bench.begin(.deregister) : persons(.deregister)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(bench.server.payload().encoded.utf8)
    let transcript = try bench.run(begin, [], peer: who == "root" ? 0 : 4242)
    #expect(transcript.result == 0)
    #expect(
      transcript.finished.text == "mina is deregistered: passcode, at the server and on this machine. "
        + "With an enrolment code 'uafctl register \(who == "root" ? "mina passcode --code FILE" : "--code FILE passcode")' "
        + "registers again.")
    #expect(try bench.run(bench.begin()).result == 1009)
  }

  @Test
  func `if the server does not sign its success, no key is removed here, the text says why, and status shows it`()
    throws
  {
    let bench = try HelperBench.registered()
    var begin = persons(.deregister)
    begin.payload = Array(bench.server.payload().encoded.utf8)
    let transcript = try bench.run(begin, [], peer: 4242)
    let text = try #require(transcript.finished.text)
    #expect(transcript.result == 0 && text.hasPrefix("mina is deregistered: passcode, only at the server."))
    #expect(
      text.contains("server.require_signed_verdict") && text.contains("'uafctl register USER passcode --code FILE'"))
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains(#""atServer":"unknown""#) == true)
  }

  // MARK: Each sequence of hints

  /// The state of the account before the person's first command.
  enum State: CaseIterable {
    case never, usable, wrongEntries, lockedForAWhile, lockedForGood, revoked, forgottenByServer, behind, twoTypes
    case resetByRoot, deregistered, forgotten, damaged, otherMachines
  }

  @Test(arguments: State.allCases)
  func `if a code of a person cannot set a secret in use, no text says that a code can`(_ state: State) throws {
    for command in Self.firsts {
      let bench = try bench(state, signed: false)
      let isInUse = try bench.run(bench.begin(.status)).finished.document?.contains(#""registeredTypes":0"#) == false
      let told = try run(command, bench, state)
      guard isInUse, !command.hasPrefix("deregister") else { continue }
      #expect(!told.contains("'uafctl register --code FILE'"), "\(command): \(told)")
      if command == "status" { #expect(told.contains(#""codesSetValues":false"#), "\(told)") }
    }
  }

  @Test func `if codes cannot set a secret, a person who has forgotten it is told which command root must run`()
    throws
  {
    for (signed, command) in [(true, "'uafctl register --code FILE'"), (false, "'uafctl register USER --code FILE'")] {
      let bench = try HelperBench.registeredTwice(signed: signed)
      var told = [try bench.run(persons(.register), [], peer: 4242)]
      for value in ["wrong1", "wrong2", "wrong3"] {
        told.append(try bench.run(persons(.authenticate, "passcode"), [value, nil], peer: 4242))
      }
      bench.server.respondStatus = .revokedAuthenticator
      told.append(try bench.run(persons(.authenticate, "pattern"), ["12369"], peer: 4242))
      for transcript in [told[0], told[3], told[4]] {
        #expect(transcript.finished.text?.contains(command) == true, "\(transcript.finished.text ?? "")")
      }
    }
  }

  private static let firsts = [
    "authenticate", "change", "register", "register --code FILE", "deregister", "deregister --code FILE",
    "reset --code FILE", "repair --code FILE", "status",
  ]

  private func bench(_ state: State, signed: Bool) throws -> HelperBench {
    let lock = state == .lockedForGood ? "[passcode.lock]\nmax_lock_count = 0" : ""
    let bench =
      state == .twoTypes
      ? try HelperBench.registeredTwice(signed: signed) : try HelperBench.registered(lock, signed: signed)
    let file = bench.folder + "/state/accounts/4242.db"
    switch state {
    case .usable: break
    // This server names the key that it received last, without being asked to.
    case .twoTypes: bench.server.order = [.allKeys(try AAID("5541#0001"))]
    case .never: #expect(try bench.run(bench.begin(.forget)).result == 0)
    case .wrongEntries: try bench.run(bench.begin(), ["wrong1"])
    case .lockedForAWhile, .lockedForGood:
      for value in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [value]) }
    case .revoked, .forgottenByServer:
      bench.server.respondStatus = state == .revoked ? .revokedAuthenticator : .unknownKeyID
      try bench.run(bench.begin(), ["correct"])
      bench.server.respondStatus = .ok
    case .behind:
      let copy = try Data(contentsOf: URL(fileURLWithPath: file))
      for _ in 0..<3 { try bench.run(bench.begin(), ["correct"]) }
      try copy.write(to: URL(fileURLWithPath: file))
      bench.server.comparesCounters = true
      try bench.run(bench.begin(), ["correct"])
      bench.server.comparesCounters = false
    case .resetByRoot: #expect(try bench.run(bench.begin(.reset)).result == 7100)
    case .deregistered, .forgotten:
      #expect(try bench.run(bench.begin(.deregister), ["correct"]).result == 0)
      if state == .forgotten { #expect(try bench.run(bench.begin(.forget)).result == 0) }
    case .damaged: try Data(repeating: 7, count: 4096).write(to: URL(fileURLWithPath: file))
    case .otherMachines:
      let other = try HelperBench.registered()
      let foreign = try Data(contentsOf: URL(fileURLWithPath: other.folder + "/state/accounts/4242.db"))
      try foreign.write(to: URL(fileURLWithPath: file))
    }
    return bench
  }

  /// Runs a command as the person, or as root if the command contains USER, and returns its texts.
  private func run(_ command: String, _ bench: HelperBench, _ state: State) throws -> String {
    var words = command.split(separator: " ").map(String.init)
    let isRoots = words.contains("USER")
    let operations: [String: UAFWire.Operation] = [
      "authenticate": .authenticate, "change": .change, "register": .register, "deregister": .deregister,
      "reset": .reset, "repair": .repair, "status": .status, "forget": .forget, "unlock": .unlock,
    ]
    let operation = try #require(operations[words.removeFirst()], "\(command)")
    var begin = isRoots ? bench.begin(operation) : persons(operation)
    begin.service = Array("uafctl".utf8)
    if words.contains("FILE") { begin.payload = Array(bench.server.payload().encoded.utf8) }
    begin.authenticator = words.first { ["passcode", "pattern"].contains($0) }.map { Array($0.utf8) }
    // Nobody knows in advance whether a list is shown. An entry that does not fit the prompt is asked for again.
    let new = ["battery", "battery"]
    let old = begin.payload == nil ? ["wrong1", "wrong2", "wrong3"] : []
    let entries = (state == .twoTypes ? ["1"] : []) + old + new + new
    let transcript = try bench.run(begin, entries, peer: isRoots ? 0 : 4242)
    return [transcript.finished.text ?? "", transcript.finished.document ?? ""].joined(separator: "\n")
  }

  /// The commands that a text names, except those that need a secret that the person remembers.
  private func commands(in text: String) -> [String] {
    let named = text.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
      .filter { $0.hasPrefix("uafctl ") }.map { String($0.dropFirst("uafctl ".count)) }
    return named.filter { !$0.hasPrefix("change") && !$0.hasPrefix("repair") }
  }

  private func works(_ bench: HelperBench) throws -> Bool {
    try bench.run(bench.begin(.authenticate, "authenticator=passcode"), ["battery"]).result == 0
  }

  @Test(arguments: State.allCases, [true, false])
  func `every sequence of hints leads to a secret that works, within three commands`(_ state: State, _ signed: Bool)
    throws
  {
    var paths = Self.firsts.map { [$0] }
    while let path = paths.popLast() {
      let bench = try bench(state, signed: signed)
      var told = ""
      for command in path { told = try run(command, bench, state) }
      if try works(bench) { continue }
      // status reports a state as a number, for which uafctl shows a text and a hint.
      if path.last == "status", told.contains("\"version\"") { continue }
      // A person who wants to have no keys is not told to register, because everything is as wanted.
      if path.last?.hasPrefix("deregister") == true, told.hasPrefix("This account is not registered on this machine.") {
        continue
      }
      // No hint tells a person to use a code that this machine accepts only from root.
      if path.count > 1 { #expect(!told.hasPrefix("Without signed verdicts"), "\(path): \(told)") }
      let next = commands(in: told)
      #expect(!next.isEmpty, "\(path) ends without a way on: \(told)")
      #expect(path.count < 3, "\(path): \(told)")
      if path.count < 3 { paths += next.map { path + [$0] } }
    }
  }
}
