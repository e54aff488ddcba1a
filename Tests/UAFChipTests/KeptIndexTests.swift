import SecretMemory
import Testing
import UAFWire

@testable import UAFChip

@Suite struct KeptIndexTests {
  private let kept = KeptIndex(
    handle: 0x01a6_0102, name: [0, 11, 7],
    share: SealedObject(parentName: [1], chipName: [], privatePart: [2, 3], publicPart: [4]))

  @Test func `reads back the record of a chip's index`() {
    #expect(KeptIndex(kept.bytes) == kept)
  }

  @Test func `refuses the record of a chip's index if it is cut or extended`() {
    for length in 0..<kept.bytes.count { #expect(KeptIndex(Array(kept.bytes.prefix(length))) == nil) }
    #expect(KeptIndex(kept.bytes + [0]) == nil)
  }

  @Test func `refuses the number of an index outside our range, so that root's own indices are not touched`() {
    for handle: UInt32 in [0x0150_0001, 0x01a5_ffff, 0x01a7_0000, 0x8100_0001] {
      var other = kept
      other.handle = handle
      #expect(KeptIndex(other.bytes) == nil)
    }
  }

  @Test func `refuses the secrets of an index if their length is wrong`() throws {
    for (count, isTaken) in [(0, false), (32, false), (63, false), (64, true), (65, false)] {
      let values = IndexValues(try Secret(copying: [UInt8](repeating: 1, count: count).span))
      let isNone = values == nil
      #expect(isNone != isTaken)
    }
  }

  @Test func `distinguishes a full chip and a wrong authorisation from other failures`() {
    #expect(ChipFailure.meaning(of: 0x14b) == .full)
    #expect(ChipFailure.meaning(of: 0x14c) == .failed)
    #expect(ChipFailure.isAbout(0x98e, 0x8e, 0xa2) && ChipFailure.isAbout(0x9a2, 0x8e, 0xa2))
    #expect(!ChipFailure.isAbout(0x12f, 0x8e, 0xa2))
  }
}
