import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The two forms of an unlock, as a machine checks them.
struct UnlockGrantTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private var keys: ServerKeys { server.environment.keys }

  private func statement(lifetime: Int64 = 3600) -> UnlockStatement {
    UnlockStatement(
      account: "alice", target: .device("d"), id: Array(UInt8(0)...15), issuedAt: server.now,
      expiresAt: server.now + lifetime)
  }

  private static func keyID(_ byte: UInt8) throws -> KeyID { try KeyID(bytes: Array(repeating: byte, count: 32)) }

  /// Whether a machine with a secret accepts a code.
  private func holds(_ code: UnlockGrants.Typed, _ secret: MachineSecret, account: String = "alice") throws -> Bool {
    guard let read = UnlockCode(typed: code.text, near: server.now) else { return false }
    let message = read.authenticated(account: account, machineID: secret.machineID)
    let expected = try HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret.secret)
    return read.mac == Array(expected.prefix(UnlockCode.macByteCount))
      && code.label == UnlockCode.label(ofMachine: secret.machineID)
  }

  private func rotate() throws {
    let entries = keys.rings.secrets.entries
    let secret = try ServerSecret(RandomBytes.makeSecret(32))
    keys.replace(
      by: ServerKeys.Rings(
        secrets: try #require(KeyRing(entries + [.init(from: server.now, key: secret)])),
        verdictKeys: keys.rings.verdictKeys, auditKeys: keys.rings.auditKeys))
  }

  @Test func `an unlock code is valid under the secret that the machine was given, and under no other secret`() throws {
    let grants = UnlockGrants(keys: keys)
    let codes = try grants.codes(statement(), holding: Self.keyID(1), random: 0xFF)
    let secret = try #require(try MachineProofs(keys: keys).secret(of: "alice", holding: [Self.keyID(1)]))
    #expect(codes.count == 1)
    #expect(try holds(codes[0], secret) && !holds(codes[0], secret, account: "bob"))
    for (name, byte) in [("alice", UInt8(2)), ("bob", 1)] {
      let other = try #require(try MachineProofs(keys: keys).secret(of: name, holding: [Self.keyID(byte)]))
      #expect(try !holds(codes[0], other))
    }
  }

  @Test func `for a day after a rotation an unlock has a second code, made with the old secret, and later has none`()
    throws
  {
    let old = try #require(try MachineProofs(keys: keys).secret(of: "alice", holding: [Self.keyID(1)]))
    try rotate()
    let new = try #require(try MachineProofs(keys: keys).secret(of: "alice", holding: [Self.keyID(1)]))
    let grants = UnlockGrants(keys: keys)
    let codes = try grants.codes(statement(), holding: Self.keyID(1), random: 0)
    #expect(codes.count == 2)
    #expect(try holds(codes[0], new) && holds(codes[1], old))
    server.advance(seconds: KeyOverlap.seconds)
    let later = try grants.codes(statement(), holding: Self.keyID(1), random: 0)
    #expect(later.count == 1)
    #expect(try holds(later[0], new))
  }

  @Test(arguments: [(Int64(300), Int64(300)), (599, 300), (604_800, 604_800)])
  func `an unlock code is valid for no longer than its payload`(lifetime: Int64, units: Int64) throws {
    let code = try #require(
      try UnlockGrants(keys: keys).codes(statement(lifetime: lifetime), holding: Self.keyID(1), random: 9).first)
    let read = try #require(UnlockCode(typed: code.text, near: server.now))
    #expect(read.expiresAt - read.issuedAt == units && read.expiresAt <= server.now + lifetime && read.salt == 9)
  }

  @Test func `an unlock payload is signed as an unlock, and is not a verdict`() throws {
    let token = try UnlockGrants(keys: keys).payload(statement())
    let parts = token.split(separator: ".").map(String.init)
    let header = String(decoding: try Base64URL.decode(parts[0], maximumCount: 200), as: UTF8.self)
    #expect(header.contains(#""typ":"unlock+jwt""#))
    let signature = try Base64URL.decode(parts[2], maximumCount: 64)
    #expect(
      P256.isValidSignature(
        signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: keys.verdictKey.publicKey))
    #expect(VerdictToken(keys: keys).claims(of: token) == nil)
  }
}
