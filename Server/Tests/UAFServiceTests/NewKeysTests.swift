import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Which new keys the server accepts: those that somebody with a code or a key has allowed, and no others.
@Suite(.onEachStore) struct NewKeysTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func keyIDs(of username: String = "alice") async throws -> [KeyID] {
    try await server.store.read { [appID = server.identity.appID] in
      try $0.credentials.keys(of: username, appID: appID).map(\.keyID)
    }
  }

  /// A new key's response to a request that a code has allowed.
  private func answer(
    _ key: FakeAuthenticator, for username: String = "alice", deviceID: String? = nil
  ) async throws -> UAFResponse {
    var context = RequestContext(username: username)
    context.codeProof = try await server.enrol(username)
    context.deviceID = deviceID
    return try key.register(try await key.registrationRequest(from: server.get(.registration, context)))
  }

  /// A new key's response to a request that a proof has allowed.
  private func answer(_ key: FakeAuthenticator, provedBy known: FakeAuthenticator, counter: UInt32 = 1) async throws
    -> UAFResponse
  {
    var asked = RequestContext(username: "alice")
    asked.proofFor = .registration
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, asked))
    let token = try await server.respond(known.authenticate(request, counter: counter)).1
    var context = RequestContext(username: "alice")
    context.proof = try #require(token).value
    return try key.register(try await key.registrationRequest(from: server.get(.registration, context)))
  }

  // MARK: By a code

  @Test func `sending the enrolment code itself, instead of a proof that one has it, allows nothing`() async throws {
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 3, count: 10)))
    try await server.enrol("alice")
    for operation in [UAFOperation.registration, .deregistration] {
      var context = RequestContext(username: "alice")
      context.authCode = code.text
      #expect(try await server.get(operation, context).statusCode == .unauthorized)
    }
  }

  @Test func `a registration with an unreadable assertion is refused, even if it contains a good assertion, too`()
    async throws
  {
    let key = try FakeAuthenticator()
    guard case .registration(let good) = try await answer(key) else { throw TestServer.Unexpected() }
    let response = RegistrationResponse(
      header: good.header, fcParams: good.fcParams,
      assertions: good.assertions + [AuthenticatorRegistrationAssertion(assertion: [1, 2, 3])])
    #expect(try await server.respond(.registration(response), username: "alice").0 == .malformedAssertion)
    #expect(try await keyIDs().isEmpty)
    #expect(try await server.respond(.registration(good), username: "alice").0 == nil)
  }

  @Test
  func `new keys that the code's proof does not cover are refused, so whoever sees the proof cannot add other keys`()
    async throws
  {
    let (own, attackers) = (try FakeAuthenticator(), try FakeAuthenticator())
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    let request = try await own.registrationRequest(from: server.get(.registration, context))
    let honest = try server.holder.allowance(of: own.register(request))
    let forged = try attackers.register(request)
    #expect(try await server.respond(forged, username: "alice") { $0.codeMAC = honest?.codeMAC }.0 == .keysNotAllowed)
    #expect(try await server.respond(forged, username: "alice") { $0.codeMAC = nil }.0 == .keysNotAllowed)
    // The proof of the code in the request says nothing about keys.
    #expect(
      try await server.respond(forged, username: "alice") { $0.codeMAC = context.codeProof }.0 == .keysNotAllowed)
    #expect(try await keyIDs().isEmpty)
    #expect(try await server.respond(own.register(request), username: "alice").0 == nil)
    #expect(try await keyIDs() == [own.keyID])
  }

  @Test func `the code of a different account allows no new key`() async throws {
    let bobs = try #require(EnrolmentCode(random: [UInt8](repeating: 9, count: 10)))
    let key = try FakeAuthenticator()
    let response = try await answer(key)
    guard case .registration(let registration) = response else { throw TestServer.Unexpected() }
    let statement = EnrolmentCode.keysStatement(
      try KeyAllowances.statement(of: registration, for: "alice", appID: server.identity.appID))
    let mac = try KeyAllowances.proof(of: bobs, for: "alice", statement)
    #expect(try await server.respond(response, username: "alice") { $0.codeMAC = mac }.0 == .keysNotAllowed)
  }

  // MARK: By a registered key

  @Test func `a proof alone registers nothing: a registered key has to sign which keys are new`() async throws {
    let known = try await server.registered("alice")
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try await answer(further, provedBy: known)
    #expect(try await server.respond(response, username: "alice").0 == .keysNotAllowed)
    let other = try await known.register(further.registrationRequest(from: proved(by: known, 2))).text
    for text in ["", "{}", "[]", other] {
      #expect(
        try await server.respond(response, username: "alice") { $0.authorization = text.isEmpty ? nil : text }.0
          == .keysNotAllowed)
    }
    #expect(try await keyIDs() == [known.keyID])
  }

  private func proved(by known: FakeAuthenticator, _ counter: UInt32) async throws -> ReturnUAFRequest {
    var asked = RequestContext(username: "alice")
    asked.proofFor = .registration
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, asked))
    var context = RequestContext(username: "alice")
    context.proof = try await server.respond(known.authenticate(request, counter: counter)).1?.value
    return try await server.get(.registration, context)
  }

  @Test func `a signature over other keys or another request, or with another account's key, allows no new key`()
    async throws
  {
    let known = try await server.registered("alice")
    let bobs = try await server.registered("bob")
    let (own, attackers) = (try FakeAuthenticator(aaid: "5541#0002"), try FakeAuthenticator(aaid: "5541#0002"))
    let request = try await attackers.registrationRequest(from: proved(by: known, 1))
    let (honest, forged) = (try own.register(request), try attackers.register(request))
    let signed = try server.holder.authorization(of: honest, for: "alice", by: known, counter: 2)
    #expect(
      try await server.respond(forged, username: "alice") { $0.authorization = signed }.0 == .unknownChallenge)
    let strangers = try server.holder.authorization(of: forged, for: "alice", by: bobs, counter: 1)
    #expect(
      try await server.respond(forged, username: "alice") { $0.authorization = strangers }.0 == .unknownKeyID)
    let byItself = try server.holder.authorization(of: forged, for: "alice", by: attackers, counter: 1)
    #expect(try await server.respond(forged, username: "alice") { $0.authorization = byItself }.0 == .unknownKeyID)
    let second = try await attackers.register(attackers.registrationRequest(from: proved(by: known, 3)))
    #expect(
      try await server.respond(second, username: "alice") { $0.authorization = signed }.0 == .invalidServerData)
    #expect(try await keyIDs() == [known.keyID])
    #expect(
      try await server.respond(honest, username: "alice") {
        $0.authorization = try server.holder.authorization(of: honest, for: "alice", by: known, counter: 4)
      }.0 == nil)
    #expect(try await keyIDs() == [known.keyID, own.keyID])
  }

  @Test(arguments: [true, false])
  func `a new key that is not valid for administration does not replace the last administrator's only valid key`(
    isLast: Bool
  ) async throws {
    let counting = try await server.registered("alice", deviceID: "one")
    let other = try await server.registered(
      "alice", deviceID: "one", model: "5541#0002", reachesPrivileged: false)
    _ = try await server.registered("bob")
    try await server.store.write { records in
      for name in isLast ? ["alice"] : ["alice", "bob"] {
        try records.administrators.set(
          StoredAdministrator(name: name, role: "administrator", addedBy: "", addedAt: 0))
      }
    }
    let new = try FakeAuthenticator()
    var asked = RequestContext(username: "alice")
    asked.proofFor = .registration
    let login = try await TestServer.authenticationRequest(in: server.get(.authentication, asked))
    var context = RequestContext(username: "alice")
    context.proof = try await server.respond(other.authenticate(login, counter: 1)).1?.value
    (context.deviceID, context.lostKeyIDs) = ("one", [counting.keyID])
    let response = try await new.register(new.registrationRequest(from: server.get(.registration, context)))
    let signed = try server.holder.authorization(of: response, for: "alice", by: other, counter: 2)
    let refusal = try await server.respond(response, username: "alice") { $0.authorization = signed }.0
    #expect(refusal == (isLast ? .lastAdministrator : nil))
    #expect(try await keyIDs() == (isLast ? [counting.keyID, other.keyID] : [other.keyID, new.keyID]))
  }

  @Test func `neither a login nor a proof for a different purpose allows new keys`() async throws {
    let known = try await server.registered("alice")
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try await answer(further, provedBy: known)
    let login = try known.authenticate(try await server.authenticationRequest("alice"), counter: 2)
    #expect(
      try await server.respond(response, username: "alice") { $0.authorization = login.text }.0 == .invalidServerData)
    #expect(try await keyIDs() == [known.keyID])
  }

  @Test func `the signature that allows a new key raises the signing key's counter, and is refused with an old one`()
    async throws
  {
    let known = try await server.registered("alice")
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try await answer(further, provedBy: known, counter: 5)
    let old = try server.holder.authorization(of: response, for: "alice", by: known, counter: 5)
    #expect(try await server.respond(response, username: "alice") { $0.authorization = old }.0 == .counterNotIncreased)
    let good = try server.holder.authorization(of: response, for: "alice", by: known, counter: 6)
    #expect(try await server.respond(response, username: "alice") { $0.authorization = good }.0 == nil)
    let login = try await server.authenticationRequest("alice")
    #expect(try await server.respond(known.authenticate(login, counter: 6)).0 == .counterNotIncreased)
    #expect(try await server.respond(known.authenticate(login, counter: 7)).0 == nil)
  }

  @Test func `the audit names the key whose signature allowed a new key`() async throws {
    let known = try await server.registered("alice")
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try await answer(further, provedBy: known)
    let signed = try server.holder.authorization(of: response, for: "alice", by: known, counter: 2)
    #expect(try await server.respond(response, username: "alice") { $0.authorization = signed }.0 == nil)
    let row = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .registration), limit: 9) }.last?.event
    #expect(row?.detail.contains(known.keyID.text) == true && row?.authenticators.contains(further.keyID.text) == true)
  }

  // MARK: The machine

  private func machineMAC(_ response: UAFResponse, _ device: String, by secret: MachineSecret) throws -> [UInt8] {
    guard case .registration(let registration) = response else { throw TestServer.Unexpected() }
    let statement = try KeyAllowances.statement(of: registration, for: "alice", appID: server.identity.appID)
    return try HMACSHA256.authenticate(
      statement.machineStatement(deviceID: device), keyInOrdinaryMemory: secret.secret)
  }

  private func provedKeys() async throws -> [String?] {
    try await server.database.texts(
      "SELECT CASE WHEN machineProvedAt IS NULL THEN 'no' ELSE 'yes' END FROM credential ORDER BY id")
  }

  @Test func `a key is recorded as made on a joined machine only with that machine's own proof`() async throws {
    let code = try await server.joinCode(machines: 2)
    let desk = try #require(try await server.joined(code, "desk"))
    let laptop = try #require(try await server.joined(code, "laptop"))
    let key = try FakeAuthenticator()
    let response = try await answer(key, deviceID: "desk")
    let (own, others) = (
      try machineMAC(response, "desk", by: desk), try machineMAC(response, "desk", by: laptop)
    )
    let wrong: [(id: [UInt8]?, mac: [UInt8]?)] = [
      (nil, nil), (desk.machineID, nil), (nil, own), (laptop.machineID, others), (desk.machineID, others),
      (desk.machineID, try machineMAC(response, "laptop", by: desk)), (laptop.machineID, own),
    ]
    for (id, mac) in wrong {
      let refusal = try await server.respond(response, username: "alice") {
        ($0.machineID, $0.machineMAC) = (id, mac)
      }.0
      #expect(refusal == .machineNotProved)
    }
    #expect(try await keyIDs().isEmpty)
    let refusal = try await server.respond(response, username: "alice") {
      ($0.machineID, $0.machineMAC) = (desk.machineID, own)
    }.0
    #expect(refusal == nil)
    #expect(try await provedKeys() == ["yes"])
  }

  @Test func `a key is accepted under the name of a machine that has not joined, and is not recorded as made there`()
    async throws
  {
    let response = try await answer(FakeAuthenticator(), deviceID: "desk")
    #expect(try await server.respond(response, username: "alice").0 == nil)
    #expect(try await provedKeys() == ["no"])
  }

  @Test func `for new keys, a machine that has left counts as one that has not joined`() async throws {
    let desk = try #require(try await server.joined(try await server.joinCode(), "desk"))
    #expect(try await server.left(desk) != nil)
    let response = try await answer(FakeAuthenticator(), deviceID: "desk")
    let mac = try machineMAC(response, "desk", by: desk)
    let refusal = try await server.respond(response, username: "alice") {
      ($0.machineID, $0.machineMAC) = (desk.machineID, mac)
    }.0
    #expect(refusal == nil)
    #expect(try await provedKeys() == ["no"])
  }
}
