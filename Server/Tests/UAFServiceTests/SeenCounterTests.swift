import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The counter that the server last saw of a key, which is reported to whoever can sign with the key.
@Suite(.onEachStore) struct SeenCounterTests {
  let server: TestServer
  let alice: FakeAuthenticator

  init() async throws {
    server = try TestServer()
    alice = try await server.registered("alice")
    #expect(try await server.respond(alice.authenticate(server.authenticationRequest("alice"), counter: 5)).0 == nil)
  }

  private func refused(_ response: UAFResponse) async throws -> (ServiceRefusal, SeenCounter?) {
    let body = SendUAFResponse(uafResponse: response.text, context: nil)
    guard
      case .refused(let refusal, let seen) = try await ResponseService(environment: server.environment).respond(body)
    else { throw TestServer.Unexpected() }
    return (refusal, seen)
  }

  @Test(arguments: [UInt32(5), 4, 0])
  func `the sender of a response whose counter did not grow is told the stored counter`(
    _ counter: UInt32
  ) async throws {
    let response = try alice.authenticate(try await server.authenticationRequest("alice"), counter: counter)
    let (refusal, seen) = try await refused(response)
    #expect(refusal == .counterNotIncreased && seen == SeenCounter(keyID: alice.keyID, signCounter: 5))
  }

  @Test func `only a caller who can sign with a key is told the key's counter at the server`() async throws {
    let request = try await server.authenticationRequest("alice")
    let (refusal, seen) = try await refused(alice.authenticate(request, counter: 4, signedBy: FakeAuthenticator()))
    #expect(refusal == .invalidSignature && seen == nil)
  }

  @Test func `the holder of a revoked key learns only that it is revoked, and not its counter`() async throws {
    let now = server.now
    _ = try await server.store.write { records in try records.credentials.revokeAll(of: "alice", now: now) }
    let request = try await server.authenticationRequest("alice")
    let (refusal, seen) = try await refused(alice.authenticate(request, counter: 4))
    #expect(refusal == .revokedKey && seen == nil)
  }
}
