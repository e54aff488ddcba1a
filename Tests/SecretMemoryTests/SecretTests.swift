import Testing

@testable import SecretMemory

@Suite struct SecretTests {
  private func secret(_ bytes: [UInt8]) throws -> Secret {
    try Secret(copying: bytes.span)
  }

  private func bytes(of secret: borrowing Secret) -> [UInt8] {
    secret.withBytes { span in span.indices.map { span[$0] } }
  }

  @Test func `a secret keeps the bytes that it was given`() throws {
    let value = try secret([1, 0, 255])
    #expect(bytes(of: value) == [1, 0, 255])
  }

  @Test func `an empty secret has no bytes and no capacity`() throws {
    let value = try Secret(capacity: 0)
    #expect(value.count == 0 && value.capacity == 0)
  }

  @Test func `refilling a secret keeps only as many bytes as the body reports`() throws {
    var value = try secret(Array(repeating: 7, count: 5000))
    unsafe value.refill { buffer in
      unsafe buffer[0] = 9
      return 1
    }
    #expect(bytes(of: value) == [9])
    unsafe value.refill { $0.count }
    #expect(bytes(of: value) == [9] + Array(repeating: 0, count: 4999), "the rest was wiped")
  }

  @Test func `refilling a secret limits the reported count to the capacity`() throws {
    var value = try Secret(capacity: 4)
    unsafe value.refill { _ in 4097 }
    #expect(value.count == 4)
  }

  @Test func `wiping a secret leaves none of its bytes`() throws {
    var value = try secret([1, 2, 3])
    value.wipe()
    #expect(value.count == 0)
    unsafe value.refill { $0.count }
    #expect(bytes(of: value) == [0, 0, 0])
  }

  @Test func `comparing secrets compares the length and every byte`() throws {
    let value = try secret([1, 2, 3])
    let same = try secret([1, 2, 3])
    let shorter = try secret([1, 2])
    // A non-copyable value cannot be used inside the expectation macro, so it is compared before.
    let (equal, prefix) = (value.isEqual(to: same), value.isEqual(to: shorter))
    #expect(equal)
    #expect(!prefix)
    for index in 0..<3 {
      for bit in 0..<8 {
        var other: [UInt8] = [1, 2, 3]
        other[index] ^= 1 << UInt8(bit)
        let changed = try secret(other)
        let stillEqual = value.isEqual(to: changed)
        #expect(!stillEqual)
      }
    }
  }

  @Test(arguments: [-1, Secret.maximumCapacity + 1]) func `refuses a secret whose capacity is out of range`(
    _ capacity: Int
  ) {
    #expect(throws: SecretMemoryError.capacityOutOfRange) { _ = try Secret(capacity: capacity) }
  }
}
