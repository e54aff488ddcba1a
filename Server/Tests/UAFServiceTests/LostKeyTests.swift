import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Registrations in which a machine names the keys that it has lost.
@Suite(.onEachStore) struct LostKeyTests {
  let server: TestServer

  init() throws {
    server = try TestServer()
  }

  private func keyIDs(of username: String) async throws -> [KeyID] {
    try await server.store.read { [appID = server.identity.appID] records in
      try records.credentials.keys(of: username, appID: appID).map(\.keyID)
    }
  }

  private func context(_ lost: [KeyID], device: String?) async throws -> RequestContext {
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    context.deviceID = device
    context.lostKeyIDs = lost
    return context
  }

  /// Registers a new key, and names lost ones that it replaces.
  ///
  /// - Returns: the new key, and the keys that the server says it has forgotten.
  private func register(_ lost: [KeyID], device: String? = "one") async throws -> (new: KeyID, forgotten: [KeyID]) {
    let new = try FakeAuthenticator()
    let request = try await new.registrationRequest(
      from: server.get(.registration, context(lost, device: device)))
    let response = try new.register(request)
    let body = SendUAFResponse(uafResponse: response.text, context: try server.holder.allowance(of: response)?.jsonText)
    guard
      case .accepted(_, _, _, _, let forgotten) = try await ResponseService(environment: server.environment)
        .respond(body)
    else { throw TestServer.Unexpected() }
    return (new.keyID, forgotten)
  }

  @Test(arguments: ["one", nil])
  func `a new key replaces the lost key that the client names, and the server names the lost key as forgotten`(
    _ device: String?
  ) async throws {
    let old = try await server.registered("alice", deviceID: device)
    let (new, forgotten) = try await register([old.keyID], device: device)
    #expect(forgotten == [old.keyID])
    #expect(try await keyIDs(of: "alice") == [new])
  }

  @Test
  func `keys of a different machine or person, and revoked keys, stay although a registration names them as lost`()
    async throws
  {
    let revoked = try await server.registered("alice", deviceID: "one")
    let now = server.now
    _ = try await server.store.write { records in try records.credentials.revokeAll(of: "alice", now: now) }
    let elsewhere = try await server.registered("alice", deviceID: "two")
    let bob = try await server.registered("bob", deviceID: "one")
    let (new, forgotten) = try await register([revoked.keyID, elsewhere.keyID, bob.keyID])
    #expect(forgotten.isEmpty)
    #expect(try await keyIDs(of: "alice") == [revoked.keyID, elsewhere.keyID, new])
    #expect(try await keyIDs(of: "bob") == [bob.keyID])
  }

  @Test func `a second key with the same machine id stays if the registration does not name it as lost`() async throws {
    let copied = try await server.registered("alice", deviceID: "one")
    let (new, forgotten) = try await register([])
    #expect(forgotten.isEmpty)
    #expect(try await keyIDs(of: "alice") == [copied.keyID, new])
  }

  @Test func `the request for a registration does not exclude a lost key`() async throws {
    let old = try await server.registered("alice", deviceID: "one")
    let answer = try await server.get(.registration, context([old.keyID], device: "one"))
    #expect(try FakeAuthenticator().registrationRequest(from: answer).policy.disallowed.isEmpty)
  }

  @Test func `neither a request alone nor a refused response deletes a lost key`() async throws {
    let old = try await server.registered("alice", deviceID: "one")
    let authenticator = try FakeAuthenticator()
    let request = try await authenticator.registrationRequest(
      from: server.get(.registration, context([old.keyID], device: "one")))
    #expect(try await keyIDs(of: "alice") == [old.keyID])
    let forged = try authenticator.register(request, signedBy: FakeAuthenticator())
    #expect(try await server.respond(forged).0 == .invalidAttestationSignature)
    #expect(try await keyIDs(of: "alice") == [old.keyID])
  }

  @Test func `lost keys are not deleted for a caller without a code, and more than 64 names are refused`() async throws
  {
    let old = try await server.registered("alice", deviceID: "one")
    var asked = try await context([old.keyID], device: "one")
    asked.codeProof = nil
    #expect(try await server.get(.registration, asked).statusCode == .unauthorized)
    #expect(try await keyIDs(of: "alice") == [old.keyID])
    let many = Array(repeating: old.keyID, count: 65)
    #expect(try await server.get(.registration, context(many, device: "one")).statusCode == .badRequest)
  }
}
