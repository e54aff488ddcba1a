import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What machines learn about the server's keys at a check-in, and which of them lack a key, with the store in each engine.
@Suite(.onEachStore) struct MachineTrustTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
  }

  private func joined(_ device: String) async throws -> MachineSecret {
    try #require(try await server.joined(server.joinCode(machines: 9), device, name: "desk-\(device)"))
  }

  /// Adds a verdict key that is used from a time on.
  private func rotate(from: Int64) throws -> TokenKey {
    let keys = server.environment.keys
    let key = try TokenKey(try P256.generate().privateKey)
    keys.replace(
      by: ServerKeys.Rings(
        secrets: keys.rings.secrets,
        verdictKeys: try #require(KeyRing(keys.rings.verdictKeys.entries + [.init(from: from, key: key)])),
        auditKeys: keys.rings.auditKeys))
    return key
  }

  /// The statement about keys in an answer, and the id of the key that signed it.
  private func statement(_ answer: CheckInAnswer?) throws -> (statement: TrustStatement, signer: String) {
    let parts = try #require(answer?.trust).split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let signed = Array("\(parts[0]).\(parts[1])".utf8)
    let signature = try Base64URL.decode(parts[2], maximumCount: 64)
    let signer = try #require(
      server.environment.keys.rings.verdictKeys.entries.map(\.key).first {
        P256.isValidSignature(signature, of: signed, publicKey: $0.publicKey)
      })
    #expect(
      try String(decoding: Base64URL.decode(parts[0], maximumCount: 256), as: UTF8.self)
        == #"{"alg":"ES256","kid":"\#(signer.id)","typ":"machine-trust+jwt"}"#)
    guard case .object(let claims) = try JSONValue(parsing: Base64URL.decode(parts[1], maximumCount: 32_768)) else {
      throw TestServer.Unexpected()
    }
    return (try #require(TrustStatement(claims: claims)), signer.id)
  }

  private func report(_ next: UInt8, _ keys: [String]?, _ authorities: [String] = []) -> MachineReport {
    var report = TestServer.report(mark: next == 1 ? nil : next - 1, next: next)
    report.trust = keys.map { KnownTrust(verdictKeys: $0, authorities: authorities) }
    return report
  }

  private func lacking(_ anchor: TrustAnchor) async throws -> [String] {
    let since = TrustReach.since(server.now)
    return try await server.store.read { records in
      let found = try records.machineTrusts.lacking(anchor, since: since, after: "", limit: 100).map(\.id)
      #expect(try records.machineTrusts.countLacking(anchor, since: since, upTo: 100) == found.count)
      #expect(try records.machineTrusts.countLacking(anchor, since: since, upTo: 1) == min(found.count, 1))
      return found
    }
  }

  // MARK: The answer

  @Test func `an answer names the key in use and the coming one, and later the end of the replaced one`() async throws {
    let secret = try await joined("d1")
    let old = server.environment.keys.verdictKey
    let alone = try statement(try await server.checkIn(secret, report(1, nil)))
    #expect(alone.statement.keys == [old.publicKey] && alone.statement.endedKeys.isEmpty)
    #expect(alone.statement.claims.deviceID == "d1" && alone.statement.claims.machineID == secret.machineID)
    let new = try rotate(from: server.now + 100)
    let both = try statement(try await server.checkIn(secret, report(2, nil)))
    #expect(both.statement.keys == [old.publicKey, new.publicKey] && both.signer == old.id)
    server.advance(seconds: 100)
    let used = try statement(try await server.checkIn(secret, report(3, nil)))
    #expect(used.statement.keys == [new.publicKey] && used.signer == new.id && used.statement.endedKeys.isEmpty)
    server.advance(seconds: KeyOverlap.seconds - 1)
    #expect(try statement(try await server.checkIn(secret, report(4, nil))).statement.endedKeys.isEmpty)
    server.advance(seconds: 1)
    #expect(try statement(try await server.checkIn(secret, report(5, nil))).statement.endedKeys == [old.id])
  }

  @Test func `an answer names the announced authorities, and the end of those that ended last`() async throws {
    let secret = try await joined("d1")
    @Sendable func authority(_ number: UInt8) -> AnnouncedAuthority {
      AnnouncedAuthority(
        fingerprint: String(repeating: "0", count: 63) + String(number), certificate: [number], announcedBy: "test",
        announcedAt: server.now, usedFrom: server.now + 9)
    }
    try await server.store.write { [server] records in
      for number: UInt8 in 1...6 { try records.machineTrusts.announce(authority(number)) }
      for number: UInt8 in 1...4 {
        #expect(try records.machineTrusts.end(authority(number).fingerprint, now: server.now + Int64(number)))
      }
      #expect(try !records.machineTrusts.end(authority(1).fingerprint, now: 5))
      #expect(try !records.machineTrusts.end("none", now: 5) && !records.machineTrusts.use("none", from: 1))
      #expect(try !records.machineTrusts.use(authority(1).fingerprint, from: 1))
      #expect(try records.machineTrusts.use(authority(5).fingerprint, from: 1))
    }
    let said = try statement(try await server.checkIn(secret, report(1, nil))).statement
    #expect(said.authorities == [[5], [6]])
    #expect(said.endedAuthorities == [4, 3, 2, 1].map { authority($0).fingerprint })
    try await server.store.write { try $0.machineTrusts.announce(authority(1)) }
    let again = try await server.store.read { try $0.machineTrusts.authorities() }
    #expect(again.count == 6 && again.first { $0.certificate == [1] }?.endedAt == nil)
    #expect(again.first { $0.certificate == [5] }?.usedFrom == 1)
  }

  @Test func `an authority that has issued a served certificate is never named as ended, at whichever instance`()
    async throws
  {
    let secret = try await joined("d1")
    let name = String(repeating: "c", count: 64)
    try await server.store.write { [server] records in
      try records.machineTrusts.announce(
        AnnouncedAuthority(
          fingerprint: name, certificate: server.certificate, announcedBy: "test", announcedAt: server.now,
          usedFrom: server.now))
      #expect(try records.machineTrusts.end(name, now: server.now))
    }
    var mark: UInt8 = 0
    func ended() async throws -> [String] {
      mark += 1
      return try statement(try await server.checkIn(secret, report(mark, nil))).statement.endedAuthorities
    }
    #expect(try await ended() == [name])
    server.environment.served.set([server.certificate])
    #expect(try await ended() == [])
    server.environment.served.set([])
    #expect(try await ended() == [name])
    // Another instance still serves it, and later does not any more.
    try await server.store.write { [now = server.now] in try ServedAuthorities.note([name], in: $0, now: now) }
    #expect(try await ended() == [])
    server.advance(seconds: ServedAuthorities.lately - 1)
    try await server.store.write { [now = server.now] in try ServedAuthorities.note([], in: $0, now: now) }
    #expect(try await ended() == [])
    server.advance(seconds: 1)
    // Nothing was noted since: the servers may have stopped, and will serve the same again.
    #expect(try await ended() == [])
    try await server.store.write { [now = server.now] in try ServedAuthorities.note([], in: $0, now: now) }
    #expect(try await ended() == [name])
  }

  @Test func `a note about served authorities that cannot be read counts as none, and is replaced`() async throws {
    for text in ["", "x", "5", "5 a", "5 a=b", "x a=5"] {
      let found = try await server.store.write { records in
        try records.settings.set(.servedAuthorities, to: text)
        return try ServedAuthorities(in: records).fingerprints
      }
      #expect(found.isEmpty, "\(text)")
    }
    let found = try await server.store.write { records in
      try ServedAuthorities.note(["a", "b"], in: records, now: 7)
      return (try ServedAuthorities(in: records).fingerprints, try records.settings.value(of: .servedAuthorities))
    }
    #expect(found.0 == ["a", "b"] && found.1 == "7 a=7 b=7")
  }

  // MARK: Who lacks a key

  @Test func `a machine lacks a key until it reports the key, and one of an earlier version lacks every key`()
    async throws
  {
    let (one, other) = (try await joined("d1"), try await joined("d2"))
    let key = TrustAnchor.verdictKey("0123456789abcdef")
    #expect(try await lacking(key) == ["d1", "d2"])
    let root = String(repeating: "b", count: 64)
    _ = try await server.checkIn(one, report(1, ["fedcba9876543210", "0123456789abcdef"], [root]))
    _ = try await server.checkIn(other, report(1, nil))
    #expect(try await lacking(key) == ["d2"])
    #expect(try await lacking(.verdictKey("fedcba9876543210")) == ["d2"])
    #expect(try await lacking(.verdictKey("1111111111111111")) == ["d1", "d2"])
    let name = String(repeating: "a", count: 64)
    #expect(try await lacking(.authority(name)) == ["d1", "d2"])
    _ = try await server.checkIn(other, report(2, ["0123456789abcdef"], [name]))
    #expect(try await lacking(key).isEmpty)
    #expect(try await lacking(.authority(name)) == ["d1"])
    let known = try await server.store.read { try $0.machineTrusts.known(by: "d2") }
    #expect(known == KnownTrust(verdictKeys: ["0123456789abcdef"], authorities: [name]))
    // A machine whose package was downgraded reports nothing, and is not known to have the key any more.
    _ = try await server.checkIn(other, report(3, nil))
    #expect(try await lacking(key) == ["d2"])
  }

  @Test
  func
    `a machine that has left, was revoked or was not seen for a month does not count, unless somebody logs in on it`()
    async throws
  {
    let (one, _, _) = (try await joined("d1"), try await joined("d2"), try await joined("d3"))
    let key = TrustAnchor.verdictKey("0123456789abcdef")
    try await server.store.write { [server] records in
      _ = try records.joinedMachines.markLeft(machineID: one.machineID, now: server.now)
      try records.joinedMachines.revoke("d2", now: server.now)
    }
    #expect(try await lacking(key) == ["d3"])
    server.advance(seconds: TrustReach.lately)
    #expect(try await lacking(key) == ["d3"])
    server.advance(seconds: 1)
    #expect(try await lacking(key).isEmpty)
    let authenticator = try await server.registered("mina", deviceID: "d3")
    let request = try await server.authenticationRequest("mina")
    let (refusal, _) = try await server.respond(authenticator.authenticate(request, counter: 1))
    #expect(refusal == nil)
    #expect(try await lacking(key) == ["d3"])
  }

  @Test func `a machine that learns no authorities lacks none, is counted apart, and lacks keys like any other`()
    async throws
  {
    let (one, other) = (try await joined("d1"), try await joined("d2"))
    func learningNone() async throws -> Int {
      let since = TrustReach.since(server.now)
      return try await server.store.read { try $0.machineTrusts.countLearningNone(since: since, upTo: 100) }
    }
    #expect(try await learningNone() == 0)
    _ = try await server.checkIn(one, report(1, ["fedcba9876543210"]))
    _ = try await server.checkIn(other, report(1, ["fedcba9876543210"], [String(repeating: "b", count: 64)]))
    #expect(try await lacking(.authority(String(repeating: "a", count: 64))) == ["d2"])
    #expect(try await lacking(.verdictKey("0123456789abcdef")) == ["d1", "d2"])
    #expect(try await learningNone() == 1)
    server.advance(seconds: TrustReach.lately + 1)
    #expect(try await learningNone() == 0)
  }

  @Test func `a machine that joins again lacks what it has not reported since`() async throws {
    let secret = try await joined("d1")
    let key = TrustAnchor.verdictKey("0123456789abcdef")
    _ = try await server.checkIn(secret, report(1, ["0123456789abcdef"]))
    #expect(try await lacking(key).isEmpty)
    try await server.joined(server.joinCode("office"), "d1", proving: secret)
    #expect(try await lacking(key) == ["d1"])
  }

  @Test func `what is no name of a key or authority is no anchor`() {
    #expect(TrustAnchor("0123456789abcdef") == .verdictKey("0123456789abcdef"))
    #expect(TrustAnchor(String(repeating: "f", count: 64)) == .authority(String(repeating: "f", count: 64)))
    for name in ["", "%", "0123456789abcde%", "0123456789ABCDEF", String(repeating: "f", count: 63)] {
      #expect(TrustAnchor(name) == nil, "\(name)")
    }
    // People paste what openssl prints.
    let printed = Array(repeating: "AB", count: 32).joined(separator: ":")
    #expect(TrustAnchor(typed: printed) == .authority(String(repeating: "ab", count: 32)))
    #expect(TrustAnchor(typed: "0123456789ABCDEF") == .verdictKey("0123456789abcdef"))
    for name in ["", ":", "%", "\(printed):AB", printed.replacing(":", with: " ")] {
      #expect(TrustAnchor(typed: name) == nil, "\(name)")
    }
  }
}
