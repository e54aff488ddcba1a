import SecretMemory

/// Writes a packet, field by field in ascending order of their tags.
struct PacketWriter {
  private var bytes: [UInt8]
  private var tooLong: PacketError?
  private let type: PacketType

  init(_ type: PacketType) {
    self.type = type
    bytes = [type.rawValue]
  }

  mutating func put(_ field: some PacketField, _ value: some Collection<UInt8>) {
    guard let length = UInt16(exactly: value.count) else {
      tooLong = .invalidValue(type, tag: field.tag)
      return
    }
    bytes += [field.tag, UInt8(length >> 8), UInt8(length & 0xff)]
    bytes += value
  }

  mutating func put(_ field: some PacketField, optional value: (some Collection<UInt8>)?) {
    if let value { put(field, value) }
  }

  mutating func put(_ field: some PacketField, text: String?) {
    if let text { put(field, text.utf8) }
  }

  mutating func put(_ field: some PacketField, flag: Bool?) {
    if let flag { put(field, [flag ? 1 : 0]) }
  }

  mutating func put(_ field: some PacketField, u8: UInt8) { put(field, [u8]) }

  mutating func put(_ field: some PacketField, u16: UInt16) { put(field, [UInt8(u16 >> 8), UInt8(u16 & 0xff)]) }

  mutating func put(_ field: some PacketField, u32: UInt32?) {
    if let u32 { put(field, [24, 16, 8, 0].map { UInt8(u32 >> $0 & 0xff) }) }
  }

  /// The bytes written so far, followed by the tag and length of a last field, whose content the caller adds.
  func header(of field: some PacketField, length: Int) throws(PacketError) -> [UInt8] {
    if let tooLong { throw tooLong }
    guard let length = UInt16(exactly: length) else { throw .invalidValue(type, tag: field.tag) }
    return bytes + [field.tag, UInt8(length >> 8), UInt8(length & 0xff)]
  }

  /// The packet.
  ///
  /// It is checked by reading it, so that a packet that the receiver would refuse is never sent.
  func finish() throws(PacketError) -> [UInt8] {
    if let tooLong { throw tooLong }
    _ = try Packet(bytes.span)
    return bytes
  }
}

extension PacketWriter {
  /// The packet with a secret as its last field.
  ///
  /// The secret is always in the memory of a `Secret`.
  ///
  /// - Throws: ``PacketError`` as ``finish()``; `size` if there is no memory.
  func finish(endingWith field: some PacketField, _ secret: borrowing Secret) throws(PacketError) -> Secret {
    let head = try header(of: field, length: secret.count)
    let count = secret.count
    guard var packet = try? Secret(capacity: head.count + count) else { throw .size }
    // SAFETY: the packet has room for the head and the secret.
    unsafe packet.refill { buffer in
      for (index, byte) in head.enumerated() { unsafe buffer[index] = byte }
      secret.withBytes { span in
        for index in span.indices { unsafe buffer[head.count + index] = span[index] }
      }
      return head.count + count
    }
    try packet.withBytes { (span: Span<UInt8>) throws(PacketError) in _ = try Packet(span) }
    return packet
  }
}
