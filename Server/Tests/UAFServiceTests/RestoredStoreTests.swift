import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What a restore closes in the store, on both engines.
@Suite(.onEachStore) struct RestoredStoreTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func close() async throws {
    try await server.store.write { records in
      try records.enrolments.closeAll()
      try records.approvals.closeAll()
      try records.joinCodes.closeAll()
      try records.openRegistrations.removeAll()
    }
  }

  private func registration(_ name: String, _ code: [UInt8]) async throws -> ReturnUAFRequest {
    var context = RequestContext(username: name)
    context.codeProof = code
    return try await server.get(.registration, context)
  }

  @Test func `no enrolment code from before the restore registers anybody, and a new one does`() async throws {
    let codes = [("alice", try await server.enrol("alice")), ("bob", try await server.enrol("bob"))]
    try await close()
    for (name, code) in codes { #expect(try await registration(name, code).statusCode == .unauthorized) }
    #expect(try await registration("alice", server.enrol("alice")).statusCode == .ok)
  }

  @Test func `no join code from before the restore lets a machine join, and machines that had joined stay joined`()
    async throws
  {
    let code = try await server.joinCode(machines: 2)
    try await server.joined(code, "d1")
    try await close()
    #expect(try await server.joinRefusal(code, "d2") == .wrongJoinCode)
    #expect(try await server.store.read { try $0.joinedMachines.machine("d1")?.departedAt } == nil)
  }

  @Test func `a registration that was requested before the restore is refused, although its code was valid`()
    async throws
  {
    let authenticator = try FakeAuthenticator()
    let answer = try await registration("alice", server.enrol("alice"))
    let request = try authenticator.registrationRequest(from: answer)
    try await close()
    let (refusal, token) = try await server.respond(authenticator.register(request))
    #expect(refusal == .unknownChallenge && token == nil)
  }

  @Test func `a waiting text is gone after the restore, and the account and its key stay`() async throws {
    _ = try await server.registered("alice")
    let id = try await server.store.write { [now = server.now] records in
      try records.approvals.open("Pay 5", code: "code", for: "alice", expiresAt: now + 100)
    }
    try await close()
    let found = try await server.store.read { [now = server.now, appID = server.identity.appID] records in
      (
        try records.approvals.outcome(id: id, now: now),
        try records.approvals.check(code: "code", for: "alice", now: now),
        try records.credentials.keys(of: "alice", appID: appID).count
      )
    }
    #expect(found.0 == .closed && found.1 == nil && found.2 == 1)
  }
}
