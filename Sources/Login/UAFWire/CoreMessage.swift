import SecretMemory

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

  /// The packet type of the message.
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
  /// - Throws: ``PacketError`` if a text is longer than allowed or contains a NUL.
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

  /// Reads a core message from the bytes from which `packet` was read.
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

/// A prompt for the person (docs/protocol.md, *prompt*).
///
/// `text` is complete by itself; the other fields repeat its content in parts, for front ends that draw their own screen.
public struct Prompt: Equatable, Sendable {
  /// The fields of *prompt*.
  enum Field: UInt8, PacketField {
    case echo = 1
    case check
    case step
    case text
    case remainingAttempts
    case errorMessage
    case reason
    case entryLength
    case option
    case confirmed

    static let rules = [
      echo.rule(.flag, required: true),
      check.rule(.text(32), required: true),
      step.rule(.u8, required: true),
      text.rule(.text(WireLimit.text), required: true),
      remainingAttempts.rule(.u32),
      errorMessage.rule(.text(WireLimit.text)),
      reason.rule(.text(WireLimit.text)),
      entryLength.rule(.u32),
      option.rule(.text(WireLimit.option), repeats: WireLimit.options),
      confirmed.rule(.text(WireLimit.text)),
    ]
  }

  /// Whether the entry may be visible as it is typed.
  public var echo: Bool
  /// Which type of answer is expected.
  public var check: Check
  /// Which entry is expected.
  public var step: PromptStep
  /// What to show; at most ``WireLimit/text`` bytes.
  public var text: String
  /// How many tries are left before a lock; nil if that is not shown.
  public var remainingAttempts: UInt32?
  /// What was wrong with the last entry.
  public var errorMessage: String?
  /// The reason for the login.
  public var reason: String?
  /// The number of characters of a complete entry, if it is fixed; 1 to ``WireLimit/entry``.
  ///
  /// A front end that controls the terminal may send the entry when it has this many characters, without waiting for Enter.
  public var entryLength: UInt32?
  /// The options if the check is `choice`, in order.
  ///
  /// The answer is the number of an option in decimal digits, counted from 1.
  ///
  /// There are at most ``WireLimit/options`` options of at most ``WireLimit/option`` bytes.
  public var options: [String] = []
  /// The text that the person confirms by answering.
  ///
  /// It must be shown in a separate message right before the prompt; at most ``WireLimit/text`` bytes.
  ///
  /// A front end that cannot show it must cancel.
  public var confirmed: String?

  /// Makes a prompt with its required fields.
  public init(echo: Bool, check: Check, step: PromptStep, text: String) {
    self.echo = echo
    self.check = check
    self.step = step
    self.text = text
  }
}

/// Which entry a prompt asks for (*prompt*, field 3).
public enum PromptStep: UInt8, CaseIterable, Sendable {
  /// The current secret.
  case current = 1
  /// A new secret.
  case new = 2
  /// The new secret again.
  case newAgain = 3
}

/// The type of answer that the core expects to a prompt (docs/protocol.md, *prompt*).
public enum Check: Hashable, Sendable, CaseIterable, ExpressibleByStringLiteral {
  case passcode
  /// The nodes of a pattern, as digits.
  case pattern
  /// The number of an option.
  case choice
  /// An enrolment code.
  case code
  /// The password of the person's keyring.
  case keyring
  /// A name that is not in the list of docs/protocol.md: the front end must then cancel without showing the prompt.
  case unknown(String)

  /// The checks in the list of docs/protocol.md.
  public static let allCases: [Check] = [.passcode, .pattern, .choice, .code, .keyring]

  /// The check of this name; `unknown` if it is not in the list.
  public init(rawValue name: String) {
    self = Self.allCases.first { $0.rawValue == name } ?? .unknown(name)
  }

  /// The check of this name; `unknown` if it is not in the list.
  public init(stringLiteral name: String) { self.init(rawValue: name) }

  /// The name in the packet; at most 32 bytes.
  public var rawValue: String {
    switch self {
    case .passcode: "passcode"
    case .pattern: "pattern"
    case .choice: "choice"
    case .code: "code"
    case .keyring: "keyring"
    case .unknown(let name): name
    }
  }
}

/// The last message of a conversation (docs/protocol.md, *finished*).
public struct Finished: Equatable, Sendable {
  /// The fields of *finished*.
  enum Field: UInt8, PacketField {
    case pamCode = 1
    case result
    case text
    case token
    case document
    case staleValue

    static let rules = [
      pamCode.rule(.u8, required: true),
      result.rule(.u32, required: true),
      text.rule(.text(WireLimit.text)),
      token.rule(.text(WireLimit.token)),
      document.rule(.text(WireLimit.document)),
      staleValue.rule(.mark),
    ]
  }

  /// The PAM code.
  public var pamCode: UInt8
  /// The number of the result.
  public var result: UInt32
  /// The text of the result; at most ``WireLimit/text`` bytes.
  public var text: String?
  /// The server's token, if the operation succeeded and the front end requested the token.
  public var token: String?
  /// The JSON document of *status*.
  public var document: String?
  /// Whether the current policy would refuse the secret that was just verified.
  ///
  /// This can only be true for a success of *authenticate*; otherwise the module refuses the message.
  public var staleValue = false

