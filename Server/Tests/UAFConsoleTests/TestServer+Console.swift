import Testing
import UAFAdministration
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

extension TestServer {
  static let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  /// The administration of this server, in which accounts whose names begin with `vip` are privileged.
  var administration: AdministrationEnvironment {
    AdministrationEnvironment(
      store: store, group: { $0.hasPrefix("vip") ? AccountGroup.privileged : nil },
      members: { $0 == "office" ? ["bob", "nobody"] : nil },
      passkeys: { [environment] in environment.passkeyReach }, now: environment.now, random: environment.random,
      publicURL: Self.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      unlocks: { [keys = environment.keys] in UnlockGrants(keys: keys) },
      enrolments: { [keys = environment.keys] in EnrolmentSeal(keys: keys) },
      isAuditUnsigned: { [self] in environment.auditStanding.isOverdue(at: now) },
      unknownMachines: { [self] in environment.unknown.all(now: now) }, models: environment.models)
  }

  func make(_ name: String, _ role: Role) async throws {
    try await store.write { [now] records in
      try records.administrators.set(
        StoredAdministrator(name: name, role: role.rawValue, addedBy: "test", addedAt: now))
    }
  }

  /// Confirms the text that a payload leads to; returns the text.
  func confirm(_ line: EnrolmentPayload, with key: FakeAuthenticator, counter: UInt32) async throws -> String {
    var context = RequestContext(username: line.username)
    context.authCode = line.authCode
    let request = try await TestServer.authenticationRequest(in: get(.authentication, context))
    let text = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    let (refusal, _) = try await respond(try key.authenticate(request, counter: counter, confirming: text))
    #expect(refusal == nil)
    return text
  }

  /// A browser in which somebody has confirmed a sign-in, and has not yet opened the console.
  func confirmed(_ name: String, _ role: Role) async throws -> (ConsoleBrowser, FakeAuthenticator) {
    let key = try await registered(name, deviceID: "machine of \(name)")
    try await make(name, role)
    let browser = ConsoleBrowser(self)
    _ = await browser.post("/console/sign-in", "name=\(name)")
    _ = try await confirm(browser.line("/console/sign-in"), with: key, counter: 1)
    return (browser, key)
  }

  /// A browser in which somebody has signed in.
  func signedIn(_ name: String, _ role: Role) async throws -> (ConsoleBrowser, FakeAuthenticator) {
    let (browser, key) = try await confirmed(name, role)
    #expect(await browser.post("/console/sign-in/continue", "").status == .seeOther)
    return (browser, key)
  }
}
