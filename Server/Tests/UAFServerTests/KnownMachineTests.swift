import NIOCore
import NIOHTTP1
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

import struct UAFMessages.RequestContext

/// Machines that prove themselves over HTTP; all requests of these tests come from one address.
struct KnownMachineTests {
  private let server: TestServer
  private let address: SocketAddress

  init() throws {
    server = try TestServer()
    address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
  }

  private func header(
    _ secret: MachineSecret?, _ operation: UAFOperation = .authentication, answers: Bool, account: String = "alice"
  ) throws -> HTTPHeaders {
    var headers: HTTPHeaders = ["Content-Type": "application/fido+uaf"]
    guard let secret else { return headers }
    let proof = try #require(
      MachineProof(
        machineID: secret.machineID,
        claim: MachineClaim(operation: operation, isAnswer: answers, username: account), queue: .own,
        madeAt: server.now,
        nonce: RandomBytes.make(16)))
    let code = try HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret.secret)
    headers.add(name: UAFRoutes.machineProof, value: proof.text(with: code))
    return headers
  }

  private func get(
    _ client: TestClient, _ context: RequestContext, for operation: UAFOperation = .authentication,
    knownBy secret: MachineSecret? = nil
  ) async throws -> TestResponse {
    let body = GetUAFRequest(op: operation, context: context.jsonText)
    return try await client.executeRequest(
      uri: "/uaf/get", method: .POST, headers: header(secret, operation, answers: false),
      body: ByteBuffer(bytes: body.jsonBytes))
  }

  private func respond(
    _ client: TestClient, _ response: UAFResponse, knownBy secret: MachineSecret? = nil
  ) async throws -> ServerResponse {
    let body = SendUAFResponse(
      uafResponse: response.text, context: try server.holder.allowance(of: response)?.jsonText)
    let answer = try await client.executeRequest(
      uri: "/uaf/respond", method: .POST, headers: header(secret, answers: true),
      body: ByteBuffer(bytes: body.jsonBytes))
    return try ServerResponse(parsing: [UInt8](buffer: answer.body))
  }

  /// Registers a key, and returns the server's reply with the machine's secret.
  private func registered(
    _ client: TestClient, _ authenticator: FakeAuthenticator, on device: String? = nil
  ) async throws -> ServerResponse {
    var context = RequestContext(username: "alice")
    context.deviceID = device
    context.codeProof = try await server.enrol("alice")
    let answer = try await get(client, context, for: .registration)
    let request = try authenticator.registrationRequest(from: ReturnUAFRequest(parsing: [UInt8](buffer: answer.body)))
    return try await respond(client, authenticator.register(request))
  }

  private func loggedIn(
    _ client: TestClient, _ authenticator: FakeAuthenticator, counter: UInt32,
    knownBy secret: MachineSecret? = nil
  ) async throws -> ServerResponse {
    let answer = try await get(client, RequestContext(username: "alice"), knownBy: secret)
    #expect(answer.status == .ok)
    let request = try TestServer.authenticationRequest(in: ReturnUAFRequest(parsing: [UInt8](buffer: answer.body)))
    return try await respond(
      client, authenticator.authenticate(request, counter: counter), knownBy: secret)
  }

  private func machineClaim(_ response: ServerResponse) throws -> String? {
    let token = try #require(response.additionalTokens.first)
    return VerdictToken(keys: server.environment.keys).claims(of: token.value)?.machineHash
  }

  @Test func `a registration gives the machine its secret, which the signed verdict covers`() async throws {
    let authenticator = try FakeAuthenticator()
    try await server.application.test { client in
      let response = try await registered(client, authenticator)
      let secret = try #require(response.machineSecret)
      #expect(try machineClaim(response) == Base64URL.encode(SHA256.hash(secret.bytes)))
    }
  }

  @Test func `a login gives a machine without its secret the same secret again, and a machine that proves it none`()
    async throws
  {
    let authenticator = try FakeAuthenticator()
    try await server.application.test { client in
      let secret = try await registered(client, authenticator).machineSecret
      let unknown = try await loggedIn(client, authenticator, counter: 1)
      #expect(unknown.machineSecret == secret && secret != nil)
      let known = try await loggedIn(client, authenticator, counter: 2, knownBy: secret)
      #expect(known.statusCode == .ok && known.machineSecret == nil)
      #expect(try machineClaim(known) == nil)
    }
  }

  @Test func `a machine that proves a revoked key's secret gets the secret of its valid key with its next login`()
    async throws
  {
    let (first, second) = (try FakeAuthenticator(), try FakeAuthenticator(aaid: "5541#0002"))
    try await server.application.test { client in
      let old = try await registered(client, first).machineSecret
      let own = try await registered(client, second).machineSecret
      #expect(try await loggedIn(client, second, counter: 1, knownBy: old).machineSecret == nil)
      let revocation = Revocation(time: server.now, by: "test")
      let key = KeySelection.one(first.aaid, first.keyID, of: "alice")
      #expect(try await server.store.write { try $0.credentials.revoke(key, revocation) } == 1)
      #expect(try await loggedIn(client, second, counter: 2, knownBy: old).machineSecret == own && own != nil)
    }
  }

  @Test func `all keys of one machine give it the secret of its first key`()
    async throws
  {
    let (first, second) = (try FakeAuthenticator(), try FakeAuthenticator(aaid: "5541#0002"))
    let elsewhere = try FakeAuthenticator()
    try await server.application.test { client in
      let other = try #require(try await registered(client, elsewhere, on: "d-2").machineSecret)
      let own = try #require(try await registered(client, first, on: "d-1").machineSecret)
      #expect(try await registered(client, second, on: "d-1").machineSecret == own && own != other)
      #expect(try await loggedIn(client, second, counter: 1).machineSecret == own)
      // A machine with a different secret than its own gets its own.
      #expect(try await loggedIn(client, second, counter: 2, knownBy: other).machineSecret == own)
      #expect(try await loggedIn(client, second, counter: 3, knownBy: own).machineSecret == nil)
    }
  }

  @Test func `after the first key of a machine is revoked, the next login gives it the secret of its second key`()
    async throws
  {
    let (first, second) = (try FakeAuthenticator(), try FakeAuthenticator(aaid: "5541#0002"))
    try await server.application.test { client in
      let old = try #require(try await registered(client, first, on: "d-1").machineSecret)
      _ = try await registered(client, second, on: "d-1")
      let key = KeySelection.one(first.aaid, first.keyID, of: "alice")
      _ = try await server.store.write { try $0.credentials.revoke(key, Revocation(time: server.now, by: "test")) }
      let new = try #require(try await loggedIn(client, second, counter: 1, knownBy: old).machineSecret)
      let proofs = MachineProofs(keys: server.environment.keys)
      #expect(new == (try proofs.secret(of: "alice", holding: [second.keyID])))
      #expect(try await loggedIn(client, second, counter: 2, knownBy: new).machineSecret == nil)
    }
  }

  @Test func `a refused response gives the machine no secret`() async throws {
    let authenticator = try FakeAuthenticator()
    try await server.application.test { client in
      _ = try await registered(client, authenticator)
      _ = try await loggedIn(client, authenticator, counter: 5)
      let again = try await loggedIn(client, authenticator, counter: 5)
      #expect(again.statusCode != .ok && again.machineSecret == nil)
    }
  }

  @Test func `a machine with a wrong proof is not refused: it counts as a stranger, and gets the right secret`()
    async throws
  {
    let authenticator = try FakeAuthenticator()
    try await server.application.test { client in
      let secret = try await registered(client, authenticator).machineSecret
      let made = try MachineSecret(machineID: RandomBytes.make(16), secret: RandomBytes.make(32))
      #expect(try await loggedIn(client, authenticator, counter: 1, knownBy: made).machineSecret == secret)
    }
  }

  @Test func `a known machine, and nobody else, is served while strangers have used up the account's requests`()
    async throws
  {
    let authenticator = try FakeAuthenticator()
    try await server.application(Admission(accountRate: 1)).test { client in
      let secret = try await registered(client, authenticator).machineSecret
      var refused = 0
      for _ in 0..<20 where try await get(client, RequestContext(username: "alice")).status == .tooManyRequests {
        refused += 1
      }
      // The registration has used one of the two requests that the account's budget allows.
      #expect(refused == 19)
      #expect(try await loggedIn(client, authenticator, counter: 1, knownBy: secret).statusCode == .ok)
      let bob = try await get(client, RequestContext(username: "bob"), knownBy: secret)
      #expect(bob.status == .ok, "its own budget, which a proof for alice does not change")
      let stranger = try await get(client, RequestContext(username: "alice"))
      #expect(stranger.status == .tooManyRequests)
    }
  }
}
