/// A message from the core to the front end.
public enum CoreMessage: Equatable, Sendable {
  case prompt(Prompt)
  case info(String)
  case error(String)
  case ready
  case setenv(name: String, value: String)
  case finished(Finished)

  /// The type of its packet.
  public var type: PacketType {
    switch self {
    case .prompt: .prompt
    case .info: .info
    case .error: .error
    case .ready: .ready
    case .setenv: .setenv
    case .finished: .finished
    }
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` if a text is longer than it may be or holds a NUL.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(type)
    switch self {
    case .prompt(let prompt):
      writer.put(1, flag: prompt.echo)
      writer.put(2, text: prompt.check)
      writer.put(3, u8: prompt.step.rawValue)
      writer.put(4, text: prompt.text)
      writer.put(5, u32: prompt.remainingAttempts)
      writer.put(6, text: prompt.errorMessage)
      writer.put(7, text: prompt.reason)
      writer.put(8, u32: prompt.entryLength)
      for option in prompt.options { writer.put(9, text: option) }
      writer.put(10, text: prompt.confirmed)
    case .info(let text), .error(let text): writer.put(1, text: text)
    case .ready: break
    case .setenv(let name, let value):
      writer.put(1, text: name)
      writer.put(2, text: value)
    case .finished(let finished):
      writer.put(1, u8: finished.pamCode)
      writer.put(2, u32: finished.result)
      writer.put(3, text: finished.text)
      writer.put(4, text: finished.token)
      writer.put(5, text: finished.document)
      if finished.staleValue { writer.put(6, flag: true) }
    }
    return try writer.finish()
  }

  /// Reads a core message from the bytes `packet` was read from.
  ///
  /// - Throws: ``PacketError`` for any other type.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    switch packet.type {
    case .prompt: self = .prompt(try Self.prompt(packet, bytes))
    case .info: self = .info(packet.text(1, bytes) ?? "")
    case .error: self = .error(packet.text(1, bytes) ?? "")
    case .ready: self = .ready
    case .setenv: self = .setenv(name: packet.text(1, bytes) ?? "", value: packet.text(2, bytes) ?? "")
    case .finished:
      var finished = Finished(
        pamCode: UInt8(truncatingIfNeeded: packet.number(1, bytes) ?? 0), result: packet.number(2, bytes) ?? 0)
      finished.text = packet.text(3, bytes)
      finished.token = packet.text(4, bytes)
      finished.document = packet.text(5, bytes)
      finished.staleValue = packet.flag(6, bytes) ?? false
      self = .finished(finished)
    default: throw .unexpectedType(packet.type)
    }
  }

  private static func prompt(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) -> Prompt {
    guard let step = packet.number(3, bytes).flatMap({ PromptStep(rawValue: UInt8(truncatingIfNeeded: $0)) })
    else { throw .invalidValue(.prompt, tag: 3) }
    var prompt = Prompt(
      echo: packet.flag(1, bytes) ?? false, check: packet.text(2, bytes) ?? "", step: step,
      text: packet.text(4, bytes) ?? "")
    prompt.remainingAttempts = packet.number(5, bytes)
    prompt.errorMessage = packet.text(6, bytes)
    prompt.reason = packet.text(7, bytes)
    prompt.entryLength = packet.number(8, bytes)
    if let length = prompt.entryLength, !(1...WireLimit.entry).contains(length) { throw .invalidValue(.prompt, tag: 8) }
    prompt.options = packet.texts(9, bytes)
    prompt.confirmed = packet.text(10, bytes)
    return prompt
  }
}
