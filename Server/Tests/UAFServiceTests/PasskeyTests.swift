import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import ServerTesting
@testable import UAFService

/// A server that accepts passkeys, and what a person does there.
struct PasskeyHouse {
  let server: TestServer

  init(
    _ passkeys: PasskeyPolicy? = PasskeyPolicy(), groups: [AccountGroup] = [], models: AuthenticatorModels? = nil
  ) throws {
    let models = try models ?? .projectOwn()
    server = try TestServer(
      policies: AccountPolicies(everybody: AcceptedSets(each: models), passkeys: passkeys, groups: groups),
      models: models)
  }

  var service: PasskeyService { PasskeyService(environment: server.environment) }

  /// Opens a code for an account, and returns it as it is typed.
  func code(
    of username: String, reachesPrivileged: Bool = false, _ given: EnrolmentCode? = nil
  ) async throws -> String {
    let random = try RandomBytes.make(EnrolmentCode.randomByteCount)
    let code = try #require(given ?? EnrolmentCode(random: random))
    let sealedKey = try EnrolmentSeal(keys: server.environment.keys).seal(
      code, for: username, nonce: RandomBytes.make(12))
    let now = server.now
    try await server.store.write { records in
      try records.accounts.add(username, now: now)
      try records.enrolments.open(sealedKey, for: username, expiresAt: now + 900)
      try records.issuedCodes.add(for: username, by: "token desk", reachesPrivileged: reachesPrivileged, now: now)
    }
    return code.text
  }

  func creationOptions(
    _ username: String, code: String?
  ) async throws -> PublicKeyCredentialCreationOptions {
    try await service.creationOptions(PasskeyService.RegistrationQuestion(username: username, code: code))
  }

  @discardableResult func register(
    _ passkey: SoftPasskey, for options: PublicKeyCredentialCreationOptions
  ) async throws -> AcceptedPasskey {
    try await service.register(service.read(.registration(passkey.register(options))))
  }

  /// Registers a new passkey with a new code.
  func registered(_ username: String, _ change: (SoftPasskey) -> Void = { _ in }) async throws -> SoftPasskey {
    let passkey = try SoftPasskey()
    change(passkey)
    try await register(passkey, for: creationOptions(username, code: code(of: username)))
    return passkey
  }

  @discardableResult func authenticate(
    _ passkey: SoftPasskey, as username: String?, _ change: (SoftPasskey) -> Void = { _ in }
  ) async throws -> AcceptedPasskey {
    let options = try await service.requestOptions(for: username)
    change(passkey)
    return try await service.authenticate(service.read(.authentication(passkey.authenticate(options))))
  }

  func records(of username: String) async throws -> [PasskeyRecord] {
    try await server.store.read { try $0.passkeys.passkeys(of: username) }
  }
}

