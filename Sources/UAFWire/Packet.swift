import SecretMemory

/// A packet whose form was checked: its type, and where its fields lie in the bytes it was read from.
///
/// It holds positions, not bytes, so that a packet with a secret can be read in place in the memory it was received
/// into.
public struct Packet: Equatable, Sendable {
  /// What the packet is.
  public let type: PacketType
  private let fields: [(tag: UInt8, range: Range<Int>)]

  /// Checks `bytes` against all rules of "Packets" in PROTOCOL.md.
  ///
  /// - Throws: ``PacketError``; nothing is kept of a packet that fails.
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

  /// Where the first field of this tag lies; nil if there is none.
  public func range(_ tag: UInt8) -> Range<Int>? { fields.first { $0.tag == tag }?.range }

  func range(_ field: some PacketField) -> Range<Int>? { range(field.tag) }

  /// The bytes of a field that may be repeated, in order.
  func all(_ field: some PacketField, _ bytes: Span<UInt8>) -> [[UInt8]] {
    fields.filter { $0.tag == field.tag }.map { $0.range.map { bytes[$0] } }
  }

  func bytes(_ field: some PacketField, _ bytes: Span<UInt8>) -> [UInt8]? { range(field)?.map { bytes[$0] } }

  /// The text of a field whose form is `text`: valid UTF-8 by then.
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

  /// What the number of a field of one byte stands for.
  ///
  /// - Throws: ``PacketError/invalidValue(_:tag:)`` where the field is missing, or its number stands for nothing.
  func meaning<Meaning: RawRepresentable<UInt8>>(
    of field: some PacketField, _ bytes: Span<UInt8>
  ) throws(PacketError) -> Meaning {
    guard let meaning = number(field, bytes).flatMap({ Meaning(rawValue: UInt8(truncatingIfNeeded: $0)) }) else {
      throw .invalidValue(type, tag: field.tag)
    }
    return meaning
  }

  /// The bytes of a field as a secret of its own; nil if the packet does not have the field.
  func secret(_ field: some PacketField, in buffer: borrowing Secret) throws(PacketError) -> Secret? {
    guard let range = range(field) else { return nil }
    return try buffer.withBytes { (span: Span<UInt8>) throws(PacketError) -> Secret in
      guard let value = try? Secret(copying: span.extracting(range)) else { throw .size }
      return value
    }
  }

  func flag(_ field: some PacketField, _ bytes: Span<UInt8>) -> Bool? { number(field, bytes).map { $0 == 1 } }

  /// Equal when type and positions are; the bytes are not compared.
  public static func == (one: Packet, other: Packet) -> Bool {
    one.type == other.type && one.fields.elementsEqual(other.fields) { $0.tag == $1.tag && $0.range == $1.range }
  }
}
