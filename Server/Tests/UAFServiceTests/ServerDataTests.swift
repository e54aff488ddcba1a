import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The session data of a request.
@Suite(.onEachStore) struct ServerDataTests {
  private let seal: ServerDataSeal
  private let challenge: [UInt8]

  init() throws {
    seal = ServerDataSeal(keys: try TestServer().environment.keys)
    challenge = try RandomBytes.make(32)
  }

  private static func samples() throws -> [ServerData] {
    var all = [ServerData(.registrationByCode, username: "a", expiresAt: 1_700_000_000)]
    var proof = ServerData(.removal, username: "alice@example.test", expiresAt: .max)
    proof.proofSubject = [UInt8](repeating: 9, count: 32)
    all.append(proof)
    var approval = ServerData(.approval, username: String(repeating: "n", count: 128), expiresAt: 1)
    approval.approvalID = .max
    all.append(approval)
    for count in [1, 960, 961, 2048] {
      var text = ServerData(.text, username: String(repeating: "n", count: 128), expiresAt: 0)
      text.text = try SealedText(TransactionText(sent: String(repeating: "t", count: count)))
      all.append(text)
    }
    return all
  }

  @Test func `session data is read back as it was sealed, and has no more characters than UAF allows`() throws {
    for data in try Self.samples() {
      let text = try seal.seal(data, challenge: challenge)
      #expect(try seal.open(text, challenge: challenge) == data)
      #expect(text.utf8.count <= 1536)
    }
  }

  @Test func `refuses session data with any bit changed, and each shorter form`() throws {
    for data in try Self.samples().prefix(3) {
      let bytes = try Base64URL.decode(seal.seal(data, challenge: challenge), maximumCount: 2000)
      for index in bytes.indices {
        for bit in 0..<8 {
          var changed = bytes
          changed[index] ^= 1 << bit
          #expect(try seal.open(Base64URL.encode(changed), challenge: challenge) == nil)
        }
        #expect(try seal.open(Base64URL.encode(Array(bytes[..<index])), challenge: challenge) == nil)
      }
    }
  }

  @Test func `refuses session data with the challenge of another request, and of a different server`() throws {
    let data = try Self.samples()[1]
    let text = try seal.seal(data, challenge: challenge)
    #expect(try seal.open(text, challenge: RandomBytes.make(32)) == nil)
    let other = ServerDataSeal(keys: try TestServer().environment.keys)
    #expect(try other.open(text, challenge: challenge) == nil)
  }

  @Test func `refuses session data of a different version, even with a right MAC`() throws {
    for form in [UInt8(0), 1, 2, 4, 255] {
      let body = [form] + [UInt8](repeating: 0, count: 40)
      let code = try seal.keys.authenticationCode("serverData", challenge + body)
      #expect(try seal.open(Base64URL.encode(body + code), challenge: challenge) == nil)
    }
  }

  @Test func `the length of the session data reveals nothing about the account`() async throws {
    let server = try TestServer()
    _ = try await server.registered("alice")
    let lengths = try await ["alice", "carol"].asyncMap {
      try await server.authenticationRequest($0).header.serverData?.utf8.count
    }
    #expect(lengths[0] == lengths[1])
  }
}

extension Array {
  fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
