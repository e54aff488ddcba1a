import AuthenticatorTypes
import Synchronization
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages
import WebAuthn
import WebMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Signing in to the console and confirming steps with a passkey.
@Suite(.onEachStore) struct ConsolePasskeyTests {
  private let server: TestServer

  init() throws {
    let models = try AuthenticatorModels.projectOwn()
    server = try TestServer(
      database: StoreEngine.current.makeDatabase(connections: 4),
      policies: AccountPolicies(everybody: AcceptedSets(each: models), passkeys: PasskeyPolicy()))
  }

  /// An account with a role and a passkey, whose code may be for a privileged account or not.
  private func passkey(of name: String, _ role: Role?, counts: Bool = true) async throws -> SoftPasskey {
    let code = try #require(EnrolmentCode(random: RandomBytes.make(EnrolmentCode.randomByteCount)))
    let sealedKey = try EnrolmentSeal(keys: server.environment.keys).seal(code, for: name, nonce: RandomBytes.make(12))
    try await server.store.write { [now = server.now] records in
      try records.accounts.add(name, now: now)
      try records.enrolments.open(sealedKey, for: name, expiresAt: now + 900)
      try records.issuedCodes.add(for: name, by: "command-line uid 0", reachesPrivileged: counts, now: now)
    }
    let service = PasskeyService(environment: server.environment)
    let options = try await service.creationOptions(
      PasskeyService.RegistrationQuestion(username: name, code: code.text))
    let passkey = try SoftPasskey()
    _ = try await service.register(service.read(.registration(passkey.register(options))))
    if let role { try await server.make(name, role) }
    return passkey
  }

  private func options(
    _ browser: ConsoleBrowser, _ path: String, _ fields: String
  ) async throws -> PublicKeyCredentialRequestOptions {
    let reply = await browser.post("\(path)/options", fields)
    #expect(reply.status == .ok, "\(ConsoleBrowser.text(reply))")
    return try PublicKeyCredentialRequestOptions(parsing: reply.body)
  }

  private func encoded(_ answer: AssertionResponse) -> String { FormFields.encoded(answer.json.text) }

  /// What the script of the sign-in page does.
  private func signIn(
    _ passkey: SoftPasskey, name: String = "", in browser: ConsoleBrowser
  ) async throws -> WebResponse {
    let options = try await options(browser, "/console/sign-in/passkey", "csrf=&name=\(name)")
    return await browser.post(
      "/console/sign-in/passkey", "csrf=&answer=\(encoded(try passkey.authenticate(options)))")
  }

  private func signedIn(_ name: String, _ role: Role) async throws -> (ConsoleBrowser, SoftPasskey) {
    let (passkey, browser) = (try await passkey(of: name, role), ConsoleBrowser(server))
    #expect(try await signIn(passkey, in: browser).status == .seeOther && browser.hasSession)
    return (browser, passkey)
  }

  @Test(arguments: ["", "alice"]) func `a passkey that counts signs an administrator in, named or not`(
    name: String
  ) async throws {
    let (passkey, browser) = (try await passkey(of: "alice", .administrator), ConsoleBrowser(server))
    let reply = try await signIn(passkey, name: name, in: browser)
    #expect(reply.status == .seeOther && browser.hasSession)
    #expect(await browser.get("/console").status == .ok)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(account: "alice"), limit: 10) }
    #expect(rows.map(\.event.kind) == [.registration, .confirmation, .consoleSignIn])
    #expect(rows.last?.event.authenticators == KeyName.passkey(passkey.id).text)
  }

