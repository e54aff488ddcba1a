import SecretMemory
import Testing

@testable import UAFWire

/// What the readers of single messages demand in addition to a well-formed packet.
struct MessageTests {
  @Test(arguments: Operation.allCases) func `each operation is read back from a begin message as it was written`(
    _ operation: UAFWire.Operation
  ) throws {
    let bytes = try Begin(operation).packet()
    #expect(try Begin(Packet(bytes.span), bytes.span).operation == operation)
  }

  @Test(arguments: [(3, 24), (3, 25), (4, 25)] as [(UInt16, UInt8)])
  func `reads a begin message of an earlier version, and refuses a field that this version did not have`(
    _ version: UInt16, _ tag: UInt8
  ) throws {
    var begin = Begin(.authenticate)
    begin.version = version
    let bytes = try begin.packet()
    #expect(try Begin(Packet(bytes.span), bytes.span) == begin)
    #expect(Begin(foreignVersionIn: bytes.span) == nil)
    if tag == 24 { begin.showsLists = true } else { begin.takesKeyring = true }
    #expect(throws: PacketError.unexpectedField(.begin, tag: tag)) { try begin.packet() }
    let newer = bytes + [tag, 0, 1, 1]
    #expect(throws: PacketError.unexpectedField(.begin, tag: tag)) { try Begin(Packet(newer.span), newer.span) }
  }

  @Test func `refuses a cancellation with two reasons`() throws {
    let bytes: [UInt8] = [PacketType.cancelled.rawValue, 1, 0, 1, 1, 2, 0, 1, 1]
    let packet = try Packet(bytes.span)
    #expect(throws: PacketError.unexpectedField(.cancelled, tag: 2)) { try FrontEndSignal(packet, bytes.span) }
  }

  @Test(arguments: [0, 1, 2, 6, UInt16.max]) func `an unknown version of a begin message is reported with its number`(
    _ version: UInt16
  ) throws {
    var begin = Begin(.authenticate)
    begin.version = version
    let bytes = try begin.packet() + [0xFF]
    #expect(Begin(foreignVersionIn: bytes.span)?.version == version)
  }

  @Test(arguments: PromptStep.allCases) func `each step of a prompt is read back as it was written`(_ step: PromptStep)
    throws
  {
    let message = CoreMessage.prompt(Prompt(echo: true, check: "passcode", step: step, text: ""))
    let bytes = try message.packet()
    #expect(try CoreMessage(Packet(bytes.span), bytes.span) == message)
  }

  @Test func `refuses to write a prompt with more than 16 options, or with an option that is too long`() {
    let prompt = Prompt(echo: true, check: "choice", step: .current, text: "")
    var many = prompt
    many.options = [String](repeating: "o", count: WireLimit.options + 1)
    var long = prompt
    long.options = ["o", String(repeating: "o", count: WireLimit.option + 1)]
    #expect(throws: PacketError.unexpectedField(.prompt, tag: 9)) { try CoreMessage.prompt(many).packet() }
    #expect(throws: PacketError.invalidValue(.prompt, tag: 9)) { try CoreMessage.prompt(long).packet() }
  }

  @Test(arguments: [0, 257, UInt32.max]) func `refuses a prompt whose entry length is out of range`(_ length: UInt32)
    throws
  {
    var prompt = Prompt(echo: false, check: "passcode", step: .current, text: "")
    prompt.entryLength = length
    let bytes = try CoreMessage.prompt(prompt).packet()
    #expect(throws: PacketError.invalidValue(.prompt, tag: 8)) { try CoreMessage(Packet(bytes.span), bytes.span) }
  }