  /// Makes an outcome without a text.
  public init(pamCode: UInt8, result: UInt32) {
    self.pamCode = pamCode
    self.result = result
  }
}

/// The person's entry (docs/protocol.md, *answer*).
///
/// The entry is always in the memory of a `Secret`.
public enum Answer {
  /// The field of *answer*.
  enum Field: UInt8, PacketField {
    case value = 1

    static let rules = [
      value.rule(.name(WireLimit.answer), required: true)
    ]
  }

  /// The packet that carries `value`, which has at most ``WireLimit/answer`` bytes and no NUL.
  ///
  /// - Throws: ``PacketError`` if the value does not fit; `size` if there is no memory.
  public static func packet(_ value: borrowing Secret) throws(PacketError) -> Secret {
    guard value.count <= WireLimit.answer else { throw .invalidValue(.answer, tag: Field.value.tag) }
    return try PacketWriter(.answer).finish(endingWith: Field.value, value)
  }

  /// The person's entry in an *answer*, as a separate secret.
  ///
  /// `buffer` is the buffer into which the packet was received.
  ///
  /// - Throws: ``PacketError`` for any other packet; `size` if there is no memory.
  public static func value(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret {
    guard packet.type == .answer, let value = try packet.secret(Field.value, in: buffer) else {
      throw .unexpectedType(packet.type)
    }
    return value
  }
}

/// The password of the person's keyring, for the host (docs/protocol.md, *keyring*).
///
/// The password is always in the memory of a `Secret`.
public enum KeyringPassword {
  /// The field of *keyring*.
  enum Field: UInt8, PacketField {
    case password = 1

    static let rules = [
      password.rule(.password(WireLimit.keyring), required: true)
    ]
  }

  /// The packet that carries `password`, which has 1 to ``WireLimit/keyring`` bytes and no NUL.
  ///
  /// - Throws: ``PacketError`` if the password does not fit; `size` if there is no memory.
  public static func packet(_ password: borrowing Secret) throws(PacketError) -> Secret {
    try PacketWriter(.keyring).finish(endingWith: Field.password, password)
  }

  /// The password in a *keyring*, as a separate secret.
  ///
  /// `buffer` is the buffer into which the packet was received.
  ///
  /// - Throws: ``PacketError`` for any other packet; `size` if there is no memory.
  public static func value(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret {
    guard packet.type == .keyring, let password = try packet.secret(Field.password, in: buffer) else {
      throw .unexpectedType(packet.type)
    }
    return password
  }
}

/// The messages of a front end that contain no secret.
public enum FrontEndSignal: Sendable {
  /// The fields of *cancelled*.
  enum Field: UInt8, PacketField {
    case noConversation = 1
    case denied

    static let rules = [
      noConversation.rule(.mark),
      denied.rule(.mark),
    ]
  }

  case cancelled, resume
  /// Cancelled, because the host has no conversation function: nobody can be prompted.
  case noConversation
  /// Cancelled, because the person denies the text of an approval.
  case denied

  /// The packet.
  public var packet: [UInt8] {
    switch self {
    case .cancelled: [PacketType.cancelled.rawValue]
    case .noConversation: [PacketType.cancelled.rawValue, Field.noConversation.tag, 0, 1, 1]
    case .denied: [PacketType.cancelled.rawValue, Field.denied.tag, 0, 1, 1]
    case .resume: [PacketType.resume.rawValue]
    }
  }

  /// Reads a signal; `bytes` are those from which the packet was read.
  ///
  /// - Throws: ``PacketError`` for a different type, and for two reasons to cancel.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    switch (packet.type, packet.flag(Field.noConversation, bytes), packet.flag(Field.denied, bytes)) {
    case (.resume, _, _): self = .resume
    case (.cancelled, nil, nil): self = .cancelled
    case (.cancelled, true, nil): self = .noConversation
    case (.cancelled, nil, true): self = .denied
    case (.cancelled, _, _): throw .unexpectedField(.cancelled, tag: Field.denied.tag)
    default: throw .unexpectedType(packet.type)
    }
  }
}

/// The state of a conversation, with the table of messages that may follow (docs/protocol.md, "What follows what").
public enum ConversationState: Equatable, Sendable {
  case opened, working, asked, paused, finished

  /// The types of message that may come next.
  public var allowedNext: Set<PacketType> {
    switch self {
    case .opened: [.begin]
    case .working: [.prompt, .info, .error, .ready, .setenv, .keyring, .finished]
    case .asked: [.answer, .cancelled]
    case .paused: [.resume, .cancelled]
    case .finished: []
    }
  }

  /// Changes the state after a message in either direction.
  ///
  /// - Throws: ``PacketError/unexpectedType(_:)``; the state is then unchanged.
  public mutating func advance(_ type: PacketType) throws(PacketError) {
    guard allowedNext.contains(type) else { throw .unexpectedType(type) }
    switch type {
    case .begin, .answer, .cancelled, .resume: self = .working
    case .prompt: self = .asked
    case .ready: self = .paused
    case .finished: self = .finished
    default: break
    }
  }
}
