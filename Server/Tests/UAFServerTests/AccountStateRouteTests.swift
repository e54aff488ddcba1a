import NIOCore
import NIOHTTP1
import Testing
import UAFCrypto
import UAFMessages
import WebMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

import struct UAFMessages.RequestContext

/// The state of an account, reported only to machines that know it, with the store in each engine.
@Suite(.onEachStore) struct AccountStateRouteTests {
  private let server: TestServer
  private let alice: FakeAuthenticator
  /// The secret with which alice's machine proves itself.
  private let known: MachineSecret

  init() async throws {
    server = try TestServer()
    alice = try await server.registered("alice", deviceID: "d1")
    known = try #require(
      try MachineProofs(keys: server.environment.keys).secret(of: "alice", holding: [alice.keyID]))
  }

  private func proof(
    _ secret: MachineSecret? = nil, _ claim: MachineClaim = .state(of: "alice"), at time: Int64? = nil,
    nonce: [UInt8]? = nil
  ) throws -> String {
    let secret = secret ?? known
    let proof = try #require(
      MachineProof(
        machineID: secret.machineID, claim: claim, queue: .own, madeAt: time ?? server.now,
        nonce: nonce ?? RandomBytes.make(16)))
    return proof.text(
      with: try HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret.secret))
  }

  private func ask(
    _ client: TestClient, _ proof: String?, method: HTTPMethod = .POST
  ) async throws -> TestResponse {
    var headers = HTTPHeaders()
    if let proof { headers.add(name: UAFRoutes.machineProof, value: proof) }
    return try await client.executeRequest(uri: "/uaf/account", method: method, headers: headers, body: nil)
  }

  /// The state that the server reports to alice's machine, or to the machine with a given secret.
  private func told(_ secret: MachineSecret? = nil) async throws -> AccountStatement {
    var statement: AccountStatement?
    try await server.application.test { client in
      statement = try self.statement(in: await ask(client, proof(secret)))
    }
    return try #require(statement)
  }

  /// The signed statement in a reply, after a check of the signature.
  private func statement(in answer: TestResponse) throws -> AccountStatement {
    #expect(answer.status == .ok)
    #expect(answer.headers.first(name: "Content-Type") == "application/jwt")
    #expect(answer.headers.first(name: "Cache-Control") == "no-store")
    let text = String(decoding: [UInt8](buffer: answer.body), as: UTF8.self)
    #expect(text.utf8.count <= AccountStatement.maximumBytes)
    let parts = text.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let key = server.environment.keys.verdictKey
    #expect(
      try String(decoding: Base64URL.decode(parts[0], maximumCount: 256), as: UTF8.self)
        == #"{"alg":"ES256","kid":"\#(key.id)","typ":"account-state+jwt"}"#)
    #expect(
      P256.isValidSignature(
        try Base64URL.decode(parts[2], maximumCount: 64), of: Array("\(parts[0]).\(parts[1])".utf8),
        publicKey: key.publicKey))
    guard case .object(let claims) = try JSONValue(parsing: Base64URL.decode(parts[1], maximumCount: 1024)) else {
      throw TestServer.Unexpected()
    }
    #expect(claims["exp"] == .integer(server.now + 60))
    return try #require(AccountStatement(claims: claims))
  }

  private func block(until: Int64?) async throws {
    let block = AccountBlock(since: server.now, until: until, reason: "left", actor: "test")
    #expect(try await server.store.write { try $0.accounts.setBlock(block, of: "alice") })
  }

  @Test func `a known machine is told that an account is active, in a statement with the nonce of its request`()
    async throws
  {
    let nonce = try RandomBytes.make(16)
    try await server.application.test { client in
      let statement = try statement(in: await ask(client, proof(nonce: nonce)))
      #expect(
        statement
          == AccountStatement(
            account: "alice", state: .active, machineID: known.machineID, nonce: nonce, issuedAt: server.now))
    }
  }

  @Test func `a known machine is told that an account is disabled until the account is enabled`() async throws {
    try await block(until: nil)
    #expect(try await told().state == .disabled)
    #expect(try await server.store.write { try $0.accounts.setBlock(nil, of: "alice") })
    #expect(try await told().state == .active)
  }

  @Test
  func `a known machine is told of an account's lock with its end, and after that end that the account is active`()
    async throws
  {
    let end = server.now + 60
    try await block(until: end)
    #expect(try await told().state == .locked(until: end))
    server.advance(seconds: 60)
    #expect(try await told().state == .active)
  }

  @Test func `a known machine is told that an account is disabled if the account was removed`() async throws {
    #expect(try await server.store.write { try $0.accounts.remove("alice") } != nil)
    #expect(try await told().state == .disabled)
  }

  // MARK: The key behind the secret

  /// Deregisters alice's keys on her machine with an enrolment code.
  private func deregister(_ keyIDs: [KeyID] = []) async throws {
    var context = RequestContext(username: "alice")
    (context.deviceID, context.deregisterAll, context.deregisterKeyIDs) = ("d1", true, keyIDs)
    try await server.enrol("alice")
    context.codeProof = try server.holder.removalProof(context)
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
  }

  @Test
  func `if an account was created again under the same name, the old account's machine is told that it is disabled`()
    async throws
  {
    #expect(try await server.store.write { try $0.accounts.remove("alice") } != nil)
    let other = try await server.registered("alice", deviceID: "d2")
    #expect(try await told().state == .disabled)
    let secret = try MachineProofs(keys: server.environment.keys).secret(of: "alice", holding: [other.keyID])
    #expect(try await told(secret).state == .active)
  }

  @Test(arguments: [KeySelection.all(of: "alice"), .onMachine("d1", of: "alice"), .machine("d1")])
  func `a machine whose key was revoked is told that the account is disabled, even after a deregistration`(
    keys: KeySelection
  ) async throws {
    _ = try await server.registered("alice", deviceID: "d2")
    let revocation = Revocation(time: server.now, by: "test")
    #expect(try await server.store.write { try $0.credentials.revoke(keys, revocation) } > 0)
    #expect(try await told().state == .disabled)
    try await deregister()
    #expect(try await told().state == .disabled)
  }

  @Test func `a machine that has deregistered is told the account's true state, until the account is removed`()
    async throws
  {
    try await deregister()
    #expect(try await told().state == .active)
    try await block(until: nil)
    #expect(try await told().state == .disabled)
    #expect(try await server.store.write { try $0.accounts.setBlock(nil, of: "alice") })
    #expect(try await told().state == .active)
    #expect(try await server.store.write { try $0.accounts.remove("alice") } != nil)
    _ = try await server.registered("alice", deviceID: "d1")
    #expect(try await told().state == .disabled)
  }

  @Test(arguments: [KeySelection.all(of: "alice"), .onMachine("d1", of: "alice"), .machine("d1")])
  func `after a revocation of its keys, a machine is told 'disabled' even with a key that it had deregistered`(
    keys: KeySelection
  ) async throws {
    let left = try await server.registered("alice", deviceID: "d1", model: "5541#0002")
    try await deregister([alice.keyID])
    #expect(try await told().state == .active)
    let revocation = Revocation(time: server.now, by: "test")
    #expect(
      try await server.store.write { try $0.credentials.revoke(.one(left.aaid, left.keyID, of: "alice"), revocation) }
        == 1)
    #expect(try await told().state == .active, "one key is not the machine")
    #expect(try await server.store.write { try $0.credentials.revoke(keys, revocation) } == 0)
    #expect(try await told().state == .disabled)
  }

  @Test func `only the newest deregistered keys are kept, and a machine with an older key is told 'disabled'`()
    async throws
  {
    try await deregister()
    for _ in 0..<DeregisteredKeys.mostKept - 1 {
      _ = try await server.registered("alice", deviceID: "d1")
      try await deregister()
    }
    #expect(try await told().state == .active)
    _ = try await server.registered("alice", deviceID: "d1")
    try await deregister()
    #expect(try await told().state == .disabled)
    let kept = try await server.store.read { try $0.credentials.deregisteredKeyIDs(of: "alice") }
    #expect(kept.count == DeregisteredKeys.mostKept && !kept.contains(alice.keyID))
  }

  @Test func `a caller who proves nothing is told the same for every account name, whatever its state`() async throws {
    try await block(until: nil)
    let stranger = try MachineSecret(machineID: RandomBytes.make(16), secret: RandomBytes.make(32))
    try await server.application.test { client in
      let proofs: [String?] = [
        nil, "", "x", try proof(stranger), try proof(stranger, .state(of: "bob")), try proof(known, .state(of: "bob")),
        try proof(at: server.now - 901), try proof(at: server.now + 901),
        try proof(known, MachineClaim(operation: .authentication, isAnswer: false, username: "alice")),
      ]
      for (number, proof) in proofs.enumerated() {
        let answer = try await ask(client, proof)
        #expect(answer.status == .forbidden && answer.body.readableBytes == 0, "proof \(number)")
        #expect(answer.headers.first(name: "Content-Type") == nil, "proof \(number)")
      }
    }
  }

  @Test func `a machine's proof for a query of an account's state does not count for a UAF request`() async throws {
    let body = GetUAFRequest(op: .authentication, context: RequestContext(username: "alice").jsonText)
    try await server.application(Admission(addressRate: 1, accountRate: 1)).test { client in
      var refused = 0
      for _ in 0..<6 {
        let answer = try await client.executeRequest(
          uri: "/uaf/get", method: .POST,
          headers: ["Content-Type": "application/fido+uaf", UAFRoutes.machineProof: proof()],
          body: ByteBuffer(bytes: body.jsonBytes))
        if answer.status == .tooManyRequests { refused += 1 }
      }
      #expect(refused > 0, "the machine's own budget does not count for another request")
    }
  }

  @Test func `a machine that queries an account's state too often has to wait like any other sender`() async throws {
    try await server.application(Admission(addressRate: 1, accountRate: 1)).test { client in
      var statuses: [HTTPResponseStatus] = []
      for _ in 0..<8 { statuses.append(try await ask(client, proof()).status) }
      #expect(statuses.first == .ok && statuses.last == .tooManyRequests)
      #expect(Set(statuses) == [.ok, .tooManyRequests])
    }
  }

  @Test func `strangers who query accounts' states use up no part of a known machine's budget`() async throws {
    let address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    let own: HTTPHeaders = [UAFRoutes.machineProof: try proof()]
    func status(_ client: TestClient, _ headers: HTTPHeaders) async -> HTTPResponseStatus {
      await client.routes.response(
        to: WebRequest(method: .POST, target: "/uaf/account", headers: headers, body: ByteBuffer(), peer: address)
      ).status
    }
    await server.application(Admission(addressRate: 1, accountRate: 1)).test { client in
      var statuses: [HTTPResponseStatus] = []
      for _ in 0..<8 { statuses.append(await status(client, [:])) }
      #expect(statuses.first == .forbidden && statuses.last == .tooManyRequests)
      let known = await status(client, own)
      #expect(known == .ok)
    }
  }

  @Test func `a query of an account's state is refused with a wrong method, or with a body that is too long`()
    async throws
  {
    try await server.application.test { client in
      let other = try await ask(client, proof(), method: .GET)
      #expect(other.status == .notFound)
      let tooLong = try await client.executeRequest(
        uri: "/uaf/account", method: .POST,
        headers: ["Content-Length": String(RequestBody.maximum + 1), UAFRoutes.machineProof: proof()], body: nil)
      #expect(tooLong.status == .payloadTooLarge)
    }
  }
}
