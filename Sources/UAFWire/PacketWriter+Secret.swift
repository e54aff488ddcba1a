import SecretMemory

extension PacketWriter {
  /// The packet with a secret as its last field, which lies in no other memory than that of a `Secret`.
  ///
  /// - Throws: ``PacketError`` as ``finish()``, or if there is no memory (`size`).
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
