import CShim
import SecretMemory

@testable import UAFWire

extension FuzzTarget {
  /// Packets of all conversations: one encoding for each message, and the C reader agrees.
  static func packet(_ bytes: [UInt8]) {
    let again = try? written(bytes)
    precondition(again == nil || again == bytes, "a second encoding of the same message")
    guard let type = bytes.first, (PacketType.prompt.rawValue...PacketType.keyring.rawValue).contains(type) else {
      precondition(!isReadByModule(bytes), "the module reads what is not for it")
      return
    }
    // Only the module has rules for the name of a variable.
    let isRead = isReadByModule(bytes)
    precondition(isRead == (again != nil) || (type == PacketType.setenv.rawValue && !isRead), "C and Swift disagree")
  }

  /// A packet read as the message it is, and written again.
  private static func written(_ bytes: [UInt8]) throws -> [UInt8] {
    let packet = try Packet(bytes.span)
    switch packet.type {
    case .begin: return try Begin(packet, bytes.span).packet()
    case .answer: return try answer(packet, bytes)
    case .cancelled, .resume: return try FrontEndSignal(packet, bytes.span).packet
    case .prompt, .info, .error, .ready, .setenv, .finished: return try CoreMessage(packet, bytes.span).packet()
    case .keyring: return try keyring(packet, bytes)
    case .fetchRequest: return try FetchRequest(packet, bytes.span).packet()
    case .fetchAuthorities:
      var authorities: [UInt8] = []
      try FetchAuthorities.append(packet, bytes.span, to: &authorities)
      return bytes
    case .fetchPlaces: return try FetchPlaces(packet, bytes.span).packet()
    case .fetchResponse: return try FetchResponse(packet, bytes.span).packet()
    case .fetchChunk:
      var body: [UInt8] = []
      try FetchChunk.append(packet, bytes.span, to: &body, total: bytes.count - 4)
      return try FetchChunk.packets(body).first ?? []
    case .chipRequest, .chipAnswer: return try chip(packet, bytes)
    case .fingerAsk: return try FingerAsk(packet, bytes.span).packet()
    case .fingerStop: return try FingerAsk.stop()
    case .fingerSensor: return try FingerSensor(packet, bytes.span).packet()
    case .fingerTouch: return try FingerTouch(packet, bytes.span).packet()
    case .fingerEnd: return try FingerEnd(packet, bytes.span).packet()
    case .nameRequest: return try NameRequest(packet, bytes.span).packet()
    case .nameAnswer: return try NameAnswer(packet, bytes.span).packet()
    }
  }

  /// A packet of the chip's conversation, which may contain a key or values.
  private static func chip(_ packet: Packet, _ bytes: [UInt8]) throws -> [UInt8] {
    let buffer = try Secret(copying: bytes.span)
    let written: Secret
    if packet.type == .chipRequest {
      let request = try ChipRequest(packet, bytes.span)
      let key = try ChipRequest.key(packet, in: buffer)
      if let values = try ChipRequest.values(packet, in: buffer), key == nil {
        written = try request.packet(with: values)
      } else if let key {
        written = try request.packet(sealing: key)
      } else {
        return try request.packet()
      }
    } else {
      let answer = try ChipAnswer(packet, bytes.span)
      guard let key = try ChipAnswer.key(packet, in: buffer) else { return try answer.packet() }
      written = try answer.packet(with: key)
    }
    return written.withBytes { span in span.indices.map { span[$0] } }
  }

  private static func answer(_ packet: Packet, _ bytes: [UInt8]) throws -> [UInt8] {
    let value = try Answer.value(packet, in: Secret(copying: bytes.span))
    return try Answer.packet(value).withBytes { span in span.indices.map { span[$0] } }
  }

  private static func keyring(_ packet: Packet, _ bytes: [UInt8]) throws -> [UInt8] {
    let password = try KeyringPassword.value(packet, in: Secret(copying: bytes.span))
    return try KeyringPassword.packet(password).withBytes { span in span.indices.map { span[$0] } }
  }

  private static func isReadByModule(_ bytes: [UInt8]) -> Bool {
    var message = frame_message()
    // SAFETY: the module reads only the stated number of bytes, and what it points to is not read afterwards.
    return unsafe frame_read(bytes, bytes.count, &message)
  }
}
