import Testing

@testable import UAFWire

/// The bytes with which both ends of the wire are tested.
struct GoldenPacketTests {
  @Test func `each golden packet has a stated message, except the answer that is not text`() {
    #expect(WireVector.names() == (GoldenMessages.all.keys + ["answer-not-text"]).sorted())
    #expect(WireVector.names(in: "bad").count >= 270)
  }

  @Test(arguments: GoldenMessages.all.keys.sorted()) func `reads a golden packet to the stated values`(
    _ name: String
  ) throws {
    let bytes = try #require(WireVector.bytes(name))
    let message = try WireMessage(bytes)
    #expect(message == GoldenMessages.all[name])
  }

  @Test(arguments: GoldenMessages.all.keys.sorted()) func `writes the stated values as the golden packet`(
    _ name: String
  ) throws {
    let written = try #require(GoldenMessages.all[name]).packet()
    #expect(written == WireVector.bytes(name))
  }

  @Test func `carries an answer that is not text unchanged`() throws {
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

  @Test(arguments: WireVector.names(in: "bad")) func `refuses a bad packet`(_ name: String) throws {
    let bytes = try #require(WireVector.bytes("bad/" + name))
    #expect(throws: PacketError.self) { try WireMessage(bytes) }
  }

  @Test(arguments: WireVector.names()) func `refuses a golden packet cut anywhere except before an optional field`(
    _ name: String
  ) throws {
    let bytes = try #require(WireVector.bytes(name))
    let packet = try Packet(bytes.span)
    let ends = Self.fieldEnds(bytes)
    for length in Self.places(bytes) {
      let cut = Array(bytes[..<length])
      let required = packet.type.rules.filter(\.isRequired).compactMap { packet.range($0.tag)?.upperBound }
      if ends.contains(length), required.allSatisfy({ $0 <= length }) {
        // The remainder is a whole message with fewer fields: it must be exactly that message.
        if let message = try? WireMessage(cut) { #expect(try message.packet() == cut) }
      } else {
        #expect(throws: PacketError.self, "cut to \(length)") { try WireMessage(cut) }
      }
    }
  }

  @Test(arguments: WireVector.names())
  func `a golden packet with a flipped bit is refused, or read as a message that is written as these bytes`(
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

  /// Where fields end, found without the reader under test.
  private static func fieldEnds(_ bytes: [UInt8]) -> [Int] {
    var ends = [1]
    while let last = ends.last, last + 3 <= bytes.count {
      ends.append(last + 3 + Int(bytes[last + 1]) * 256 + Int(bytes[last + 2]))
    }
    return ends
  }

  /// The places to mutate: every byte of a packet of up to 1100 bytes; of a longer one the bytes around each field's border and
  /// every 997th, because the bytes within a long value are all alike.
  private static func places(_ bytes: [UInt8]) -> [Int] {
    if bytes.count <= 1100 { return Array(bytes.indices) }
    let borders = fieldEnds(bytes).flatMap { ($0 - 3)...($0 + 6) }
    return Set(borders + Array(stride(from: 0, to: bytes.count, by: 997))).filter(bytes.indices.contains).sorted()
  }
}
