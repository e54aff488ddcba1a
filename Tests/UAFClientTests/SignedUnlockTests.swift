import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// Which tokens a machine accepts as an unlock that the server has signed.
@Suite final class SignedUnlockTests {
  private let key: P256.KeyPair
  private let statement = UnlockStatement(
    account: "mina", target: .device("d-1"), id: Array(UInt8(0)...15), issuedAt: 1_800_000_000,
    expiresAt: 1_800_003_600)

  init() throws { key = try P256.generate() }

  private func token(_ claims: JSONValue? = nil, type: String = UnlockStatement.tokenType) throws -> [UInt8] {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"\#(type)"}"#.utf8))
    let signed = header + "." + Base64URL.encode((claims ?? statement.json).bytes)
    return Array(
      (signed + "." + Base64URL.encode(try P256.sign(Array(signed.utf8), privateKey: key.privateKey))).utf8)
  }

  @Test func `reads an unlock that one of the configured keys has signed`() throws {
    let other = try P256.generate().publicKey
    #expect(SignedUnlock.statement(try token(), publicKeys: [key.publicKey]) == statement)
    #expect(SignedUnlock.statement(try token(), publicKeys: [other, key.publicKey]) == statement)
    #expect(SignedUnlock.statement(try token(), publicKeys: [other]) == nil)
    #expect(SignedUnlock.statement(try token(), publicKeys: []) == nil)
  }

  @Test func `refuses an unlock with any changed bit, cut anywhere or extended`() throws {
    let whole = try token()
    for index in whole.indices {
      for bit in 0..<8 {
        var changed = whole
        changed[index] ^= 1 << bit
        #expect(SignedUnlock.statement(changed, publicKeys: [key.publicKey]) == nil, "\(index) \(bit)")
      }
      #expect(SignedUnlock.statement(Array(whole[..<index]), publicKeys: [key.publicKey]) == nil, "\(index)")
    }
    for more in ["A", ".", "=", " ", "\n"] {
      #expect(SignedUnlock.statement(whole + Array(more.utf8), publicKeys: [key.publicKey]) == nil)
    }
  }

  @Test(arguments: ["JWT", "account-state+jwt", "machine-join+jwt", "audit-head+jwt", "Unlock+jwt", ""])
  func `refuses a token of a different type as an unlock`(type: String) throws {
    #expect(SignedUnlock.statement(try token(type: type), publicKeys: [key.publicKey]) == nil)
  }

  @Test func `refuses signed claims that are not those of an unlock, and a token that is too long`() throws {
    #expect(SignedUnlock.statement(try token(.object(["sub": .string("mina")])), publicKeys: [key.publicKey]) == nil)
    let long = UnlockStatement(
      account: String(repeating: "a", count: 6000), target: .device("d"), id: statement.id, issuedAt: 1, expiresAt: 301)
    #expect(SignedUnlock.statement(try token(long.json), publicKeys: [key.publicKey]) == nil)
  }
}
