import NIOCore
import NIOHTTP1
import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

import struct UAFMessages.RequestContext

/// Limits for names and addresses that send too many requests.
struct AdmissionTests {
  private static func address(_ text: String) throws -> SocketAddress { try SocketAddress(ipAddress: text, port: 1) }

  /// How many of `tries` are admitted.
  private func admitted(_ limiter: RateLimiter, _ name: String, tries: Int, now: Int64) -> Int {
    (0..<tries).count { _ in limiter.admits(name, now: now) }
  }

  @Test func `a rate limit accepts a burst, then as many requests as the rate allows`() {
    let limiter = RateLimiter(.init(perMinute: 30))
    #expect(admitted(limiter, "a", tries: 100, now: 1000) == 60)
    #expect(admitted(limiter, "a", tries: 100, now: 1001) == 0)
    #expect(admitted(limiter, "a", tries: 100, now: 1002) == 1)
    #expect(admitted(limiter, "a", tries: 100, now: 1062) == 30)
    #expect(admitted(limiter, "a", tries: 100, now: 999_999) == 60)
  }

  @Test func `requests for one name do not use up the rate limit of a different name`() {
    let limiter = RateLimiter(.init(perMinute: 1))
    #expect(admitted(limiter, "a", tries: 9, now: 0) == 2)
    #expect(admitted(limiter, "b", tries: 9, now: 0) == 2)
  }

  @Test(arguments: [(Int64(0), Int64.min), (.max, .min), (.min, .max), (1000, 0)])
  func `a clock that jumps neither refills a rate limit nor ends the server`(start: Int64, later: Int64) {
    let limiter = RateLimiter(.init(perMinute: 1_000_000))
    _ = limiter.admits("a", now: start)
    _ = limiter.admits("a", now: later)
    let strict = RateLimiter(.init(perMinute: 1))
    #expect(admitted(strict, "a", tries: 9, now: 1000) == 2)
    #expect(admitted(strict, "a", tries: 9, now: 0) == 0)
  }

  @Test func `a rate limit forgets idle names, and never keeps more names than it has room for`() {
    let limiter = RateLimiter(.init(perMinute: 1), capacity: 2)
    #expect(admitted(limiter, "a", tries: 9, now: 0) == 2)
    #expect(admitted(limiter, "b", tries: 9, now: 100) == 2)
    // The first name has been idle long enough and makes room; the second is still known.
    #expect(admitted(limiter, "c", tries: 9, now: 130) == 2)
    #expect(admitted(limiter, "b", tries: 9, now: 130) == 0)
  }

  @Test
  func `if there are too many names, a rate limit forgets the least used names, and still limits the busiest name`() {
    let limiter = RateLimiter(.init(perMinute: 10), capacity: 100)
    #expect(admitted(limiter, "busy", tries: 99, now: 0) == 20)
    for number in 0..<5000 { #expect(limiter.admits("once \(number)", now: 0)) }
    #expect(!limiter.admits("busy", now: 0))
    // A forgotten name may use its whole burst again; at most a hundred are remembered.
    let remembered = (0..<5000).filter { admitted(limiter, "once \($0)", tries: 20, now: 0) < 20 }
    #expect(remembered.count <= 100)
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2"),
    ("2001:db8:1:2::1", "20:1:d:b8:0:1:0:2"), ("127.0.0.1", "loopback"), ("127.9.9.9", "loopback"), ("::1", "loopback"),
    ("::ffff:127.0.0.1", "loopback"),
  ])
  func `rate limits count an IPv6 address by its network, and all loopback addresses as one address`(
    text: String, name: String
  )
    throws
  {
    #expect(try Admission.name(of: Self.address(text)) == name)
  }

  @Test func `too many requests for an account get HTTP 429 for a minute, whether the account exists or not`()
    async throws
  {
    let server = try TestServer()
    _ = try await server.registered("alice")
    try await server.application(Admission(accountRate: 1)).test { client in
      for name in ["alice", "nobody"] {
        let body = GetUAFRequest(op: .authentication, context: RequestContext(username: name).jsonText)
        func ask() async throws -> HTTPResponseStatus {
          try await client.executeRequest(
            uri: "/uaf/get", method: .POST, headers: ["Content-Type": "application/fido+uaf"],
            body: ByteBuffer(bytes: body.jsonBytes)
          ).status
        }
        #expect(try await ask() == .ok)
        #expect(try await ask() == .ok)
        #expect(try await ask() == .tooManyRequests)
      }
      server.advance(seconds: 60)
      let body = GetUAFRequest(op: .authentication, context: RequestContext(username: "alice").jsonText)
      let later = try await client.executeRequest(
        uri: "/uaf/get", method: .POST, headers: ["Content-Type": "application/fido+uaf"],
        body: ByteBuffer(bytes: body.jsonBytes))
      #expect(later.status == .ok)
    }
  }

  @Test func `the server logs refusals by a rate limit once a minute for each name, not once for each refusal`()
    async throws
  {
    let server = try TestServer()
    let log = RecordedLog()
    try await server.application(Admission(accountRate: 1), log: log).test { client in
      for name in ["alice", "bob"] {
        let body = GetUAFRequest(op: .authentication, context: RequestContext(username: name).jsonText)
        for _ in 0..<20 {
          _ = try await client.executeRequest(
            uri: "/uaf/get", method: .POST, headers: ["Content-Type": "application/fido+uaf"],
            body: ByteBuffer(bytes: body.jsonBytes))
        }
      }
    }
    let limited = log.lines.filter { $0.hasPrefix("limited ") }
    #expect(limited == ["alice", "alice", "bob", "bob"].map { "limited by=account name=\($0)" })
  }
}
