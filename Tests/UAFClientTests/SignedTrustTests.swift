import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// A server's signed statement about its keys, as a machine receives it.
@Suite final class SignedTrustTests {
  private static let now: Int64 = 1_800_000_000

  private let keyPair: P256.KeyPair
  private let other: P256.KeyPair
  private let proof: MachineProof

  init() throws {
    keyPair = try P256.generate()
    other = try P256.generate()
    proof = try #require(
      MachineProof(
        machineID: Array(repeating: 2, count: 16), claim: .checkIn(bodyHash: Array(repeating: 0, count: 32)),
        queue: .own,
        madeAt: Self.now, nonce: Array(repeating: 3, count: 16)))
  }

  private func statement(device: String = "d1", machineID: UInt8 = 2, nonce: UInt8 = 3, at time: Int64 = now)
    -> TrustStatement
  {
    var statement = TrustStatement(
      CheckInClaims(
        deviceID: device, machineID: Array(repeating: machineID, count: 16), nonce: Array(repeating: nonce, count: 16),
        issuedAt: time))
    statement.keys = [keyPair.publicKey, other.publicKey]
    return statement
  }

  private func token(
    _ claims: JSONValue, by key: borrowing P256.KeyPair, type: String = TrustStatement.tokenType
  ) throws -> String {
    let header = #"{"alg":"ES256","typ":"\#(type)"}"#
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.bytes)
    return signed + "." + Base64URL.encode(try P256.sign(Array(signed.utf8), privateKey: key.privateKey))
  }

  private func receive(_ token: String, keys: [[UInt8]]? = nil) -> ReceivedTrust {
    SignedTrust.receive(
      token, answering: proof, deviceID: "d1", publicKeys: keys ?? [other.publicKey, keyPair.publicKey], now: Self.now)
  }

  @Test func `names the accepted key that signed a statement`() throws {
    let statement = statement()
    #expect(
      receive(try token(statement.json, by: keyPair)) == .signed(statement, by: keyPair.publicKey))
  }

  @Test func `refuses a statement about keys that a stranger signed, or that is a token of a different type`() throws {
    let stranger = try P256.generate()
    #expect(receive(try token(statement().json, by: stranger)) == .refused(.unsigned))
    #expect(receive(try token(statement().json, by: keyPair), keys: []) == .refused(.unsigned))
    for type in [CheckInStatement.tokenType, WorkstationPolicy.tokenType, "JWT"] {
      #expect(receive(try token(statement().json, by: keyPair, type: type)) == .refused(.unsigned), "\(type)")
    }
    #expect(receive("") == .refused(.unsigned))
  }

  @Test func `refuses a statement for a different machine, join or check-in, and one that is old or from the future`()
    throws
  {
    for other in [statement(device: "d2"), statement(machineID: 9), statement(nonce: 9)] {
      #expect(receive(try token(other.json, by: keyPair)) == .refused(.otherRequest))
    }
    for time in [Self.now - 200, Self.now + 200] {
      #expect(receive(try token(statement(at: time).json, by: keyPair)) == .refused(.stale))
    }
  }

  @Test func `refuses a signed statement with too many keys, and a token that is too long`() throws {
    var many = statement()
    many.keys = (1...5).map { [4] + Array(repeating: $0, count: 64) }
    #expect(receive(try token(many.json, by: keyPair)) == .refused(.malformed))
    let long =
      try token(statement().json, by: keyPair) + String(repeating: "A", count: TrustStatement.maximumTokenBytes)
    #expect(receive(long) == .refused(.tooLong))
  }

  @Test func `refuses a token that was cut off after any of its bytes, or in which a byte was changed`() throws {
    let token = try token(statement().json, by: keyPair)
    for length in 0..<token.utf8.count {
      let cut = String(decoding: Array(token.utf8).prefix(length), as: UTF8.self)
      #expect(receive(cut) == .refused(.unsigned), "\(length)")
    }
    for index in stride(from: 0, to: token.utf8.count, by: 7) {
      var bytes = Array(token.utf8)
      bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      guard case .refused = receive(String(decoding: bytes, as: UTF8.self)) else {
        Issue.record("accepted a token with a changed byte at \(index)")
        continue
      }
    }
  }
}