@Suite(.onEachStore) struct PasskeyTests {
  @Test func `a passkey that was registered with a code logs in, and its counter is kept`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina") { $0.counter = 4 }
    let accepted = try await house.authenticate(passkey, as: "mina") { $0.counter = 5 }
    #expect(accepted.username == "mina" && accepted.id == passkey.id)
    let claims = try #require(VerdictToken(keys: house.server.environment.keys).claims(of: accepted.token.value))
    #expect(claims.subject == "mina" && claims.operation == .authentication && claims.purpose == "login")
    #expect(claims.keyIDs == [Base64URL.encode(passkey.id)] && claims.use.isEmpty)
    let record = try #require(await house.records(of: "mina").first)
    #expect(record.signCounter == 5 && record.lastUsedAt == house.server.now && record.origin.issuedBy == "token desk")
    #expect(record.origin.vouchedBy == nil && !record.isAttested)
  }

  @Test func `a person who names no account is the one whose passkey signs`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    #expect(try await house.authenticate(passkey, as: nil).username == "mina")
    await #expect(throws: ServiceRefusal.malformedAssertion) {
      try await house.authenticate(passkey, as: nil) { $0.userHandle = nil }
    }
    await #expect(throws: ServiceRefusal.otherPasskey) {
      try await house.authenticate(passkey, as: nil) { $0.userHandle = [1, 2, 3] }
    }
  }

  @Test func `all passkeys of an account have one user handle, and the options of another registration exclude them`()
    async throws
  {
    let house = try PasskeyHouse()
    let first = try await house.registered("mina")
    let options = try await house.creationOptions("mina", code: house.code(of: "mina"))
    #expect(options.user.id == first.userHandle && options.excludedCredentials.map(\.id) == [first.id])
    let other = try await house.creationOptions("jun", code: house.code(of: "jun"))
    #expect(other.user.id != options.user.id && other.excludedCredentials.isEmpty)
  }

  @Test func `the relying party is the host without its port, and a module on a workstation may answer for it`()
    async throws
  {
    let house = try PasskeyHouse()
    let options = try await house.creationOptions("mina", code: house.code(of: "mina"))
    #expect(options.relyingParty.id == "server.test")
    #expect(options.userVerification == .required && options.attestation == .none)
    let passkey = try SoftPasskey()
    passkey.origin = "linux://server.test"
    try await house.register(passkey, for: options)
    try await house.authenticate(passkey, as: "mina")
  }

  @Test(arguments: [
    ("https://uaf.example.com", ["https://uaf.example.com", "linux://uaf.example.com"]),
    ("https://UAF.example.com:443/base", ["https://uaf.example.com", "linux://uaf.example.com"]),
    ("https://localhost:8443", ["https://localhost:8443", "linux://localhost"]),
  ])
  func `origins are written as browsers write them`(url: String, origins: [String]) throws {
    #expect(try PasskeyRelyingParty(publicURL: url)?.origins == origins)
  }

  @Test(arguments: ["https://192.0.2.7:8443", "https://[2001:db8::1]", "http://uaf.example.com", "https://", ""])
  func `an address that is no domain has no passkeys`(url: String) throws {
    #expect(try PasskeyRelyingParty(publicURL: url) == nil)
  }

  @Test func `a passkey can be registered with a code of 20 characters, which an earlier version has issued`()
    async throws
  {
    let house = try PasskeyHouse()
    let code = try await house.code(of: "mina", EnrolmentCode(typed: "B9D5M-PJTB9-D5MPJ-TBH2P"))
    try await house.register(SoftPasskey(), for: house.creationOptions("mina", code: code.lowercased()))
    #expect(try await house.records(of: "mina").count == 1)
  }

  // MARK: Refusals of registrations

  @Test func `a registration needs the open code of the account, and uses it up`() async throws {
    let house = try PasskeyHouse()
    let (mine, other) = (try await house.code(of: "mina"), try await house.code(of: "jun"))
    for wrong in [nil, "", "nonsense", other] {
      await #expect(throws: ServiceRefusal.wrongEnrolmentCode) { try await house.creationOptions("mina", code: wrong) }
    }
    await #expect(throws: ServiceRefusal.wrongEnrolmentCode) { try await house.creationOptions("nobody", code: mine) }
    let options = try await house.creationOptions("mina", code: mine)
    try await house.register(SoftPasskey(), for: options)
    await #expect(throws: ServiceRefusal.enrolmentCodeUsed) { try await house.register(SoftPasskey(), for: options) }
    await #expect(throws: ServiceRefusal.wrongEnrolmentCode) { try await house.creationOptions("mina", code: mine) }
    #expect(try await house.records(of: "mina").count == 1)
  }

  @Test func `only the newest options that a code has opened can be answered`() async throws {
    let house = try PasskeyHouse()
    let code = try await house.code(of: "mina")
    let earlier = try await house.creationOptions("mina", code: code)
    let newest = try await house.creationOptions("mina", code: code)
    // The code is still good, so the person begins again.
    await #expect(throws: ServiceRefusal.unknownChallenge) { try await house.register(SoftPasskey(), for: earlier) }
    try await house.register(SoftPasskey(), for: newest)
  }

  @Test func `two answers to one code at the same time leave one passkey`() async throws {
    let house = try PasskeyHouse()
    let options = try await house.creationOptions("mina", code: house.code(of: "mina"))
    let service = house.service
    let answers = try (0..<4).map { _ in try service.read(.registration(SoftPasskey().register(options))) }
    await withTaskGroup(of: Void.self) { group in
      for answer in answers { group.addTask { _ = try? await service.register(answer) } }
    }
    #expect(try await house.records(of: "mina").count == 1)
  }

  @Test func `an identifier that any account has is refused`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let options = try await house.creationOptions("jun", code: house.code(of: "jun"))
    let copy = try SoftPasskey()
    copy.id = passkey.id
    await #expect(throws: ServiceRefusal.keyAlreadyRegistered) { try await house.register(copy, for: options) }
    #expect(try await house.records(of: "jun").isEmpty)
  }

  static let wrongAnswers: [(String, ServiceRefusal, @Sendable (SoftPasskey) -> Void)] = [
    ("another origin", .otherOrigin, { $0.origin = "https://server.test" }),
    ("an origin that only begins alike", .otherOrigin, { $0.origin = "https://server.test:8443.evil.test" }),
    ("another relying party", .otherRelyingParty, { $0.relyingPartyID = "evil.test" }),
    ("nobody there", .userNotVerified, { $0.flags = [.userVerified] }),
    ("nobody verified", .userNotVerified, { $0.flags = [.userPresent] }),
    ("a copy of what may not be copied", .malformedAssertion, { $0.flags.insert(.backedUp) }),
    ("the other ceremony", .otherOperation, { $0.claimsOtherCeremony = true }),
  ]

  @Test(arguments: wrongAnswers.indices)
  func `a wrong answer is refused in both ceremonies, and stores nothing`(index: Int) async throws {
    let (_, refusal, change) = Self.wrongAnswers[index]
    let house = try PasskeyHouse()
    let options = try await house.creationOptions("mina", code: house.code(of: "mina"))
    let passkey = try SoftPasskey()
    change(passkey)
    await #expect(throws: refusal) { try await house.register(passkey, for: options) }
    #expect(try await house.records(of: "mina").isEmpty)
    let known = try await house.registered("jun")
    await #expect(throws: refusal) { try await house.authenticate(known, as: "jun", change) }
    #expect(try await house.records(of: "jun").first?.lastUsedAt == nil)
  }

  // MARK: Refusals of logins

  @Test func `an answer is accepted once`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let options = try await house.service.requestOptions(for: "mina")
    let answer = try house.service.read(.authentication(passkey.authenticate(options)))
    _ = try await house.service.authenticate(answer)
    await #expect(throws: ServiceRefusal.unknownChallenge) { try await house.service.authenticate(answer) }
  }

  @Test func `of several deliveries of one answer at the same time, one is accepted`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let service = house.service
    let options = try await service.requestOptions(for: "mina")
    let answer = try service.read(.authentication(passkey.authenticate(options)))
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? await service.authenticate(answer)) != nil } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(accepted == 1)
  }

  @Test func `options that have expired cannot be answered`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let options = try await house.service.requestOptions(for: "mina")
    house.server.advance(seconds: IssuedRequest.lifetime)
    #expect(throws: ServiceRefusal.expiredChallenge) {
      try house.service.read(.authentication(passkey.authenticate(options)))
    }
  }

  @Test func `a challenge with any bit changed is not one of this server`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    var options = try await house.service.requestOptions(for: "mina")
    let challenge = options.challenge
    for bit in 0..<challenge.count * 8 {
      options.challenge = challenge
      options.challenge[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: ServiceRefusal.invalidServerData) {
        try house.service.read(.authentication(passkey.authenticate(options)))
      }
    }
    for count in 0..<challenge.count {
      options.challenge = Array(challenge.prefix(count))
      #expect(throws: ServiceRefusal.invalidServerData) {
        try house.service.read(.authentication(passkey.authenticate(options)))
      }
    }
  }

  @Test func `the options of one ceremony cannot be answered in the other`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let login = try await house.service.requestOptions(for: "mina")
    var creation = try await house.creationOptions("mina", code: house.code(of: "mina"))
    let registration = creation.challenge
    creation.challenge = login.challenge
    await #expect(throws: ServiceRefusal.otherOperation) { try await house.register(SoftPasskey(), for: creation) }
    var options = login
    options.challenge = registration
    let answer = try house.service.read(.authentication(passkey.authenticate(options)))
    await #expect(throws: ServiceRefusal.otherOperation) { try await house.service.authenticate(answer) }
  }

  @Test func `a counter that did not rise is refused, and zero stays zero`() async throws {
    let house = try PasskeyHouse()
    let counting = try await house.registered("mina") { $0.counter = 4 }
    await #expect(throws: ServiceRefusal.counterNotIncreased) { try await house.authenticate(counting, as: "mina") }
    let silent = try await house.registered("jun")
    try await house.authenticate(silent, as: "jun")
    try await house.authenticate(silent, as: "jun")
  }

  @Test func `the passkey of another account, an unknown one and a wrong signature are refused alike`() async throws {
    let house = try PasskeyHouse()
    let (mina, jun) = (try await house.registered("mina"), try await house.registered("jun"))
    await #expect(throws: ServiceRefusal.invalidSignature) { try await house.authenticate(jun, as: "mina") }
    await #expect(throws: ServiceRefusal.invalidSignature) { try await house.authenticate(SoftPasskey(), as: "mina") }
    await #expect(throws: ServiceRefusal.invalidSignature) { try await house.authenticate(SoftPasskey(), as: "nobody") }
    let stranger = try SoftPasskey()
    stranger.id = mina.id
    await #expect(throws: ServiceRefusal.invalidSignature) { try await house.authenticate(stranger, as: "mina") }
    // A wrong handle or flag is told only to whoever signs.
    stranger.userHandle = [9]
    await #expect(throws: ServiceRefusal.invalidSignature) { try await house.authenticate(stranger, as: "mina") }
    await #expect(throws: ServiceRefusal.invalidSignature) {
      try await house.authenticate(mina, as: "mina") { $0.breaksSignature = true }
    }
  }

  @Test func `whether a passkey may be copied never changes, and whether it was copied is kept`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina") { $0.flags.insert(.backupEligible) }
    #expect(try await house.records(of: "mina").first?.isBackedUp == false)
    try await house.authenticate(passkey, as: "mina") { $0.flags.insert(.backedUp) }
    #expect(try await house.records(of: "mina").first?.isBackedUp == true)
    await #expect(throws: ServiceRefusal.otherPasskey) {
      try await house.authenticate(passkey, as: "mina") { $0.flags.subtract([.backedUp, .backupEligible]) }
    }
  }

  // MARK: Policies, blocks, revocations

  @Test func `without passkeys in the policy nobody registers or uses one`() async throws {
    let house = try PasskeyHouse(nil)
    let code = try await house.code(of: "mina")
    await #expect(throws: ServiceRefusal.passkeysNotAccepted) { try await house.creationOptions("mina", code: code) }
    for name in ["mina", "nobody", nil] {
      await #expect(throws: ServiceRefusal.passkeysNotAccepted) { try await house.service.requestOptions(for: name) }
    }
  }

  @Test func `a policy without synced passkeys refuses those that may be copied`() async throws {
    let house = try PasskeyHouse(PasskeyPolicy(acceptsSynced: false))
    try await house.authenticate(house.registered("mina"), as: "mina")
    let options = try await house.creationOptions("jun", code: house.code(of: "jun"))
    let synced = try SoftPasskey()
    synced.flags.insert(.backupEligible)
    await #expect(throws: ServiceRefusal.notInPolicy) { try await house.register(synced, for: options) }
  }

  @Test func `a policy may do without verification of the person`() async throws {
    let house = try PasskeyHouse(PasskeyPolicy(requiresUserVerification: false))
    #expect(try await house.service.requestOptions(for: "mina").userVerification == .preferred)
    let passkey = try await house.registered("mina") { $0.flags = .userPresent }
    try await house.authenticate(passkey, as: "mina")
    // A person who names no account is always verified: whose policy it is becomes known only afterwards.
    await #expect(throws: ServiceRefusal.userNotVerified) { try await house.authenticate(passkey, as: nil) }
  }

  @Test func `a group has its own rule for passkeys, which holds for a nameless login too`() async throws {
    let models = try AuthenticatorModels.projectOwn()
    let group = AccountGroup(name: "operators", accounts: ["mina"], accepted: AcceptedSets(each: models))
    let house = try PasskeyHouse(groups: [group])
    await #expect(throws: ServiceRefusal.passkeysNotAccepted) { try await house.service.requestOptions(for: "mina") }
    let passkey = try await house.registered("jun")
    try await house.authenticate(passkey, as: nil)
  }

  @Test func `a disabled account is refused, and only who signs learns that it is`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let now = house.server.now
    let options = try await house.service.requestOptions(for: "mina")
    _ = try await house.server.store.write { records in
      try records.accounts.setBlock(AccountBlock(since: now, until: nil, reason: "", actor: "server"), of: "mina")
    }
    let answer = try house.service.read(.authentication(passkey.authenticate(options)))
    await #expect(throws: ServiceRefusal.accountDisabled) { try await house.service.authenticate(answer) }
    await #expect(throws: ServiceRefusal.invalidSignature) { try await house.authenticate(SoftPasskey(), as: "mina") }
    let code = try await house.code(of: "mina")
    await #expect(throws: ServiceRefusal.accountDisabled) { try await house.creationOptions("mina", code: code) }
  }

  @Test(arguments: [true, false]) func `a revoked passkey is refused, whether alone or with all keys`(
    all: Bool
  ) async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let now = house.server.now
    let selection: KeySelection = all ? .all(of: "mina") : .passkey(passkey.id, of: "mina")
    let count = try await house.server.store.write { try $0.revoke(selection, Revocation(time: now, by: "server")) }
    #expect(count == 1)
    await #expect(throws: ServiceRefusal.revokedKey) { try await house.authenticate(passkey, as: "mina") }
    // Its owner may register again.
    _ = try await house.registered("mina")
  }

  @Test func `a revocation during a login wins`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    let now = house.server.now
    let used = UsedPasskey(id: passkey.id, signCounter: 0, isBackedUp: false)
    _ = try await house.server.store.write { try $0.revoke(.all(of: "mina"), Revocation(time: now, by: "server")) }
    let answer = VerifiedResponse(
      username: "mina", challengeHash: [1], expiresAt: now + 60, signatures: [], passkey: used, confirmedTexts: [],
      approvalID: nil, now: now)
    #expect(try await house.server.store.refusal(of: answer) == .counterNotIncreased)
  }

  @Test func `an account has a limited number of passkeys`() async throws {
    let house = try PasskeyHouse()
    for _ in 0..<PasskeyRecord.mostOfAccount { _ = try await house.registered("mina") }
    let code = try await house.code(of: "mina")
    await #expect(throws: ServiceRefusal.tooManyKeys) { try await house.creationOptions("mina", code: code) }
  }

  // MARK: What strangers see

  @Test func `a name without passkeys gets a decoy that stays the same`() async throws {
    let house = try PasskeyHouse()
    let first = try await house.service.requestOptions(for: "nobody")
    let again = try await house.service.requestOptions(for: "nobody")
    #expect(first.allowedCredentials == again.allowedCredentials && first.challenge != again.challenge)
    #expect(first.allowedCredentials.map(\.id.count) == [32])
    #expect(first.allowedCredentials.first?.transports == ["internal"])
    let other = try await house.service.requestOptions(for: "noone")
    #expect(other.allowedCredentials != first.allowedCredentials)
    #expect(other.challenge.count == first.challenge.count - 1)
  }

  @Test func `decoys take the shapes of the passkeys that accounts have`() async throws {
    let house = try PasskeyHouse()
    _ = try await house.registered("mina") {
      $0.id = Array(repeating: 7, count: 20)
      $0.transports = ["hybrid", "internal", "telepathy"]
    }
    let shapes = house.server.environment.passkeyShapes
    try await shapes.refresh(house.server.store, appID: house.server.identity.appID)
    for name in ["nobody", "noone", "mina"] {
      let allowed = try await house.service.requestOptions(for: name).allowedCredentials
      #expect(allowed.map(\.id.count) == [20] && allowed.map(\.transports) == [["hybrid", "internal"]])
    }
  }

  @Test func `a request names no more passkeys than an account may have, the usable ones always`() async throws {
    let house = try PasskeyHouse()
    let now = house.server.now
    let first = try await house.registered("mina")
    for _ in 0..<PasskeyRecord.mostOfAccount + 4 {
      let lost = try await house.registered("mina").id
      _ = try await house.server.store.write {
        try $0.revoke(.passkey(lost, of: "mina"), Revocation(time: now, by: "server"))
      }
    }
    let allowed = try await house.service.requestOptions(for: "mina").allowedCredentials
    #expect(allowed.count == PasskeyRecord.mostOfAccount && allowed.contains { $0.id == first.id })
    let shapes = house.server.environment.passkeyShapes
    try await shapes.refresh(house.server.store, appID: house.server.identity.appID)
    #expect(try await house.service.requestOptions(for: "nobody").allowedCredentials.count == allowed.count)
  }

  @Test func `session data of UAF is no challenge for a passkey`() async throws {
    let house = try PasskeyHouse()
    let request = try await house.server.authenticationRequest("mina")
    let data = try Base64URL.decode(try #require(request.header.serverData), maximumCount: 2000)
    let passkey = try SoftPasskey()
    let options = PublicKeyCredentialRequestOptions(
      challenge: request.challenge.bytes + data, relyingPartyID: "server.test")
    #expect(throws: ServiceRefusal.invalidServerData) {
      try house.service.read(.authentication(passkey.authenticate(options)))
    }
  }

  @Test func `whose passkey has signed is known of a refusal after the signature, and of no other`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina") { $0.counter = 4 }
    func owner(_ change: (SoftPasskey) -> Void) async throws -> String? {
      var owner: String?
      let options = try await house.service.requestOptions(for: nil)
      change(passkey)
      let answer = try house.service.read(.authentication(passkey.authenticate(options)))
      await #expect(throws: ServiceRefusal.self) {
        try await house.service.authenticate(answer, signed: { owner = $0 })
      }
      return owner
    }
    #expect(try await owner { $0.counter = 4 } == "mina")
    #expect(try await owner { $0.breaksSignature = true } == nil)
  }

  // MARK: The audit

  @Test func `registrations and logins have rows that name the passkey`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    try await house.authenticate(passkey, as: "mina")
    let rows = try await house.server.store.read { try $0.audit.rows(AuditFilter(account: "mina"), limit: 10) }
    let name = Base64URL.encode(passkey.id)
    #expect(rows.map(\.event.kind) == [.registration, .login])
    #expect(rows.map(\.event.authenticators) == ["passkey \(name)", "passkey \(name) 0"])
  }

  @Test func `an account that is deleted takes its passkeys along`() async throws {
    let house = try PasskeyHouse()
    let passkey = try await house.registered("mina")
    _ = try await house.server.store.write { try $0.accounts.remove("mina") }
    #expect(try await house.records(of: "mina").isEmpty)
    await #expect(throws: ServiceRefusal.invalidSignature) { try await house.authenticate(passkey, as: "mina") }
  }
}
