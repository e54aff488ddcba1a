// Purpose of this target: the wire format of docs/protocol.md: packets, the messages of the conversations, the order in which
// they may come, and the packet socket. Imports SecretMemory and Glibc. It knows nothing of UAF, PAM or HTTP except the names
// of fields.

import SecretMemory

/// A packet whose form has been checked: its type, and the positions of its fields in the bytes from which it was read.
///
/// It has only positions, not bytes, so that a secret in a packet can be read in the memory into which the packet was received.
public struct Packet: Equatable, Sendable {
  /// The type of the packet.
  public let type: PacketType
  private let fields: [(tag: UInt8, range: Range<Int>)]

  /// Checks `bytes` against all rules of "Packets" in docs/protocol.md.
  ///
  /// - Throws: ``PacketError``; nothing is kept of a packet that does not pass.
  public init(_ bytes: Span<UInt8>) throws(PacketError) {
    guard (1...WireLimit.packet).contains(bytes.count) else { throw .size }
    guard let type = PacketType(rawValue: bytes[0]) else { throw .unknownType(bytes[0]) }
    self.type = type
    fields = try Self.readFields(bytes, of: type)
    for rule in type.rules where rule.isRequired {
      guard fields.contains(where: { $0.tag == rule.tag }) else { throw .missingField(type, tag: rule.tag) }
    }
  }

  private static func readFields(
    _ bytes: Span<UInt8>, of type: PacketType
  ) throws(PacketError) -> [(tag: UInt8, range: Range<Int>)] {
    let rules = type.rules
    var fields: [(tag: UInt8, range: Range<Int>)] = []
    var offset = 1
    while offset < bytes.count {
      guard bytes.count - offset >= 3 else { throw .truncated(type) }
      let tag = bytes[offset]
      let length = Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
      let start = offset + 3
      guard bytes.count - start >= length else { throw .truncated(type) }
      let before = fields.count { $0.tag == tag }
      guard let rule = rules.first(where: { $0.tag == tag }), before < rule.repeats,
        fields.last.map({ $0.tag <= tag }) ?? true
      else { throw .unexpectedField(type, tag: tag) }
      let range = start..<start + length
      guard rule.accepts(bytes, range) else { throw .invalidValue(type, tag: tag) }
      fields.append((tag, range))
      offset = range.upperBound
    }
    return fields
  }

  /// The position of the first field with this tag; nil if there is none.
  public func range(_ tag: UInt8) -> Range<Int>? { fields.first { $0.tag == tag }?.range }

  func range(_ field: some PacketField) -> Range<Int>? { range(field.tag) }

  /// The bytes of a field that may be repeated, in order.
  func all(_ field: some PacketField, _ bytes: Span<UInt8>) -> [[UInt8]] {
    fields.filter { $0.tag == field.tag }.map { $0.range.map { bytes[$0] } }
  }

  func bytes(_ field: some PacketField, _ bytes: Span<UInt8>) -> [UInt8]? { range(field)?.map { bytes[$0] } }

