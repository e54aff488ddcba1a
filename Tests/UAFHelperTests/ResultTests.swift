import FidoResults
import Foundation
import Testing
import UAFClient
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// Results that no other suite covers: each is caused here, and has the PAM code of the table of outcomes.
@Suite struct ResultTests {
  // MARK: What the server sends

  @Test(arguments: ["", "{", "<html>", "[1200", #"{"statusCode":1200,"statusCode":1200}"#])
  func `an answer of the server that is not a message gives 1005, and no attempt is counted`(_ text: String) throws {
    let bench = try HelperBench.registered()
    bench.server.garbage = text
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1005 && transcript.pamCode == 7)
    #expect(transcript.errors.first?.hasPrefix("A message from the server was not understood.") == true)
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `an AppID that does not trust this client gives 2001, and nothing is signed`() throws {
    let bench = try HelperBench.registered()
    let answered = bench.server.answered
    for appID in ["https://elsewhere.example/facets.json", "linux:other"] {
      bench.server.appID = appID
      let transcript = try bench.run(bench.begin(), ["correct"])
      #expect(transcript.result == 2001 && transcript.pamCode == 7)
    }
    #expect(bench.server.answered == answered)
  }

  @Test(arguments: [UPV(major: 0, minor: 9), UPV(major: 1, minor: 2), UPV(major: 2, minor: 0)])
  func `an unsupported version of UAF gives 2003`(_ version: UPV) throws {
    let bench = try HelperBench.registered()
    bench.server.version = version
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 2003 && transcript.pamCode == 7)
  }

  @Test(
    arguments: [
      (1202, "The server has not decided yet: ask its administrator what it waits for."),
      (1403, "The server does not allow this for this account, which may be disabled: ask its administrator."),
      (1500, "The server reported an internal error: tell its administrator."),
    ] as [(UInt32, String)])
  func `if the server waits, forbids or fails, that gives 9000, and the text does not say to try again later`(
    _ status: UInt32, _ text: String
  ) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: status)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 9000 && transcript.pamCode == 7)
    #expect(transcript.errors == [text])
  }

  @Test(arguments: [(429, true), (500, false), (501, false), (502, true), (503, true), (504, true)])
  func `only an HTTP status that means a busy server leads to a text that says to try again later`(
    _ status: Int, _ isBusy: Bool
  ) throws {
    let bench = try HelperBench.registered()
    bench.server.httpStatus = status
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 9000 && transcript.pamCode == 7)
    let busy = "The server is busy: try again later."
    #expect(transcript.errors == [isBusy ? busy : "The server reported an internal error: tell its administrator."])
  }

  private static let revoked =
    "Revoked by the server: have root run 'uafctl register USER --code FILE' with a new enrolment code."

  @Test
  func `an account that the server has revoked is reported in a login, in a deregistration and in status`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .revokedAuthenticator
    #expect(try bench.run(bench.begin(), ["correct"]).errors == [Self.revoked])
    #expect(try bench.run(bench.begin(.deregister), ["correct"]).errors == [Self.revoked])
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(document.contains(#""atServer":"revoked""#))
    try Self.expectUnusable(document)
    bench.server.description = "lost laptop"
    let told = try bench.run(bench.begin(), ["correct"]).errors
    #expect(
      told == [
        "Revoked by the server (lost laptop): have root run 'uafctl register USER --code FILE' with a new enrolment code."
      ])
  }

  /// Expects that status reports a passcode that is set, but that no login can use.
  static func expectUnusable(_ document: String) throws {
    let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    #expect(
      json["usableTypes"] as? Int == 0 && json["registeredTypes"] as? Int == 4 && json["lockedTypes"] as? Int == 0)
    let entry = try #require((json["authenticators"] as? [[String: Any]])?.first)
    #expect(entry["state"] as? Int == 3007 && entry["stateName"] as? String == "Authenticator_State_Not_Registered")
  }

  @Test(arguments: [1404, 1480, 1481] as [UInt32])
  func `status says that the server no longer knows the account`(_ status: UInt32) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: status)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 13_006)
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(document.contains(#""atServer":"unknown""#))
    try Self.expectUnusable(document)
  }

  @Test(arguments: [1202, 1408, 1491, 1500] as [UInt32])
  func `after a refusal that can be over at the next login, status still shows the key as usable`(_ status: UInt32)
    throws
  {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: status)
    #expect(try bench.run(bench.begin(), ["correct"]).result != 0)
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(document.contains(#""state":3006"#) && document.contains(#""usableTypes":4"#), "\(document)")
  }

  @Test func `status says that the server forbids the account, until the server accepts it again`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .forbidden
    #expect(try bench.run(bench.begin(), ["correct"]).result == 9000)
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(document.contains(#""atServer":"forbidden""#))
    try Self.expectUnusable(document)
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    let again = try #require(try bench.run(bench.begin(.status)).finished.document)
    #expect(!again.contains("forbidden") && again.contains(#""usableTypes":4"#))
  }

  @Test func `if the server forbids or allows the account in a login by one key, status shows that for all its keys`()
    throws
  {
    let bench = try HelperBench.registeredTwice()
    func count() throws -> Int {
      let document = try #require(try bench.run(bench.begin(.status)).finished.document)
      return document.ranges(of: #""atServer":"forbidden""#).count
    }
    bench.server.accepted = [["5541#0001"]]
    bench.server.respondStatus = .forbidden
    #expect(try bench.run(bench.begin(), ["correct"]).result == 9000)
    #expect(try count() == 2)
    bench.server.accepted = [["5541#0002"]]
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(.authenticate, "authenticator=pattern"), ["12369"]).result == 0)
    #expect(try count() == 0)
  }

  @Test func `a key that works again is no longer reported as revoked`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .revokedAuthenticator
    try bench.run(bench.begin(), ["correct"])
    bench.server.respondStatus = .ok
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains("revoked") == false)
  }

  @Test func `a registration with a payload renews the revoked key, and asks for no other type`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .revokedAuthenticator
    try bench.run(bench.begin(), ["correct"])
    bench.server.respondStatus = .ok
    let dead = try #require(bench.server.registered)
    bench.server.knownKeys = [dead]
    bench.server.deregistrationStatus = .unknownKeyID
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    var begin = bench.registration()
    begin.authenticator = nil
    let transcript = try bench.run(begin, ["correct", "correct"])
    #expect(
      transcript.result == 0 && transcript.prompts.map(\.check) == ["passcode", "passcode"], "\(bench.log.lines)")
    #expect(bench.server.keys.count == 2 && bench.server.registered != dead)
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains("revoked") == false)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `if the server asks only for other machines' keys, status shows that, and a code renews the key`() throws {
    let bench = try HelperBench.registered()
    bench.server.policyKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    #expect(try bench.run(bench.begin(), ["correct"]).result == 2002)
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains(#""atServer":"unknown""#) == true)
    bench.server.policyKeys = nil
    bench.server.accepted = [["5541#0001"], ["5541#0002"]]
    let old = try #require(bench.server.registered)
    var begin = bench.registration()
    begin.authenticator = nil
    let transcript = try bench.run(begin, ["correct", "correct"])
    #expect(
      transcript.result == 0 && transcript.prompts.map(\.check) == ["passcode", "passcode"], "\(bench.log.lines)")
    #expect(bench.server.registered != old)
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains("unknown") == false)
  }

  @Test func `before a correct secret, a request for other machines' keys changes nothing in status`() throws {
    let bench = try HelperBench.registered()
    bench.server.policyKeys = [try KeyID(bytes: Array(repeating: 9, count: 32))]
    #expect(try bench.run(bench.begin(), ["wrong"]).result != 0)
    #expect(try bench.run(bench.begin(.status)).finished.document?.contains("unknown") == false)
  }

  @Test func `a plain server's value other than the success value is a refusal, and only the log contains it`() throws {
    let bench = try HelperBench.registered()
    bench.configuration = bench.configuration.replacing(
      "[state]", with: "dialect = \"plain\"\n[server.success]\nmember = \"result\"\nvalue = \"OK\"\n[state]")
    bench.server.plainAnswer = #"{"result":"NO_SUCH_USER"}"#
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 9999 && transcript.pamCode == 7)
    #expect(transcript.errors == ["Refused by the server."])
    #expect(bench.log.lines.last?.contains("'NO_SUCH_USER'") == true)
  }

  @Test(arguments: [1401, 1404, 1480, 1481] as [UInt32])
  func `if the server does not know the registration, a login and a registration of a new key give 13006`(
    _ status: UInt32
  ) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: status)
    let login = try bench.run(bench.begin(), ["correct"])
    #expect(login.result == 13_006 && login.pamCode == 7)
    let registration = try bench.run(bench.registration(), ["correct", "correct"])
    #expect(registration.result == 13_006 && registration.pamCode == 7)
  }

  @Test(arguments: [10_000, 12_345, 99_999] as [UInt32])
  func `a result number that the server chose itself is kept, and its text is shown without control characters`(
    _ number: UInt32
  ) throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: number)
    bench.server.description = "Ask Mina\u{1b}[31m!"
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == number && transcript.pamCode == 7)
    let told = try #require(transcript.errors.first)
    #expect(told.contains("Ask Mina") && !told.contains("\u{1b}"))
    #expect(bench.log.lines.last?.contains("result=\(number) name=SERVER_\(number) pam=7") == true)
  }

  @Test func `two used challenges in a row give 1100`() throws {
    let bench = try HelperBench.registered()
    bench.server.respondStatus = .init(rawValue: 1491)
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1100 && transcript.pamCode == 7)
  }

  // MARK: Results that the server does not cause

  private static let absences: [(NetworkFailure, String)] = [
    (.dns, "its name was not found."), (.refused, "the connection was refused."), (.timeOut, "it took too long."),
    (.tls, "no secure connection could be made."), (.unreachable, "the network is unreachable."),
  ]

  @Test(arguments: absences)
  func `an answer that does not come gives 4001 and the reason, but after the TLS handshake it is a refusal`(
    _ failure: NetworkFailure, _ why: String
  ) throws {
    let bench = try HelperBench.registered()
    bench.server.lateFailure = .noHandshake(failure)
    let absent = try bench.run(bench.begin(), ["correct"])
    #expect(absent.result == 4001 && absent.pamCode == 9)
    bench.server.failure = .afterHandshake(failure)
    let broken = try bench.run(bench.begin(), ["correct"])
    #expect(broken.result == 4001 && broken.pamCode == 7)
    for transcript in [absent, broken] { #expect(transcript.errors == ["No answer from the server: \(why)"]) }
  }

  private static let outcomes: [(FetchOutcome, TransportFailure?)] = [
    (.answered, nil), (.nameNotResolved, .noHandshake(.dns)), (.refused, .noHandshake(.refused)),
    (.unreachable, .noHandshake(.unreachable)), (.timedOut, .noHandshake(.timeOut)),
    (.tlsFailed, .withoutHandshake(.tls)),
    (.connectionLost, .withoutHandshake(.connectionLost)), (.other, .withoutHandshake(.connectionLost)),
    (.stalled, .withoutHandshake(.timeOut)), (.proxyRefused, .withoutHandshake(.proxy)), (.ownMeans, .ownMeans),
    (.certificateRefused, .certificateRefused), (.tooLarge, .answerTooLarge),
    (.unacceptableRequest, .requestNotAcceptable),
  ]

  @Test(arguments: outcomes) func `each outcome that the network program reports gives its result`(
    _ outcome: FetchOutcome, _ failure: TransportFailure?
  ) {
    #expect(TransportFailure(FetchResponse(outcome, handshakeCompleted: false)) == failure)
    var later = failure
    switch failure {
    case .noHandshake(let reason), .withoutHandshake(let reason): later = .afterHandshake(reason)
    default: break
    }
    #expect(TransportFailure(FetchResponse(outcome, handshakeCompleted: true)) == later)
  }

  @Test(arguments: [
    TransportFailure.ownMeans, .withoutHandshake(.timeOut), .withoutHandshake(.connectionLost),
    .withoutHandshake(.proxy),
  ])
  func `neither a lack of local resources nor a server that was reached counts as an unreachable server`(
    _ failure: TransportFailure
  )
    throws
  {
    let bench = try HelperBench.registered()
    for isLate in [false, true] {
      (bench.server.lateFailure, bench.server.failure) = isLate ? (failure, nil) : (nil, failure)
      let transcript = try bench.run(bench.begin(), ["correct"])
      #expect(transcript.result == 4001 && transcript.pamCode == 7)
    }
  }

  @Test func `an untrusted certificate gives 1002, and never counts as an unreachable server`() throws {
    let bench = try HelperBench.registered()
    bench.server.failure = .certificateRefused
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1002 && transcript.pamCode == 7)
  }

  @Test func `a network program that has ended gives 1006, and never counts as an unreachable server`() throws {
    let bench = try HelperBench.registered()
    bench.server.failure = .unavailable
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 1006 && transcript.pamCode == 4)
  }

  // MARK: Results that the front end causes

  @Test(arguments: [UAFWire.Operation.authenticate, .register, .deregister, .change, .reset])
  func `an unknown type that the front end names gives 1012 before anybody is asked`(_ operation: UAFWire.Operation)
    throws
  {
    let bench = try HelperBench.registered()
    var begin = operation == .register ? bench.registration() : bench.begin(operation)
    for name in ["iris", "5541#9999", ""] {
      begin.authenticator = Array(name.utf8)
      let transcript = try bench.run(begin)
      // The front end has named the type, so root has made no mistake.
      #expect(transcript.result == 1012 && transcript.pamCode == 7 && transcript.prompts.isEmpty)
    }
  }

  @Test func `a front end that ends at the prompt gives 7010, and no attempt is counted`() throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(bench.begin(), entries: [.gone])
    #expect(transcript.messages.map(\.type) == [.prompt])
    #expect(bench.log.lines.contains { $0.contains("result=7010 name=Biometry_App_Cancel pam=19") })
    #expect(try bench.triesLeft() == 3)
  }

  @Test(arguments: [UAFWire.Operation.authenticate, .change])
  func `a host that cannot prompt gives 7014, and no attempt is counted`(_ operation: UAFWire.Operation) throws {
    let bench = try HelperBench.registered()
    let transcript = try bench.run(bench.begin(operation), entries: [.noConversation])
    #expect(transcript.result == 7014 && transcript.pamCode == 19)
    #expect(try bench.triesLeft() == 3)
  }

  @Test func `a payload that has expired gives 1100`() throws {
    let bench = try HelperBench.registered()
    var begin = bench.registration()
    begin.payload = Array(bench.server.payload(expires: 1_799_999_999).encoded.utf8)
    let transcript = try bench.run(begin)
    #expect(transcript.result == 1100 && transcript.pamCode == 7 && transcript.prompts.isEmpty)
  }

  // MARK: Results that the state causes

  @Test
  func `if the derivation slots stay busy until the deadline, that gives 7011, and no attempt is counted`() throws {
    let bench = try HelperBench.registered()
    let slots = try HeldSlots(bench.folder + "/state")
    let started = bench.now.nanoseconds
    let transcript = try bench.run(bench.begin(), ["correct"])
    #expect(transcript.result == 7011 && transcript.pamCode == 4)
    #expect(bench.now.nanoseconds - started == 10_000_000_000)
    slots.free()
    #expect(try bench.triesLeft() == 3)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  private func file(_ bench: HelperBench) throws -> Database {
    try Database(path: bench.folder + "/state/accounts/4242.db")
  }

  @Test
  func `if the state fails after the old secret of a change was checked, that gives 3010, and the old secret stays`()
    throws
  {
    let bench = try HelperBench.registered()
    let file = try file(bench)
    // In the file attempts can be counted, but no secret can be set. This begins once the file was opened, because such a file
    // could not be opened.
    bench.onceOpen = {
      try? file.execute(
        """
        CREATE TRIGGER refusal BEFORE INSERT ON record WHEN NEW.kind = CAST('authenticator' AS BLOB)
        BEGIN SELECT RAISE(ABORT, 'refused by the test'); END
        """)
    }
    let transcript = try bench.run(bench.begin(.change), ["correct", "battery", "battery"])
    #expect(transcript.result == 3010 && transcript.pamCode == 20)
    try file.execute("DROP TRIGGER refusal")
    #expect(try bench.run(bench.begin(), ["battery"]).result == 3012)
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test func `if the state fails in a reset, that gives 3011, and the secret stays`() throws {
    let bench = try HelperBench.registered()
    let file = try file(bench)
    // This reader never ends, and while it reads nobody can write, however long the writer waits.
    try file.execute("BEGIN")
    try file.query("SELECT kind FROM record")
    let transcript = try bench.run(bench.begin(.reset))
    #expect(transcript.result == 3011 && transcript.pamCode == 20)
    try file.execute("COMMIT")
    #expect(try bench.run(bench.begin(), ["correct"]).result == 0)
  }

  @Test
  func `status shows 3007 for an unregistered type, 3006 for a registered, 3008 for a locked, 3005 for no sensor`()
    throws
  {
    let bench = try HelperBench()
    bench.configuration = "authenticators = [\"passcode\", \"face\"]\n" + bench.configuration
    _ = try bench.run(bench.begin(.initialise))
    #expect(try states(bench) == ["passcode": 3007, "face": 3005])
    try bench.run(bench.registration(), ["correct", "correct"])
    #expect(try states(bench) == ["passcode": 3006, "face": 3005])
    for wrong in ["wrong1", "wrong2", "wrong3"] { try bench.run(bench.begin(), [wrong]) }
    #expect(try states(bench) == ["passcode": 3008, "face": 3005])
  }

  /// The state of each type that status shows.
  private func states(_ bench: HelperBench) throws -> [String: Int] {
    let document = try #require(try bench.run(bench.begin(.status)).finished.document)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    let entries = try #require(json["authenticators"] as? [[String: Any]])
    return try entries.reduce(into: [:]) { states, entry in
      states[try #require(entry["type"] as? String)] = entry["state"] as? Int
    }
  }
}

/// Holds every derivation slot of a bench.
private final class HeldSlots {
  private var first: DerivationSlot?
  private var second: DerivationSlot?
  private var third: DerivationSlot?

  init(_ path: String) throws {
    let directory = try StateDirectory(path, owner: getuid())
    first = try Self.slot(in: directory, 0)
    second = try Self.slot(in: directory, 1)
    third = try Self.slot(in: directory, 2)
    let areTaken = first != nil && second != nil && third != nil
    #expect(areTaken)
  }

  private static func slot(in directory: borrowing StateDirectory, _ uid: UInt32) throws -> DerivationSlot? {
    guard let turn = try DerivationTurn.take(in: directory, of: .account(uid), for: .localHost) else { return nil }
    return try DerivationSlot.take(in: directory, count: 3, for: .localHost, holding: turn)
  }

  func free() {
    first = nil
    second = nil
    third = nil
  }
}
