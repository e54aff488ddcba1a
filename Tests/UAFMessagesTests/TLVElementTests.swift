import Testing

@testable import UAFMessages

@Suite struct TLVElementTests {
  @Test func `a TLV element is written back as it was read, with tag and length lowest byte first`() throws {
    let element = try TLVElement.single(in: [0x0B, 0x2E, 0x02, 0x00, 0xAA, 0xBB])
    #expect(element.tag == .aaid && element.value == [0xAA, 0xBB])
    #expect(element.encoded == [0x0B, 0x2E, 0x02, 0x00, 0xAA, 0xBB])
  }

  @Test(
    arguments: [
      ([], TLVError.Reason.truncated, 0),
      ([0x0B], .truncated, 0),
      ([0x0B, 0x2E, 0x01], .truncated, 0),
      ([0x0B, 0x2E, 0x01, 0x00], .truncated, 0),
      ([0x0B, 0x2E, 0xFF, 0xFF, 0x00], .truncated, 0),
      ([0x0B, 0x2E, 0x00, 0x00, 0x00], .trailingBytes, 4),
      ([0x0B, 0x6E, 0x00, 0x00], .invalidTag, 0),
      ([0x0B, 0xBE, 0x00, 0x00], .invalidTag, 0),
    ] as [([UInt8], TLVError.Reason, Int)])
  func `refuses a malformed TLV element, and names the reason and the position`(
    _ bytes: [UInt8], _ reason: TLVError.Reason, _ offset: Int
  ) {
    #expect(throws: TLVError(reason: reason, offset: offset)) { try TLVElement.single(in: bytes) }
  }

  @Test func `an error in a nested TLV element names its position in the whole input`() throws {
    let outer = try TLVElement.single(in: [0x01, 0x3E, 0x08, 0x00, 0x0B, 0x2E, 0, 0, 0x09, 0x2E, 0, 0])
    #expect(try outer.children().map(\.offset) == [4, 8])
    let cut = try TLVElement.single(in: [0x01, 0x3E, 0x05, 0x00, 0x0B, 0x2E, 0, 0, 0x09])
    #expect(throws: TLVError(reason: .truncated, offset: 8)) { try cut.children() }
  }

  @Test func `refuses to read nested elements in a TLV element whose tag does not allow them`() throws {
    let element = try TLVElement.single(in: [0x0B, 0x2E, 0x04, 0x00, 0x0B, 0x2E, 0, 0])
    #expect(throws: TLVError(reason: .invalidValue(.aaid), offset: 0)) { try element.children() }
  }

  @Test func `refuses to write a TLV element that is longer than its length field can say`() {
    var writer = TLVWriter()
    #expect(throws: TLVError(reason: .tooLong, offset: 0)) {
      try writer.append(.signature, [UInt8](repeating: 0, count: 65_536))
    }
    #expect(writer.bytes.isEmpty)
  }

  @Test func `numbers in TLV elements are written and read lowest byte first`() {
    #expect(TLVWriter.littleEndian(UInt32(0x0102_0304)) == [4, 3, 2, 1])
    #expect([UInt8]([9, 4, 3, 2, 1]).littleEndian(at: 1, as: UInt32.self) == 0x0102_0304)
  }
}
