import Testing

@testable import UAFWire

/// The format of packets, tested at every limit of docs/protocol.md and one byte beyond it.
struct PacketTests {
  /// A packet in which the field `tag` has this value and the other required fields are as short as possible.
  private static func packet(_ type: PacketType, _ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    var bytes = [type.rawValue]
    for rule in type.rules where rule.tag == tag || rule.isRequired {
      let field = rule.tag == tag ? value : shortest(rule.form)
      bytes += [rule.tag, UInt8(field.count >> 8), UInt8(field.count & 0xff)] + field
    }
    return bytes
  }

  private static func shortest(_ form: FieldRule.Form) -> [UInt8] {
    switch form {
    case .flag, .mark, .u8, .chunk, .password: [1]
    case .u16: [0, 1]
    case .u32: [0, 0, 0, 1]
    case .name, .text, .raw: []
    }
  }

  private static func sizes(_ form: FieldRule.Form) -> ClosedRange<Int> {
    switch form {
    case .flag, .mark, .u8: 1...1
    case .u16: 2...2
    case .u32: 4...4
    case .name(let limit), .text(let limit), .raw(let limit): 0...limit
    case .password(let limit): 1...limit
    case .chunk: 1...WireLimit.chunk
    }
  }

  /// Every limit that docs/protocol.md states, for comparison with the table in the source code.
  private static let limits: [PacketType: [UInt8: Int]] = [
    .begin: [
      1: 2, 2: 1, 3: 4, 4: 256, 5: 256, 6: 64, 7: 256, 8: 256, 9: 256, 10: 1, 11: 4, 12: 4096, 13: 64,
      15: 1, 16: 64, 17: 16384, 18: 1, 19: 4, 20: 4096, 21: 4096, 22: 4096, 23: 1, 24: 1, 25: 1,
    ],
    .answer: [1: 1024], .cancelled: [1: 1, 2: 1], .resume: [:], .ready: [:],
    .prompt: [1: 1, 2: 32, 3: 1, 4: 4096, 5: 4, 6: 4096, 7: 4096, 8: 4, 9: 256, 10: 4096],
    .info: [1: 4096], .error: [1: 4096], .setenv: [1: 64, 2: 8192],
    .finished: [1: 1, 2: 4, 3: 4096, 4: 8192, 5: 32768, 6: 1], .keyring: [1: 512],
    .fetchRequest: [
      1: 2, 2: 1, 3: 4096, 4: 128, 5: 128, 6: 24576, 7: 4, 8: 24576, 9: 4096, 10: 1, 11: 272, 12: 4, 13: 4096,
      14: 1024, 15: 1024,
    ],
    .fetchPlaces: [1: 264, 2: 4096], .fetchAuthorities: [1: 32768],
    .fetchResponse: [
      1: 1, 2: 1, 3: 2, 4: 256, 5: 16384, 6: 4, 7: 512, 8: 4096, 9: 1, 10: 64, 11: 4, 12: 4096, 13: 992,
    ],
    .fetchChunk: [1: 32768],
    .chipRequest: [1: 2, 2: 1, 3: 107, 4: 2048, 5: 32, 6: 32, 7: 4, 8: 64],
    .chipAnswer: [1: 1, 2: 4, 3: 64, 4: 64, 5: 2048, 6: 16, 7: 4, 8: 1, 9: 32],
    .fingerAsk: [1: 1, 2: 256, 3: 128], .fingerStop: [:], .fingerSensor: [1: 1, 2: 64, 3: 256, 4: 64],
    .fingerTouch: [1: 1],
    .fingerEnd: [1: 1, 2: 256],
    .nameRequest: [1: 4], .nameAnswer: [1: 1, 2: 256, 3: 4, 4: 64],
  ]

  @Test(arguments: PacketType.allCases) func `packets have the fields and limits that docs/protocol.md states`(
    _ type: PacketType
  ) {
    let rules = Dictionary(uniqueKeysWithValues: type.rules.map { ($0.tag, Self.sizes($0.form).upperBound) })
    #expect(rules == Self.limits[type])
    #expect(type.rules.map(\.tag) == type.rules.map(\.tag).sorted())
  }

  @Test(arguments: PacketType.allCases) func `accepts each field of a packet at its shortest and longest`(
    _ type: PacketType
  ) throws {
    for rule in type.rules {
      for count in [Self.sizes(rule.form).lowerBound, Self.sizes(rule.form).upperBound] {
        let bytes = Self.packet(type, rule.tag, [UInt8](repeating: 1, count: count))
        let packet = try Packet(bytes.span)
        #expect(packet.range(rule.tag)?.count == count)
      }
    }
  }

