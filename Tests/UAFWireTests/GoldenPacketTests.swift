import Testing

@testable import UAFWire

/// Packets as exact bytes, which the Swift end and the C end are both tested with.
struct GoldenPacketTests {
  @Test func `each golden packet has a described message, except the answer that is not text`() {
    #expect(WireVector.names() == (GoldenMessages.all.keys + ["answer-not-text"]).sorted())
    #expect(WireVector.names(in: "bad").count >= 270)
  }

  @Test(arguments: GoldenMessages.all.keys.sorted())
  func `reads each golden packet as the message that is described for it`(
    _ name: String
  ) throws {
    let bytes = try #require(WireVector.bytes(name))
    let message = try WireMessage(bytes)
    #expect(message == GoldenMessages.all[name])
  }

  @Test(arguments: GoldenMessages.all.keys.sorted())
  func `writes each described message as the bytes of its golden packet`(
    _ name: String
  ) throws {
    let written = try #require(GoldenMessages.all[name]).packet()
    #expect(written == WireVector.bytes(name))
  }

  @Test func `an answer that is not text is read and written without a changed byte`() throws {
    let bytes = try #require(WireVector.bytes("answer-not-text"))
    let message = try WireMessage(bytes)
    let written = try message.packet()
    guard case .answer(let value) = message else {
      Issue.record("not an answer")
      return
    }
    #expect(value.count == 8)
    #expect(String(validating: value, as: UTF8.self) == nil)
    #expect(written == bytes)
  }

  @Test(arguments: WireVector.names(in: "bad")) func `refuses each packet of the bad vectors`(_ name: String) throws {
    let bytes = try #require(WireVector.bytes("bad/" + name))
    #expect(throws: PacketError.self) { try WireMessage(bytes) }
  }

  @Test(arguments: WireVector.names()) func `refuses a golden packet that is cut anywhere but before an optional field`(
    _ name: String
  ) throws {
    let bytes = try #require(WireVector.bytes(name))
    let packet = try Packet(bytes.span)
    let ends = Self.fieldEnds(bytes)
    for length in Self.places(bytes) {
      let cut = Array(bytes[..<length])
      let required = packet.type.rules.filter(\.isRequired).compactMap { packet.range($0.tag)?.upperBound }
      if ends.contains(length), required.allSatisfy({ $0 <= length }) {
        // The rest can be a whole message with fewer fields. Then its bytes must be those of that message.
        if let message = try? WireMessage(cut) { #expect(try message.packet() == cut) }
      } else {
        #expect(throws: PacketError.self, "cut to \(length)") { try WireMessage(cut) }
      }
    }
  }

  @Test(arguments: WireVector.names())
  func `a golden packet with a flipped bit is refused, or it is exactly the packet of some other message`(
    _ name: String
  ) throws {
    let bytes = try #require(WireVector.bytes(name))
    let original = try WireMessage(bytes)
    for place in Self.places(bytes) {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[place] ^= 1 << UInt8(bit)
        guard let message = try? WireMessage(flipped) else { continue }
        let written = try message.packet()
        #expect(written == flipped, "byte \(place), bit \(bit)")
        #expect(message != original, "byte \(place), bit \(bit)")
      }
    }
  }

  /// The positions at which fields end, found without the reader under test.
  private static func fieldEnds(_ bytes: [UInt8]) -> [Int] {
    var ends = [1]
    while let last = ends.last, last + 3 <= bytes.count {
      ends.append(last + 3 + Int(bytes[last + 1]) * 256 + Int(bytes[last + 2]))
    }
    return ends
  }

  /// The positions to change: every byte of a packet of up to 1100 bytes.
  ///
  /// Of a longer packet, the bytes around the start and end of each field and every 997th byte, because the bytes within a long
  /// value are all alike.
  private static func places(_ bytes: [UInt8]) -> [Int] {
    if bytes.count <= 1100 { return Array(bytes.indices) }
    let borders = fieldEnds(bytes).flatMap { ($0 - 3)...($0 + 6) }
    return Set(borders + Array(stride(from: 0, to: bytes.count, by: 997))).filter(bytes.indices.contains).sorted()
  }
}
