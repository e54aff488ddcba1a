import SecretMemory

@testable import UAFWire

/// Any message of docs/protocol.md, so that one test can cover all of them.
enum WireMessage: Equatable {
  case begin(Begin)
  case answer([UInt8])
  case keyring([UInt8])
  case signal(FrontEndSignal)
  case core(CoreMessage)
  case request(FetchRequest)
  case places(FetchPlaces)
  case authorities([UInt8])
  case response(FetchResponse)
  case chunk([UInt8])
  /// The key is the one to seal; the values are those of an index.
  case chipRequest(ChipRequest, key: [UInt8]?, values: [UInt8]? = nil)
  /// The key is the one that the chip has opened.
  case chipAnswer(ChipAnswer, key: [UInt8]?)
  case fingerAsk(FingerAsk)
  case fingerStop
  case fingerSensor(FingerSensor)
  case fingerTouch(FingerTouch)
  case fingerEnd(FingerEnd)
  case nameRequest(NameRequest)
  case nameAnswer(NameAnswer)

  /// Reads a packet with the reader of its type.
  init(_ bytes: [UInt8]) throws {
    let packet = try Packet(bytes.span)
    switch packet.type {
    case .begin: self = .begin(try Begin(packet, bytes.span))
    case .answer:
      let buffer = try Secret(copying: bytes.span)
      let value = try Answer.value(packet, in: buffer)
      self = .answer(value.copiedForTest())
    case .keyring:
      let buffer = try Secret(copying: bytes.span)
      let password = try KeyringPassword.value(packet, in: buffer)
      self = .keyring(password.copiedForTest())
    case .cancelled, .resume: self = .signal(try FrontEndSignal(packet, bytes.span))
    case .prompt, .info, .error, .ready, .setenv, .finished: self = .core(try CoreMessage(packet, bytes.span))
    case .fetchRequest:
      // Stands for the CAs that came before this packet: as many letters A as it announces.
      let length = min(Int(packet.number(FetchRequest.Field.authoritiesLength, bytes.span) ?? 0), 1 << 21)
      let authorities = [UInt8](repeating: 0x41, count: length)
      self = .request(try FetchRequest(packet, bytes.span, authorities: authorities))
    case .fetchPlaces: self = .places(try FetchPlaces(packet, bytes.span))
    case .fetchAuthorities:
      var authorities: [UInt8] = []
      try FetchAuthorities.append(packet, bytes.span, to: &authorities)
      self = .authorities(authorities)
    case .fetchResponse: self = .response(try FetchResponse(packet, bytes.span))
    case .fetchChunk:
      var body: [UInt8] = []
      try FetchChunk.append(packet, bytes.span, to: &body, total: packet.range(1)?.count ?? 0)
      self = .chunk(body)
    case .chipRequest:
      let key = try ChipRequest.key(packet, in: try Secret(copying: bytes.span))
      let values = try ChipRequest.values(packet, in: try Secret(copying: bytes.span))
      self = .chipRequest(try ChipRequest(packet, bytes.span), key: Self.copied(key), values: Self.copied(values))
    case .chipAnswer:
      let key = try ChipAnswer.key(packet, in: try Secret(copying: bytes.span))
      self = .chipAnswer(try ChipAnswer(packet, bytes.span), key: Self.copied(key))
    case .fingerAsk: self = .fingerAsk(try FingerAsk(packet, bytes.span))
    case .fingerStop: self = .fingerStop
    case .fingerSensor: self = .fingerSensor(try FingerSensor(packet, bytes.span))
    case .fingerTouch: self = .fingerTouch(try FingerTouch(packet, bytes.span))
    case .fingerEnd: self = .fingerEnd(try FingerEnd(packet, bytes.span))
    case .nameRequest: self = .nameRequest(try NameRequest(packet, bytes.span))
    case .nameAnswer: self = .nameAnswer(try NameAnswer(packet, bytes.span))
    }
  }

  /// Writes the packet with the writer of the message's type.
  func packet() throws -> [UInt8] {
    switch self {
    case .begin(let begin): return try begin.packet()
    case .answer(let value):
      let packet = try Answer.packet(try Secret(copying: value.span))
      return packet.copiedForTest()
    case .keyring(let password):
      let packet = try KeyringPassword.packet(try Secret(copying: password.span))
      return packet.copiedForTest()
    case .signal(let signal): return signal.packet
    case .core(let message): return try message.packet()
    case .request(let request): return try request.packet()
    case .places(let places): return try places.packet()
    case .authorities(let bytes): return try FetchAuthorities.packets(bytes).first ?? []
    case .response(let response): return try response.packet()
    case .chunk(let body): return try FetchChunk.packets(body).first ?? []
    case .chipRequest(let request, _, let values?):
      return try request.packet(with: try Secret(copying: values.span)).copiedForTest()
    case .chipRequest(let request, let key, nil):
      guard let key else { return try request.packet() }
      let packet = try request.packet(sealing: try Secret(copying: key.span))
      return packet.copiedForTest()
    case .chipAnswer(let answer, let key):
      guard let key else { return try answer.packet() }
      let packet = try answer.packet(with: try Secret(copying: key.span))
      return packet.copiedForTest()
    case .fingerAsk(let ask): return try ask.packet()
    case .fingerStop: return try FingerAsk.stop()
    case .fingerSensor(let sensor): return try sensor.packet()
    case .fingerTouch(let touch): return try touch.packet()
    case .fingerEnd(let end): return try end.packet()
    case .nameRequest(let request): return try request.packet()
    case .nameAnswer(let answer): return try answer.packet()
    }
  }

  private static func copied(_ key: consuming Secret?) -> [UInt8]? {
    guard let key else { return nil }
    return key.copiedForTest()
  }
}

extension Secret {
  /// A copy of the bytes for a test's comparison.
  ///
  /// The secrets in tests are nobody's.
  borrowing func copiedForTest() -> [UInt8] {
    withBytes { span in span.indices.map { span[$0] } }
  }
}
