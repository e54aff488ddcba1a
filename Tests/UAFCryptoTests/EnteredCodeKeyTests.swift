import SecretMemory
import Testing

@testable import UAFCrypto

struct EnteredCodeKeyTests {
  private static let alice = Array("pam-uaf enrolment code\0alice".utf8)

  private func key(_ code: String, for purpose: [UInt8] = alice, isStretched: Bool) throws -> [UInt8] {
    bytes(
      try EnteredCodeKey.derive(from: Array(code.utf8), for: purpose, isStretched: isStretched, length: 32))
  }

  /// The values are from Python's hashlib.
  @Test func `the key of a typed code is that of scrypt or HKDF, as the protocol says`() throws {
    #expect(
      try key("B9D5MPJTB9D5MPJQ", isStretched: true)
        == hex("41f6e5df60e1abd1a0a972b96b00458983d98877d0d8635bd02681e61bd81b1b"))
    #expect(
      try key("B9D5MPJTB9D5MPJTBH2P", isStretched: false)
        == hex("7484d7fba7dfcb3075a29a6af2ec2bc875b3619cc7b34519a7dbd10b62c5e123"))
  }

  @Test func `typed codes, purposes and derivations that differ give different keys`() throws {
    let code = "B9D5MPJTB9D5MPJQ"
    let keys = [
      try key(code, isStretched: true), try key(code, isStretched: false),
      try key("B9D5MPJTB9D5MPJR", isStretched: true),
      try key(code, for: Self.alice + [0x32], isStretched: true),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test(arguments: [0, 65]) func `refuses to derive no key from a typed code, or one of more than 64 bytes`(
    _ length: Int
  ) {
    #expect(throws: CryptoError.invalidParameter(.scrypt)) {
      _ = try EnteredCodeKey.derive(from: [1], for: Self.alice, isStretched: true, length: length)
    }
  }
}
