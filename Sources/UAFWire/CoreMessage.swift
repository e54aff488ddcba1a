/// A message from the core to the front end.
public enum CoreMessage: Equatable, Sendable {
  /// The field of *info* and *error*.
  enum NoticeField: UInt8, PacketField {
    case text = 1

    static let rules = [
      text.rule(.text(WireLimit.text), required: true)
    ]
  }

  /// The fields of *setenv*.
  enum SetenvField: UInt8, PacketField {
    case name = 1
    case value

    static let rules = [
      name.rule(.text(64), required: true),
      value.rule(.text(WireLimit.token), required: true),
    ]
  }

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
      writer.put(Prompt.Field.echo, flag: prompt.echo)
      writer.put(Prompt.Field.check, text: prompt.check.rawValue)
      writer.put(Prompt.Field.step, u8: prompt.step.rawValue)
      writer.put(Prompt.Field.text, text: prompt.text)
      writer.put(Prompt.Field.remainingAttempts, u32: prompt.remainingAttempts)
      writer.put(Prompt.Field.errorMessage, text: prompt.errorMessage)
      writer.put(Prompt.Field.reason, text: prompt.reason)
      writer.put(Prompt.Field.entryLength, u32: prompt.entryLength)
      for option in prompt.options { writer.put(Prompt.Field.option, text: option) }
      writer.put(Prompt.Field.confirmed, text: prompt.confirmed)
    case .info(let text), .error(let text): writer.put(NoticeField.text, text: text)
    case .ready: break
    case .setenv(let name, let value):
      writer.put(SetenvField.name, text: name)
      writer.put(SetenvField.value, text: value)
    case .finished(let finished):
      writer.put(Finished.Field.pamCode, u8: finished.pamCode)
      writer.put(Finished.Field.result, u32: finished.result)
      writer.put(Finished.Field.text, text: finished.text)
      writer.put(Finished.Field.token, text: finished.token)
      writer.put(Finished.Field.document, text: finished.document)
      if finished.staleValue { writer.put(Finished.Field.staleValue, flag: true) }
    }
    return try writer.finish()
  }

  /// Reads a core message from the bytes `packet` was read from.
  ///
  /// - Throws: ``PacketError`` for any other type.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    switch packet.type {
    case .prompt: self = .prompt(try Self.prompt(packet, bytes))
    case .info: self = .info(packet.text(NoticeField.text, bytes) ?? "")
    case .error: self = .error(packet.text(NoticeField.text, bytes) ?? "")
    case .ready: self = .ready
    case .setenv:
      self = .setenv(
        name: packet.text(SetenvField.name, bytes) ?? "", value: packet.text(SetenvField.value, bytes) ?? "")
    case .finished:
      var finished = Finished(
        pamCode: UInt8(truncatingIfNeeded: packet.number(Finished.Field.pamCode, bytes) ?? 0),
        result: packet.number(Finished.Field.result, bytes) ?? 0)
      finished.text = packet.text(Finished.Field.text, bytes)
      finished.token = packet.text(Finished.Field.token, bytes)
      finished.document = packet.text(Finished.Field.document, bytes)
      finished.staleValue = packet.flag(Finished.Field.staleValue, bytes) ?? false
      self = .finished(finished)
    default: throw .unexpectedType(packet.type)
    }
  }

  private static func prompt(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) -> Prompt {
    let step: PromptStep = try packet.meaning(of: Prompt.Field.step, bytes)
    var prompt = Prompt(
      echo: packet.flag(Prompt.Field.echo, bytes) ?? false,
      check: Check(rawValue: packet.text(Prompt.Field.check, bytes) ?? ""), step: step,
      text: packet.text(Prompt.Field.text, bytes) ?? "")
    prompt.remainingAttempts = packet.number(Prompt.Field.remainingAttempts, bytes)
    prompt.errorMessage = packet.text(Prompt.Field.errorMessage, bytes)
    prompt.reason = packet.text(Prompt.Field.reason, bytes)
    prompt.entryLength = packet.number(Prompt.Field.entryLength, bytes)
    if let length = prompt.entryLength, !(1...WireLimit.entry).contains(length) {
      throw .invalidValue(.prompt, tag: Prompt.Field.entryLength.tag)
    }
    prompt.options = packet.texts(Prompt.Field.option, bytes)
    prompt.confirmed = packet.text(Prompt.Field.confirmed, bytes)
    return prompt
  }
}
