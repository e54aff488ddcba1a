import Testing

@testable import UAFMessages

@Suite struct MutationTests {
  private static func flips(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
    (0..<(bytes.count * 8)).lazy.map { bit in
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      return changed
    }
  }

  @Test(arguments: Vector.all.filter { !Vector.malformed.contains($0.name) })
  func `refuses an assertion that was cut anywhere`(_ vector: Vector) throws {
    let bytes = try vector.assertion()
    for count in 0..<bytes.count {
      let cut = Array(bytes.prefix(count))
      #expect(throws: TLVError.self) { try UnverifiedRegistrationAssertion(parsing: cut) }
      #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: cut) }
    }
  }

  @Test(arguments: Vector.all.filter { $0.isRegistration && !Vector.malformed.contains($0.name) })
  func `a flipped bit of a registration assertion is refused, or changes the content that is read`(_ vector: Vector)
    throws
  {
    let bytes = try vector.assertion()
    let original = try UnverifiedRegistrationAssertion(parsing: bytes)
    for changed in Self.flips(of: bytes) {
      guard let other = try? UnverifiedRegistrationAssertion(parsing: changed) else { continue }
      #expect(other != original)
    }
  }

  @Test(arguments: Vector.all.filter { !$0.isRegistration })
  func `a flipped bit of an authentication assertion is refused, or changes the content that is read`(_ vector: Vector)
    throws
  {
    let bytes = try vector.assertion()
    let original = try UnverifiedAuthenticationAssertion(parsing: bytes)
    for changed in Self.flips(of: bytes) {
      guard let other = try? UnverifiedAuthenticationAssertion(parsing: changed) else { continue }
      #expect(other != original)
    }
  }

  @Test(arguments: ["reg-surrogate-sig1-key100", "auth-tx-sig1-key100"])
  func `refuses a message that was cut anywhere`(_ name: String) throws {
    let vector = try Vector(name)
    for count in 0..<vector.request.count {
      #expect(throws: MessageError.self) { try UAFRequest(parsing: Array(vector.request.prefix(count))) }
    }
    for count in 0..<vector.response.count {
      #expect(throws: MessageError.self) { try UAFResponse(parsing: Array(vector.response.prefix(count))) }
    }
  }

  @Test(arguments: ["reg-surrogate-sig1-key100", "auth-tx-sig1-key100"])
  func `a request with a flipped bit never crashes the reader`(_ name: String) throws {
    let vector = try Vector(name)
    var refused = 0
    for changed in Self.flips(of: vector.request) where (try? UAFRequest(parsing: changed)) == nil { refused += 1 }
    #expect(refused > 0)
  }
}