  @Test(arguments: PacketType.allCases) func `refuses a field of a packet that is one byte too long`(_ type: PacketType)
  {
    for rule in type.rules {
      let bytes = Self.packet(type, rule.tag, [UInt8](repeating: 1, count: Self.sizes(rule.form).upperBound + 1))
      #expect(throws: PacketError.invalidValue(type, tag: rule.tag)) { try Packet(bytes.span) }
    }
  }

  @Test(arguments: PacketType.allCases) func `refuses a field of a packet that is one byte too short`(
    _ type: PacketType
  ) {
    for rule in type.rules where Self.sizes(rule.form).lowerBound > 0 {
      let bytes = Self.packet(type, rule.tag, [UInt8](repeating: 1, count: Self.sizes(rule.form).lowerBound - 1))
      #expect(throws: PacketError.invalidValue(type, tag: rule.tag)) { try Packet(bytes.span) }
    }
  }

  @Test(arguments: PacketType.allCases) func `refuses a packet without one of its required fields`(_ type: PacketType) {
    for missing in type.rules where missing.isRequired {
      var bytes = [type.rawValue]
      for rule in type.rules where rule.isRequired && rule.tag != missing.tag {
        let field = Self.shortest(rule.form)
        bytes += [rule.tag, 0, UInt8(field.count)] + field
      }
      #expect(throws: PacketError.missingField(type, tag: missing.tag)) { try Packet(bytes.span) }
    }
  }

  @Test(arguments: PacketType.allCases)
  func `refuses a packet with a field twice, or with a field of unknown tag`(_ type: PacketType) {
    let highest = type.rules.last?.tag ?? 0
    var bytes = Self.packet(type, highest, type.rules.last.map { Self.shortest($0.form) } ?? [])
    let unknown = bytes + [highest + 1, 0, 0]
    #expect(throws: PacketError.unexpectedField(type, tag: highest + 1)) { try Packet(unknown.span) }
    guard let last = type.rules.last else { return }
    let again = Self.shortest(last.form)
    for _ in 0..<last.repeats { bytes += [last.tag, 0, UInt8(again.count)] + again }
    #expect(throws: PacketError.unexpectedField(type, tag: last.tag)) { try Packet(bytes.span) }
  }

  @Test func `refuses a packet whose type is not in the table`() {
    let known = Set(PacketType.allCases.map(\.rawValue))
    for type in UInt8.min...UInt8.max where !known.contains(type) {
      #expect(throws: PacketError.unknownType(type)) { try Packet([type].span) }
    }
  }

  @Test func `refuses an empty packet, and one that is too long`() {
    let nothing: [UInt8] = []
    #expect(throws: PacketError.size) { try Packet(nothing.span) }
    let long = [UInt8](repeating: 1, count: WireLimit.packet + 1)
    #expect(throws: PacketError.size) { try Packet(long.span) }
  }

  @Test func `accepts a begin message with 32 module arguments, and refuses one with 33`() throws {
    var begin = Begin(.authenticate)
    begin.arguments = [[UInt8]](repeating: [0x61], count: 32)
    let bytes = try begin.packet()
    let read = try Begin(Packet(bytes.span), bytes.span)
    #expect(read.arguments.count == 32)
    begin.arguments.append([0x61])
    #expect(throws: PacketError.unexpectedField(.begin, tag: 12)) { try begin.packet() }
  }

  @Test func `refuses to write more into a packet than fits`() {
    var begin = Begin(.authenticate)
    begin.arguments = [[UInt8]](repeating: [UInt8](repeating: 0x61, count: 4096), count: 16)
    #expect(throws: PacketError.size) { try begin.packet() }
  }

  @Test func `refuses to write a field that is longer than its length field can say`() {
    var request = FetchRequest(.post, url: "https://a", timeoutMilliseconds: 1)
    request.body = [UInt8](repeating: 0, count: 65_536)
    #expect(throws: PacketError.invalidValue(.fetchRequest, tag: 6)) { try request.packet() }
  }

  @Test func `refuses to write a text that contains a NUL`() {
    #expect(throws: PacketError.invalidValue(.info, tag: 1)) { try CoreMessage.info("a\0b").packet() }
  }

  @Test func `an error about a packet contains nothing of the packet's values`() throws {
    let bytes = Self.packet(.answer, 1, Array("secret\0".utf8))
    let error = #expect(throws: PacketError.self) { try Packet(bytes.span) }
    #expect(error.map { "\($0)".contains("secret") } == false)
  }
}