  @Test(arguments: FetchOutcome.allCases)
  func `each outcome of a request is read back as it was written, and only an answer may have a status`(
    _ outcome: FetchOutcome
  ) throws {
    let status: UInt16 = outcome == .answered ? 404 : 0
    let response = FetchResponse(outcome, handshakeCompleted: true, status: status)
    let bytes = try response.packet()
    #expect(try FetchResponse(Packet(bytes.span), bytes.span) == response)
    let wrong = try FetchResponse(outcome, handshakeCompleted: true, status: 404 - status).packet()
    #expect(throws: PacketError.invalidValue(.fetchResponse, tag: 3)) {
      try FetchResponse(Packet(wrong.span), wrong.span)
    }
  }

  @Test func `refuses an answer of a server without a handshake`() throws {
    let bytes = try FetchResponse(.answered, handshakeCompleted: false, status: 200).packet()
    #expect(throws: PacketError.invalidValue(.fetchResponse, tag: 3)) {
      try FetchResponse(Packet(bytes.span), bytes.span)
    }
  }

  @Test(arguments: [0, 600_001, UInt32.max]) func `refuses a request whose time-out is out of range`(_ timeout: UInt32)
    throws
  {
    let bytes = try FetchRequest(.get, url: "https://a", timeoutMilliseconds: timeout).packet()
    #expect(throws: PacketError.invalidValue(.fetchRequest, tag: 7)) {
      try FetchRequest(Packet(bytes.span), bytes.span)
    }
  }

  @Test func `refuses a network request of a different version`() throws {
    var bytes = try FetchRequest(.get, url: "https://a", timeoutMilliseconds: 1).packet()
    bytes[5] = 2
    #expect(throws: PacketError.invalidValue(.fetchRequest, tag: 1)) {
      try FetchRequest(Packet(bytes.span), bytes.span)
    }
  }

  @Test(arguments: GoldenMessages.all.keys.sorted()) func `each reader refuses a packet of another type`(
    _ name: String
  ) throws {
    let bytes = try #require(WireVector.bytes(name))
    let packet = try Packet(bytes.span)
    let wrong = PacketError.unexpectedType(packet.type)
    let core: Set<PacketType> = [.prompt, .info, .error, .ready, .setenv, .finished]
    if packet.type != .begin { #expect(throws: wrong) { try Begin(packet, bytes.span) } }
    if !core.contains(packet.type) { #expect(throws: wrong) { try CoreMessage(packet, bytes.span) } }
    if packet.type != .fetchRequest { #expect(throws: wrong) { try FetchRequest(packet, bytes.span) } }
    if packet.type != .fetchResponse { #expect(throws: wrong) { try FetchResponse(packet, bytes.span) } }
    if packet.type != .fetchChunk {
      var body: [UInt8] = []
      #expect(throws: wrong) { try FetchChunk.append(packet, bytes.span, to: &body, total: 4) }
    }
    if packet.type != .answer {
      let buffer = try Secret(copying: bytes.span)
      #expect(throws: wrong) { _ = try Answer.value(packet, in: buffer) }
    }
  }

  @Test(arguments: [0, 1, 32_767, 32_768, 32_769, 262_144])
  func `a body is cut into full chunks and joined again unchanged`(
    _ count: Int
  ) throws {
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    var joined: [UInt8] = []
    let packets = try FetchChunk.packets(body)
    for bytes in packets { try FetchChunk.append(Packet(bytes.span), bytes.span, to: &joined, total: count) }
    #expect(packets.count == (count + WireLimit.chunk - 1) / WireLimit.chunk)
    #expect(joined == body)
  }

  @Test(arguments: [0, 24_576, 24_577, 32_768, 65_537, WireLimit.longAuthorities])
  func `CAs of any length are sent, in the request or before it`(_ count: Int) throws {
    var request = FetchRequest(.get, url: "https://a", timeoutMilliseconds: 1)
    request.certificateAuthorities = String(repeating: "c", count: count)
    var packets = try request.packets()
    let last = packets.removeLast()
    var joined: [UInt8] = []
    for bytes in packets { try FetchAuthorities.append(Packet(bytes.span), bytes.span, to: &joined) }
    #expect(joined.count == (count > WireLimit.certificateAuthorities ? count : 0))
    #expect(try FetchRequest(Packet(last.span), last.span, authorities: joined) == request)
  }

  @Test func `refuses a request whose CAs were cut or extended, and more CAs than a request may have`() throws {
    var request = FetchRequest(.get, url: "https://a", timeoutMilliseconds: 1)
    request.certificateAuthorities = String(repeating: "c", count: 40_000)
    let long = try request.packet()
    let whole = [UInt8](repeating: 0x63, count: 40_000)
    for wrong in [
      [], Array(whole.dropLast()), whole + [0x63], Array(whole.dropLast()) + [0xFF], Array(whole.dropLast()) + [0],
    ] {
      #expect(throws: PacketError.invalidValue(.fetchRequest, tag: 12)) {
        try FetchRequest(Packet(long.span), long.span, authorities: wrong)
      }
    }
    request.certificateAuthorities = nil
    let none = try request.packet()
    #expect(throws: PacketError.invalidValue(.fetchRequest, tag: 12)) {
      try FetchRequest(Packet(none.span), none.span, authorities: whole)
    }
    request.certificateAuthorities = String(repeating: "c", count: WireLimit.longAuthorities + 1)
    #expect(throws: PacketError.size) { try request.packets() }
    var full = [UInt8](repeating: 0x63, count: WireLimit.longAuthorities)
    let more = try #require(FetchAuthorities.packets([0x63]).first)
    #expect(throws: PacketError.size) { try FetchAuthorities.append(Packet(more.span), more.span, to: &full) }
  }

  @Test func `refuses to cut a body that is larger than the limit`() {
    #expect(throws: PacketError.size) { try FetchChunk.packets([UInt8](repeating: 0, count: 262_145)) }
  }

  @Test func `refuses a chunk with more or fewer bytes than announced, and a chunk after the last`() throws {
    let bytes = try #require(FetchChunk.packets([1, 2, 3]).first)
    let packet = try Packet(bytes.span)
    for total in [0, 2, 4, 40_000] {
      var body: [UInt8] = []
      #expect(throws: PacketError.invalidValue(.fetchChunk, tag: 1)) {
        try FetchChunk.append(packet, bytes.span, to: &body, total: total)
      }
      #expect(body.isEmpty)
    }
    var complete: [UInt8] = [1, 2, 3]
    #expect(throws: PacketError.self) { try FetchChunk.append(packet, bytes.span, to: &complete, total: 3) }
  }

  @Test func `refuses to send an answer that is too long or contains a NUL`() throws {
    let long = try Secret(copying: [UInt8](repeating: 0x61, count: WireLimit.answer + 1).span)
    #expect(throws: PacketError.invalidValue(.answer, tag: 1)) { _ = try Answer.packet(long) }
    let nul = try Secret(copying: [0x61, 0, 0x62].span)
    #expect(throws: PacketError.invalidValue(.answer, tag: 1)) { _ = try Answer.packet(nul) }
  }
}