  @Test
  func `only pages with a passkey or a search that follows what is typed make requests, and all run only own scripts`()
    async throws
  {
    let browser = ConsoleBrowser(server)
    let page = await browser.get("/console/sign-in")
    #expect(ConsoleBrowser.text(page).contains("<script src=\"/console/passkey.js\" defer></script>"))
    #expect(policy(page).contains("script-src 'self'") && !policy(page).contains("unsafe"))
    let (administrator, _) = try await signedIn("alice", .administrator)
    for path in ["/console/people", "/console/machines"] {
      let page = await administrator.get(path)
      #expect(
        policy(page).contains("script-src 'self'; connect-src 'self'; require-trusted-types-for 'script';"), "\(path)")
      #expect(ConsoleBrowser.text(page).contains(" data-live>") && !ConsoleBrowser.text(page).contains("<script"))
    }
    for path in ["/console", "/console/audit", "/console/about"] {
      let page = await administrator.get(path)
      let policy = policy(page)
      #expect(
        page.status == .ok && policy.contains("script-src 'self'; require-trusted-types-for 'script';"), "\(path)")
      #expect(!policy.contains("connect-src") && !policy.contains("unsafe"))
      // The one script is that which makes pages more comfortable; `text` leaves out its tag.
      #expect(
        String(decoding: page.body, as: UTF8.self).contains("<script src=\"/console/comfort-2.js\" defer></script>"))
      #expect(!ConsoleBrowser.text(page).contains("<script"))
    }
    for path in ["/console/comfort-2.js", "/console/passkey.js", "/console/style-6.css"] {
      let file = await administrator.get(path)
      #expect(file.status == .ok && !policy(file).contains("script-src"), "\(path)")
    }
  }

  private func policy(_ page: WebResponse) -> String {
    page.headers.first { "\($0.name)" == "Content-Security-Policy" }?.value ?? ""
  }

  // MARK: Refusals of sign-ins

  @Test func `a passkey that nobody vouches for opens no session`() async throws {
    let (passkey, browser) = (try await passkey(of: "alice", .administrator, counts: false), ConsoleBrowser(server))
    #expect(try await signIn(passkey, in: browser).status == .forbidden && !browser.hasSession)
  }

  @Test func `an account without a role gets no session`() async throws {
    let (passkey, browser) = (try await passkey(of: "bob", nil), ConsoleBrowser(server))
    #expect(try await signIn(passkey, in: browser).status == .forbidden && !browser.hasSession)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .consoleSignIn), limit: 10) }
    #expect(rows.map(\.event.outcome) == ["no-role"])
  }

  @Test func `an answer opens one session, and none after the passkey is revoked or the account blocked`()
    async throws
  {
    let (passkey, browser) = (try await passkey(of: "alice", .administrator), ConsoleBrowser(server))
    let options = try await options(browser, "/console/sign-in/passkey", "csrf=&name=")
    let answer = encoded(try passkey.authenticate(options))
    #expect(await browser.post("/console/sign-in/passkey", "answer=\(answer)").status == .seeOther)
    let thief = ConsoleBrowser(server)
    #expect(await thief.post("/console/sign-in/passkey", "answer=\(answer)").status == .forbidden)
    _ = try await server.store.write { [now = server.now, id = passkey.id] records in
      try records.revoke(.passkey(id, of: "alice"), Revocation(time: now, by: "test"))
    }
    #expect(try await signIn(passkey, in: thief).status == .forbidden && !thief.hasSession)
  }

  @Test func `the answer to an ordinary login opens no session, and the console's answer logs nobody in`()
    async throws
  {
    let (passkey, browser) = (try await passkey(of: "alice", .administrator), ConsoleBrowser(server))
    let service = PasskeyService(environment: server.environment)
    let login = try await service.requestOptions(for: "alice")
    let answer = encoded(try passkey.authenticate(login))
    #expect(await browser.post("/console/sign-in/passkey", "answer=\(answer)").status == .forbidden)
    let signIn = try await options(browser, "/console/sign-in/passkey", "csrf=&name=")
    await #expect(throws: ServiceRefusal.otherOperation) {
      try await service.authenticate(service.read(.authentication(passkey.authenticate(signIn))))
    }
    #expect(!browser.hasSession)
  }

  @Test(arguments: ["https://evil.test", "null", "http://console.test"])
  func `another site begins no sign-in and sends no answer`(origin: String) async throws {
    let browser = ConsoleBrowser(server)
    for path in ["/console/sign-in/passkey/options", "/console/sign-in/passkey"] {
      #expect(await browser.post(path, "name=&answer=", origin: origin).status == .forbidden)
    }
  }

  @Test(arguments: ["", "{}", "null", "[", "{\"id\":\"Zm9v\"}"])
  func `an answer that cannot be read is refused`(answer: String) async throws {
    let browser = ConsoleBrowser(server)
    let reply = await browser.post("/console/sign-in/passkey", "answer=\(FormFields.encoded(answer))")
    #expect(reply.status == .forbidden && !browser.hasSession)
  }

  // MARK: Confirming

  @Test func `a passkey confirms the step whose text the page shows`() async throws {
    let (browser, passkey) = try await signedIn("alice", .administrator)
    try await server.make("bob", .auditor)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/administrators/remove", "name=bob&csrf=\(csrf)").status == .seeOther)
    let page = ConsoleBrowser.text(await browser.get("/console/confirm"))
    #expect(page.contains("Remove administrator bob") && page.contains("/console/confirm/passkey"))
    let options = try await options(browser, "/console/confirm/passkey", "csrf=\(csrf)")
    let answer = encoded(try passkey.authenticate(options))
    let reply = await browser.post("/console/confirm/passkey", "csrf=\(csrf)&answer=\(answer)")
    #expect(reply.status == .ok)
    #expect(try await server.store.read { try $0.administrators.all() }.map(\.name) == ["alice"])
    #expect(await browser.post("/console/confirm/passkey", "csrf=\(csrf)&answer=\(answer)").status == .conflict)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .confirmation), limit: 10) }
    #expect(rows.last?.event.detail.contains("console step") == true)
  }

  @Test func `the answer to one step does not confirm another`() async throws {
    let (browser, passkey) = try await signedIn("alice", .administrator)
    for name in ["bob", "carol"] { try await server.make(name, .auditor) }
    let csrf = try await browser.csrf()
    _ = await browser.post("/console/administrators/remove", "name=bob&csrf=\(csrf)")
    let options = try await options(browser, "/console/confirm/passkey", "csrf=\(csrf)")
    _ = await browser.post("/console/administrators/remove", "name=carol&csrf=\(csrf)")
    let answer = encoded(try passkey.authenticate(options))
    #expect(
      await browser.post("/console/confirm/passkey", "csrf=\(csrf)&answer=\(answer)").status == .forbidden)
    #expect(try await server.store.read { try $0.administrators.all() }.count == 3)
  }

  @Test func `an answer to another person's step with the same text confirms nothing`() async throws {
    let (browser, _) = try await signedIn("alice", .administrator)
    let (thief, other) = try await signedIn("bob", .administrator)
    try await server.make("carol", .auditor)
    let (csrf, stolen) = (try await thief.csrf(), try await browser.csrf())
    _ = await browser.post("/console/administrators/remove", "name=carol&csrf=\(stolen)")
    _ = await thief.post("/console/administrators/remove", "name=carol&csrf=\(csrf)")
    // Both steps get one text, as they would by chance once in ten thousand tries.
    try await server.store.write { records in
      let sessions = try [browser, thief].map { try #require(SessionToken(cookie: $0.session)).hash() }
      let text = try #require(try records.consoleSessions.session(tokenHash: sessions[0])?.step).text
      let step = try #require(try records.consoleSessions.session(tokenHash: sessions[1])?.step)
      try records.consoleSessions.setStep(
        .init(id: step.id, text: text, action: step.action, code: step.code), tokenHash: sessions[1])
    }
    let options = try await options(thief, "/console/confirm/passkey", "csrf=\(csrf)")
    let answer = encoded(try other.authenticate(options))
    #expect(
      await browser.post("/console/confirm/passkey", "csrf=\(stolen)&answer=\(answer)").status == .forbidden)
    #expect(try await server.store.read { try $0.administrators.administrator("carol") } != nil)
  }

  @Test func `refused answers at the console are recorded, and limited`() async throws {
    let passkey = try await passkey(of: "alice", .administrator, counts: false)
    let told = Mutex<[String]>([])
    let browser = ConsoleBrowser(
      server,
      guarding: PasskeyGuard(
        admitsQuestion: { _, _ in true }, admitsAnswer: { _ in true },
        refused: { answer, refusal, account, address in
          told.withLock { $0.append("\(answer != nil) \(refusal?.rawValue ?? "-") \(account ?? "-") \(address)") }
          return told.withLock { $0.count } < 2
        }))
    #expect(try await signIn(passkey, in: browser).status == .forbidden)
    #expect(await browser.post("/console/sign-in/passkey", "answer={}").status == .tooManyRequests)
    #expect(
      told.withLock { $0 } == ["true not-in-policy alice 192.0.2.1", "false malformed-message - 192.0.2.1"])
  }

  @Test func `the console always wants the person verified, whatever the policy says`() async throws {
    let models = try AuthenticatorModels.projectOwn()
    let lax = try TestServer(
      database: server.database,
      policies: AccountPolicies(
        everybody: AcceptedSets(each: models), passkeys: PasskeyPolicy(requiresUserVerification: false)),
      keys: server.environment.keys)
    let passkey = try await passkey(of: "alice", .administrator)
    passkey.flags = .userPresent
    let browser = ConsoleBrowser(lax)
    #expect(try await signIn(passkey, name: "alice", in: browser).status == .forbidden && !browser.hasSession)
  }

  @Test func `another person's passkey does not confirm a step`() async throws {
    let (browser, _) = try await signedIn("alice", .administrator)
    let other = try await passkey(of: "bob", .administrator)
    let csrf = try await browser.csrf()
    _ = await browser.post("/console/administrators/remove", "name=bob&csrf=\(csrf)")
    let options = try await options(browser, "/console/confirm/passkey", "csrf=\(csrf)")
    let answer = encoded(try other.authenticate(options))
    #expect(
      await browser.post("/console/confirm/passkey", "csrf=\(csrf)&answer=\(answer)").status == .forbidden)
    #expect(try await server.store.read { try $0.administrators.all() }.count == 2)
  }

  @Test func `a script without the session's token confirms nothing`() async throws {
    let (browser, _) = try await signedIn("alice", .administrator)
    try await server.make("bob", .auditor)
    _ = await browser.post("/console/administrators/remove", "name=bob&csrf=\(try await browser.csrf())")
    for path in ["/console/confirm/passkey/options", "/console/confirm/passkey"] {
      #expect(await browser.post(path, "csrf=wrong&answer=").status == .forbidden)
    }
  }

  @Test func `without a waiting step there are no options`() async throws {
    let (browser, _) = try await signedIn("alice", .administrator)
    let reply = await browser.post("/console/confirm/passkey/options", "csrf=\(try await browser.csrf())")
    #expect(reply.status == .forbidden)
  }

  // MARK: Keys that count

  @Test func `an administrator with a passkey that counts is one who can sign in`() async throws {
    let now = server.now
    let only = try await passkey(of: "alice", .administrator)
    let reach = server.environment.passkeyReach
    #expect(try await server.store.read { try $0.hasUsableAdministrator(passkeys: reach, now: now) })
    #expect(try await !server.store.read { try $0.hasUsableAdministrator(now: now) })
    let token = AccessToken(
      name: "t", role: Role.administrator.rawValue, createdBy: "command-line uid 0", createdAt: now,
      expiresAt: now + 900, addresses: [])
    _ = try await server.store.write { try $0.accessTokens.add(token, hash: [1]) }
    let caller = Caller(actor: .token("t"), role: .administrator, address: "")
    let keys = KeyAdministration(server.administration)
    await #expect(throws: AdministrationRefusal.lastAdministrator) {
      try await keys.revoke(.passkey(only.id, of: "alice"), by: caller)
    }
    _ = try await passkey(of: "rita", .administrator)
    #expect(try await keys.revoke(.passkey(only.id, of: "alice"), by: caller) == 1)
  }

  @Test func `a passkey counts only as far as the policy accepts it`() async throws {
    let now = server.now
    _ = try await passkey(of: "alice", .administrator)
    let models = try AuthenticatorModels.projectOwn()
    let without = AccountPolicies(everybody: AcceptedSets(each: models))
    let reach = server.environment.passkeyReach
    #expect(
      try await !server.store.read { try $0.hasUsableAdministrator(meeting: without, passkeys: reach, now: now) })
    let with = AccountPolicies(everybody: AcceptedSets(each: models), passkeys: PasskeyPolicy())
    #expect(try await server.store.read { try $0.hasUsableAdministrator(meeting: with, passkeys: reach, now: now) })
    // A passkey for an earlier host of the server signs nobody in any longer.
    let moved = PasskeyReach(publicURL: "https://elsewhere.test", policies: with)
    #expect(try await !server.store.read { try $0.hasUsableAdministrator(passkeys: moved, now: now) })
  }

  @Test func `the page of a person shows their passkeys, and revokes one`() async throws {
    let (browser, _) = try await signedIn("alice", .administrator)
    let other = try await passkey(of: "bob", nil, counts: false)
    let name = Base64URL.encode(other.id)
    let page = ConsoleBrowser.text(await browser.get("/console/person?name=bob"))
    let choice = ConsoleBrowser.text(await browser.get("/console/person/revoke?name=bob"))
    #expect(page.contains(name) && choice.contains("value=\"passkey \(name)\""))
    let csrf = try await browser.csrf()
    let reply = await browser.post(
      "/console/person/revoke", "name=bob&key=passkey+\(name)&reason=lost&csrf=\(csrf)")
    #expect(reply.status == .seeOther)
    let records = try await server.store.read { try $0.passkeys.passkeys(of: "bob") }
    #expect(records.first?.revocation?.reason == "lost")
  }

  @Test func `the page of a person names a passkey's model only if the passkey is attested`() async throws {
    let text = "cb69481e-8ff7-4039-93ec-0a2729a154a8"
    let root = try X509.certificates(pem: TestServerKeys.certificatePEM)[0]
    let statement = FIDO2Statement(aaguid: text, description: "Key of a maker", attestationRootCertificates: [root])
    let own = try AuthenticatorType.allCases.map { try MetadataStatement.projectOwn($0) }
    let server = try TestServer(
      database: StoreEngine.current.makeDatabase(connections: 4),
      models: AuthenticatorModels(own, passkeys: PasskeyModels([statement])))
    let aaguid = try #require(AAGUID(text: text))
    for (name, isAttested) in [("attested", true), ("claimed", false)] {
      try await server.store.write { [now = server.now] records in
        try records.accounts.add(name, now: now)
        try records.passkeys.add(
          PasskeyRecord(
            username: name, relyingPartyID: "server.test", id: Array(name.utf8), userHandle: [1],
            publicKey: COSEKey(es256: P256.generate().publicKey), signCounter: 0, aaguid: aaguid,
            isAttested: isAttested, isBackupEligible: false, isBackedUp: false, transports: [], registeredAt: now,
            origin: KeyOrigin(issuedBy: "boss", vouchedBy: "boss")))
      }
    }
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let attested = ConsoleBrowser.text(await browser.get("/console/person?name=attested"))
    #expect(attested.contains("Key of a maker") && !attested.contains(text))
    let claimed = ConsoleBrowser.text(await browser.get("/console/person?name=claimed"))
    #expect(!claimed.contains("Key of a maker") && claimed.contains(text))
  }
}
