import Testing

@testable import SQLStore

/// The form in which the index of the search keeps the members of a block.
struct MemberBlockTests {
  @Test(arguments: [0, 1, 2, 254, 255, 256, 257, 4096])
  func `members of a block are read back as they were written, in the shorter form`(count: Int) {
    var members = MemberBlock()
    for place in 0..<count { members.insert(place * 4096 / max(count, 1)) }
    #expect(members.bytes.count == min(count * 2, 512))
    #expect(MemberBlock(members.bytes) == members && members.places.count == count)
    for place in members.places { members.remove(place) }
    #expect(members.isEmpty && members.bytes.isEmpty)
  }

  @Test(arguments: [[], [1], [255, 255], [0, 1, 2]] as [[UInt8]])
  func `bytes that no server writes give no member that does not exist`(bytes: [UInt8]) {
    #expect(MemberBlock(bytes).places.allSatisfy { $0 < 4096 })
    #expect(MemberBlock([255, 255]).isEmpty && MemberBlock([0, 1, 2]).places == [1])
  }
}
