import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What the server made with its old keys, after a rotation: requests, proofs and made-up keys.
struct KeyRotationTests {
  let server: TestServer

  init() throws {
    server = try TestServer()
  }

  /// Puts new server keys into use, with a start time this many seconds ago.
  private func rotate(since seconds: Int64) throws {
    let keys = server.environment.keys
    let from = server.now - seconds
    let pair = try P256.generate()
    let secret = try ServerSecret(RandomBytes.makeSecret(32))
    let verdictKey = try TokenKey(pair.privateKey)
    keys.replace(
      by: ServerKeys.Rings(
        secrets: try #require(KeyRing(keys.rings.secrets.entries + [.init(from: from, key: secret)])),
        verdictKeys: try #require(KeyRing(keys.rings.verdictKeys.entries + [.init(from: from, key: verdictKey)])),
        auditKeys: keys.rings.auditKeys))
  }

  @Test func `a request issued before a rotation is answered after it, with a verdict that the new key signed`()
    async throws
  {
    let authenticator = try await server.registered("alice")
    let old = server.environment.keys.verdictKey.id
    let request = try await server.authenticationRequest("alice")
    try rotate(since: 0)
    let (refusal, token) = try await server.respond(authenticator.authenticate(request, counter: 1))
    #expect(refusal == nil)
    let header = try #require(token?.value.split(separator: ".").first)
    let text = String(decoding: try Base64URL.decode(String(header), maximumCount: 100), as: UTF8.self)
    #expect(text.contains(server.environment.keys.verdictKey.id) && !text.contains(old))
  }

  @Test func `a day after a rotation the server accepts no session data that the old keys made`() async throws {
    let authenticator = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    try rotate(since: KeyOverlap.seconds)
    let (refusal, token) = try await server.respond(authenticator.authenticate(request, counter: 1))
    #expect(refusal == .invalidServerData && token == nil)
  }

  @Test func `a proof from before a rotation still allows the operation that it was made for`() async throws {
    let authenticator = try await server.registered("alice", deviceID: "machine")
    var context = RequestContext(username: "alice")
    context.deviceID = "machine"
    context.deregisterAll = true
    let request = try TestServer.authenticationRequest(in: try await server.get(.authentication, context))
    let (_, token) = try await server.respond(authenticator.authenticate(request, counter: 1))
    try rotate(since: 0)
    context.proof = token?.value
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
  }

  @Test func `a rotation does not change which keys a request names, whether the account is registered or not`()
    async throws
  {
    _ = try await server.registered("alice")
    let before = try await policies()
    try rotate(since: 0)
    #expect(try await policies() == before)
  }

  /// The policies in the requests for three names, one of which is registered.
  private func policies() async throws -> [Policy] {
    var policies: [Policy] = []
    for name in ["alice", "nobody1", "nobody2"] {
      policies.append(try await server.authenticationRequest(name).policy)
    }
    return policies
  }
}
