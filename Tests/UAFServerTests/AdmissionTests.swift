import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFServer

import struct UAFMessages.RequestContext

/// What comes too often.
struct AdmissionTests {
  private static func address(_ text: String) throws -> SocketAddress { try SocketAddress(ipAddress: text, port: 1) }

  /// How many of `tries` are let through.
  private func admitted(_ limiter: RateLimiter, _ name: String, tries: Int, now: Int64) -> Int {
    (0..<tries).count { _ in limiter.admits(name, now: now) }
  }

  @Test func `accepts a burst, then as many as the rate allows`() {
    let limiter = RateLimiter(.init(perMinute: 30))
    #expect(admitted(limiter, "a", tries: 100, now: 1000) == 60)
    #expect(admitted(limiter, "a", tries: 100, now: 1001) == 0)
    #expect(admitted(limiter, "a", tries: 100, now: 1002) == 1)
    #expect(admitted(limiter, "a", tries: 100, now: 1062) == 30)
    #expect(admitted(limiter, "a", tries: 100, now: 999_999) == 60)
  }

  @Test func `one name does not use up another's limit`() {
    let limiter = RateLimiter(.init(perMinute: 1))
    #expect(admitted(limiter, "a", tries: 9, now: 0) == 2)
    #expect(admitted(limiter, "b", tries: 9, now: 0) == 2)
  }

  @Test(arguments: [(Int64(0), Int64.min), (.max, .min), (.min, .max), (1000, 0)])
  func `a clock that jumps neither refills a limit nor ends the server`(start: Int64, later: Int64) {
    let limiter = RateLimiter(.init(perMinute: 1_000_000))
    _ = limiter.admits("a", now: start)
    _ = limiter.admits("a", now: later)
    let strict = RateLimiter(.init(perMinute: 1))
    #expect(admitted(strict, "a", tries: 9, now: 1000) == 2)
    #expect(admitted(strict, "a", tries: 9, now: 0) == 0)
  }