  /// The text of a field whose form is `text`.
  ///
  /// It has already been checked to be valid UTF-8.
  func text(_ field: some PacketField, _ bytes: Span<UInt8>) -> String? {
    self.bytes(field, bytes).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The texts of a field that may be repeated, in order.
  func texts(_ field: some PacketField, _ bytes: Span<UInt8>) -> [String] {
    all(field, bytes).compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// The number of a field of 1, 2 or 4 bytes.
  func number(_ field: some PacketField, _ bytes: Span<UInt8>) -> UInt32? {
    range(field)?.reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
  }

  /// The enumeration case that the number in a field of one byte stands for.
  ///
  /// - Throws: ``PacketError/invalidValue(_:tag:)`` if the field is missing, or its number stands for no case.
  func meaning<Meaning: RawRepresentable<UInt8>>(
    of field: some PacketField, _ bytes: Span<UInt8>
  ) throws(PacketError) -> Meaning {
    guard let meaning = number(field, bytes).flatMap({ Meaning(rawValue: UInt8(truncatingIfNeeded: $0)) }) else {
      throw .invalidValue(type, tag: field.tag)
    }
    return meaning
  }

  /// The bytes of a field as a separate secret; nil if the packet does not have the field.
  func secret(_ field: some PacketField, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    guard let range = range(field) else { return nil }
    return try buffer.withBytes { (span: Span<UInt8>) throws(PacketError) -> Secret in
      guard let value = try? Secret(copying: span.extracting(range)) else { throw .size }
      return value
    }
  }

  func flag(_ field: some PacketField, _ bytes: Span<UInt8>) -> Bool? { number(field, bytes).map { $0 == 1 } }

  /// Two packets are equal if types and positions are equal; the bytes are not compared.
  public static func == (one: Packet, other: Packet) -> Bool {
    one.type == other.type && one.fields.elementsEqual(other.fields) { $0.tag == $1.tag && $0.range == $1.range }
  }
}

/// The fields of one type of packet: their tags, named as in docs/protocol.md, and the rule for the content of each.
protocol PacketField: RawRepresentable<UInt8>, CaseIterable, Sendable {
  /// One rule for each field, in the order of tags.
  static var rules: [FieldRule] { get }
}

extension PacketField {
  /// The tag.
  var tag: UInt8 { rawValue }

  /// The rule for the field's content.
  func rule(_ form: FieldRule.Form, required: Bool = false, repeats: Int = 1) -> FieldRule {
    FieldRule(tag: tag, form: form, isRequired: required, repeats: repeats)
  }
}

/// Why bytes are not a valid packet according to docs/protocol.md, or why a message does not fit into one.
public enum PacketError: Error, Equatable, Sendable {
  /// The packet has no bytes, or more than ``WireLimit/packet`` bytes.
  case size
  /// There is no such packet type.
  case unknownType(UInt8)
  /// A field does not belong to this packet type, is out of order, or occurs too often.
  case unexpectedField(PacketType, tag: UInt8)
  /// A field extends beyond the end of the packet.
  case truncated(PacketType)
  /// A field has a length, a NUL or a text that is not permitted for it.
  case invalidValue(PacketType, tag: UInt8)
  /// A required field is missing.
  case missingField(PacketType, tag: UInt8)
  /// A well-formed message of a type that was not expected here.
  case unexpectedType(PacketType)
}

extension PacketError: CustomStringConvertible {
  /// What is wrong, without quoting any content of the packet.
  public var description: String {
    switch self {
    case .size: "a packet must have 1 to \(WireLimit.packet) bytes"
    case .unknownType(let type): "packet of unknown type \(type)"
    case .unexpectedField(let type, let tag): "\(type): field \(tag) is not allowed here"
    case .truncated(let type): "\(type): a field goes beyond the packet's end"
    case .invalidValue(let type, let tag): "\(type): field \(tag) has a value that is not allowed"
    case .missingField(let type, let tag): "\(type): field \(tag) is missing"
    case .unexpectedType(let type): "\(type): not expected at this point of the conversation"
    }
  }
}

/// The rule for one field of a packet.
struct FieldRule {
  /// The form of a field's value.
  enum Form: Equatable {
    case flag, u8, u16, u32
    /// A boolean that is 1, or absent.
    case mark
    /// Bytes that the front end got from elsewhere, without NUL; at most this many.
    case name(Int)
    /// UTF-8 without NUL; at most this many bytes.
    case text(Int)
    /// Any bytes; at most this many.
    case raw(Int)
    /// 1 to this many bytes of any kind except NUL.
    case password(Int)
    /// 1 to ``WireLimit/chunk`` bytes of any kind.
    case chunk
  }

  let tag: UInt8
  let form: Form
  let isRequired: Bool
  /// How often the field may occur.
  let repeats: Int

  /// Whether the bytes in `range` of the packet are a value of this form.
  func accepts(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    switch form {
    case .flag: range.count == 1 && bytes[range.lowerBound] <= 1
    case .mark: range.count == 1 && bytes[range.lowerBound] == 1
    case .u8: range.count == 1
    case .u16: range.count == 2
    case .u32: range.count == 4
    case .name(let limit): range.count <= limit && !range.contains { bytes[$0] == 0 }
    case .text(let limit):
      range.count <= limit && !range.contains { bytes[$0] == 0 }
        && String(validating: range.map { bytes[$0] }, as: UTF8.self) != nil
    case .raw(let limit): range.count <= limit
    case .password(let limit): (1...limit).contains(range.count) && !range.contains { bytes[$0] == 0 }
    case .chunk: (1...WireLimit.chunk).contains(range.count)
    }
  }
}

/// The type byte of a packet (docs/protocol.md, "Conversation", "Fetch", "Chip", "Finger" and "Name").
public enum PacketType: UInt8, CaseIterable, Sendable {
  case begin = 0x01
  case answer = 0x02
  case cancelled = 0x03
  case resume = 0x04
  case prompt = 0x81
  case info = 0x82
  case error = 0x83
  case ready = 0x84
  case setenv = 0x85
  case finished = 0x86
  case keyring = 0x87
  case fetchRequest = 0x41
  case fetchPlaces = 0x42
  case fetchAuthorities = 0x43
  case fetchResponse = 0xC1
  case fetchChunk = 0xC2
  case chipRequest = 0xC3
  case chipAnswer = 0xC4
  case fingerAsk = 0x21
  case fingerStop = 0x22
  case fingerSensor = 0xA1
  case fingerTouch = 0xA2
  case fingerEnd = 0xA3
  case nameRequest = 0x31
  case nameAnswer = 0xB1

  /// The fields that a packet of this type may have, in the required order.
  var rules: [FieldRule] {
    switch self {
    case .begin: Begin.Field.rules
    case .answer: Answer.Field.rules
    case .cancelled: FrontEndSignal.Field.rules
    case .resume, .ready, .fingerStop: []
    case .prompt: Prompt.Field.rules
    case .info, .error: CoreMessage.NoticeField.rules
    case .setenv: CoreMessage.SetenvField.rules
    case .finished: Finished.Field.rules
    case .keyring: KeyringPassword.Field.rules
    case .fetchRequest: FetchRequest.Field.rules
    case .fetchPlaces: FetchPlaces.Field.rules
    case .fetchAuthorities: FetchAuthorities.Field.rules
    case .fetchResponse: FetchResponse.Field.rules
    case .fetchChunk: FetchChunk.Field.rules
    case .chipRequest: ChipRequest.Field.rules
    case .chipAnswer: ChipAnswer.Field.rules
    case .fingerAsk: FingerAsk.Field.rules
    case .fingerSensor: FingerSensor.Field.rules
    case .fingerTouch: FingerTouch.Field.rules
    case .fingerEnd: FingerEnd.Field.rules
    case .nameRequest: NameRequest.Field.rules
    case .nameAnswer: NameAnswer.Field.rules
    }
  }
}
