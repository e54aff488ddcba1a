import Testing

@testable import UAFChip

@Suite struct SealedObjectTests {
  private let object = SealedObject(parentName: [0, 11, 1], chipName: [], privatePart: [2, 3], publicPart: [4])

  @Test func `reads back a sealed object`() { #expect(SealedObject(object.bytes) == object) }

  @Test func `refuses a sealed object that is cut anywhere`() {
    for length in 0..<object.bytes.count { #expect(SealedObject(Array(object.bytes.prefix(length))) == nil) }
  }

  @Test func `refuses a sealed object with further bytes, a different version or an empty part`() {
    #expect(SealedObject(object.bytes + [0]) == nil)
    #expect(SealedObject([2] + object.bytes.dropFirst()) == nil)
    let empty = SealedObject(parentName: [], chipName: [], privatePart: [2], publicPart: [4])
    #expect(SealedObject(empty.bytes) == nil)
  }
}