  @Test func `forgets names that paused, and never keeps more than it has room for`() {
    let limiter = RateLimiter(.init(perMinute: 1), capacity: 2)
    #expect(admitted(limiter, "a", tries: 9, now: 0) == 2)
    #expect(admitted(limiter, "b", tries: 9, now: 100) == 2)
    // The first has rested by now and makes room; the second is still known.
    #expect(admitted(limiter, "c", tries: 9, now: 130) == 2)
    #expect(admitted(limiter, "b", tries: 9, now: 130) == 0)
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2"),
    ("2001:db8:1:2::1", "20:1:d:b8:0:1:0:2"), ("127.0.0.1", nil), ("127.9.9.9", nil), ("::1", nil),
    ("::ffff:127.0.0.1", nil),
  ])
  func `counts an IPv6 address by its network, and loopback not at all`(text: String, name: String?) throws {
    #expect(try Admission.name(of: Self.address(text)) == name)
  }

  @Test func `refuses an address that asks too often, and no other`() throws {
    let admission = Admission(addressRate: 1, accountRate: 0)
    let (one, other) = (try Self.address("192.0.2.1"), try Self.address("192.0.2.2"))
    #expect((0..<9).count { _ in admission.admits(one, now: 0) } == 2)
    #expect(admission.admits(other, now: 0))
    let own = try Self.address("127.0.0.1")
    #expect((0..<9).count { _ in admission.admits(own, now: 0) } == 9)
    #expect((0..<9).count { _ in admission.admits(nil, now: 0) } == 9)
  }

  @Test func `has no limit if the administrator wants none`() throws {
    let admission = Admission(addressRate: 0, accountRate: 0)
    let address = try Self.address("192.0.2.1")
    #expect(
      (0..<5000).allSatisfy { _ in
        admission.admits(address, now: 0) && admission.admits(account: "a", from: nil, now: 0)
          && admission.admits(junkFrom: address, now: 0) && admission.admits(answerTo: [1], now: 0)
      })
  }

  @Test func `answers for an account asked for too often with HTTP 429, known or not, until a minute later`()
    async throws
  {
    let server = try TestServer()
    _ = try await server.registered("alice")
    try await server.application(Admission(accountRate: 1)).test(.router) { client in
      for name in ["alice", "nobody"] {
        let body = GetUAFRequest(op: .authentication, context: RequestContext(username: name).jsonText)
        func ask() async throws -> HTTPResponse.Status {
          try await client.executeRequest(
            uri: "/uaf/get", method: .post, headers: [.contentType: "application/fido+uaf"],
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
        uri: "/uaf/get", method: .post, headers: [.contentType: "application/fido+uaf"],
        body: ByteBuffer(bytes: body.jsonBytes))
      #expect(later.status == .ok)
    }
  }

  @Test func `logs what it refuses once a minute for a name, not once for each`() async throws {
    let server = try TestServer()
    let log = RecordedLog()
    try await server.application(Admission(accountRate: 1), log: log).test(.router) { client in
      for name in ["alice", "bob"] {
        let body = GetUAFRequest(op: .authentication, context: RequestContext(username: name).jsonText)
        for _ in 0..<20 {
          _ = try await client.executeRequest(
            uri: "/uaf/get", method: .post, headers: [.contentType: "application/fido+uaf"],
            body: ByteBuffer(bytes: body.jsonBytes))
        }
      }
    }
    let limited = log.lines.filter { $0.hasPrefix("limited ") }
    #expect(limited == ["alice", "alice", "bob", "bob"].map { "limited by=account name=\($0)" })
  }

  @Test func `an account has a limit of its own at an address where it has logged in; nobody elsewhere can use it up`()
    throws
  {
    let admission = Admission(addressRate: 0, accountRate: 1)
    let (home, elsewhere) = (try Self.address("192.0.2.1"), try Self.address("192.0.2.2"))
    func admitted(_ place: SocketAddress) -> Int {
      (0..<9).count { _ in admission.admits(account: "alice", from: place, now: 0) }
    }
    admission.accepted("alice", from: home)
    #expect(admitted(elsewhere) == 2)
    #expect(admitted(home) == 2)
    #expect(admitted(home) == 0)
    #expect(!admission.isProven("alice", at: elsewhere))
    #expect(!admission.isProven("bob", at: home))
    let own = try Self.address("127.0.0.1")
    admission.accepted("bob", from: own)
    #expect(!admission.isProven("bob", at: own))
  }

  @Test func `an invalid name uses up no limit`() async throws {
    let server = try TestServer()
    let admission = Admission(accountRate: 1)
    let home = try Self.address("192.0.2.1")
    admission.accepted("alice", from: home)
    // As the limit itself could write down where an account has logged in.
    let body = GetUAFRequest(op: .authentication, context: RequestContext(username: "alice 192.0.2.1").jsonText)
    try await server.application(admission).test(.router) { client in
      for _ in 0..<3 {
        let answer = try await client.executeRequest(
          uri: "/uaf/get", method: .post, headers: [.contentType: "application/fido+uaf"],
          body: ByteBuffer(bytes: body.jsonBytes))
        #expect(answer.status == .ok)
      }
    }
    #expect((0..<9).count { _ in admission.admits(account: "alice", from: home, now: 0) } == 2)
  }

  @Test func `invalid answers do not use up the limit of requests, nor requests that of answers`() throws {
    let admission = Admission(addressRate: 1, accountRate: 0)
    let address = try Self.address("192.0.2.1")
    #expect((0..<9).count { _ in admission.admits(junkFrom: address, now: 0) } == 2)
    #expect((0..<9).count { _ in admission.admits(address, now: 0) } == 2)
    // What only the server can have made is looked at all the same, and not again and again.
    #expect((0..<9).count { _ in admission.admits(answerTo: [1], now: 0) } == 2)
    #expect(admission.admits(answerTo: [2], now: 0))
  }

  @Test func `forgets where people logged in rather than grow without limit`() {
    let places = ProvenPlaces(capacity: 2)
    for name in ["alice", "bob", "carol"] { places.add(name, at: "192.0.2.1") }
    #expect(["alice", "bob", "carol"].filter { places.contains($0, at: "192.0.2.1") } == ["carol"])
  }
}
