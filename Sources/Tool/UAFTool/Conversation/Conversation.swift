import FidoResults
import SecretMemory
import TerminalPrompts
import UAFWire
import Wording

/// One conversation with the core, from *begin* to *finished*, in the order that docs/protocol.md allows.
struct Conversation: ~Copyable {
  /// How long the core may be silent before the conversation is given up, in milliseconds.
  ///
  /// A login may need two exchanges with the server, and a configuration allows 300 s for each: one verifies the person, and
  /// one is the operation itself. Another 10 s are added.
  static let silenceMilliseconds: Int32 = 610_000

  private var state = ConversationState.opened
  private var buffer: Secret
  /// Whether the core has closed its end, so that nothing can be sent any more.
  ///
  /// Its earlier messages can still be read, for example the reason for a refusal.
  private var isDeaf = false

  /// - Throws: ``ToolError/outOfMemory``.
  init() throws(ToolError) {
    // One byte more than the longest packet, so that a packet that is too long can be recognised.
    guard let buffer = try? Secret(capacity: WireLimit.packet + 1) else { throw .outOfMemory }
    self.buffer = buffer
  }

  /// Sends `begin`, lets `person` answer the core's prompts, and returns how the conversation ended.
  ///
  /// - Throws: ``ToolError``: `core`, `badArgument`; and whatever `person` throws.
  mutating func hold(
    _ begin: Begin, over socket: borrowing PacketSocket, with person: inout some Person & ~Copyable
  ) throws(ToolError) -> Finished {
    let packet: [UInt8]
    do throws(PacketError) { packet = try begin.packet() } catch { throw .badArgument(.tooLong) }
    try send(packet, as: .begin, over: socket)
    var wasAsked = false
    while true {
      let message = try receive(from: socket)
      // The person is not asked for an entry that can no longer be sent.
      if isDeaf, message.needsAnswer { throw .core(.ended) }
      switch message {
      case .prompt(let prompt):
        wasAsked = true
        guard person.checks.contains(prompt.check) else {
          try send(FrontEndSignal.cancelled.packet, as: .cancelled, over: socket)
          throw .core(.noHandler(check: prompt.check.rawValue, remedy: ChoiceRemedy(begin)))
        }
        switch try person.answer(prompt) {
        case .cancelled: try send(FrontEndSignal.cancelled.packet, as: .cancelled, over: socket)
        case .denied: try send(FrontEndSignal.denied.packet, as: .cancelled, over: socket)
        case .value(let value): try answer(value, over: socket)
        }
      case .info(let text): person.hear(text, isError: false)
      case .error(let text): person.hear(text, isError: true)
      case .ready:
        let goesOn = begin.isDivided ? try person.isReady() : true
        if goesOn {
          try send(FrontEndSignal.resume.packet, as: .resume, over: socket)
        } else {
          try send(FrontEndSignal.cancelled.packet, as: .cancelled, over: socket)
        }
      // uafctl opens no session that could use these variables.
      case .setenv: break
      case .finished(let finished):
        try check(finished, of: begin.operation, wasAsked: wasAsked)
        return finished
      }
    }
  }

  /// Checks that a success has PAM's code for it and a result that is a success of this operation.
  ///
  /// PAM_IGNORE is allowed only for a change, before any prompt: it means that the account has no passcode or pattern here.
  private func check(
    _ finished: Finished, of operation: UAFWire.Operation, wasAsked: Bool
  ) throws(ToolError) {
    let success: UInt32 =
      switch operation {
      case .change: FidoResult.changeSuccess.code
      case .reset: FidoResult.resetSuccess.code
      default: FidoResult.success.code
      }
    let isSuccess = finished.pamCode == 0
    let isAllowed =
      switch PAMCode(rawValue: Int32(finished.pamCode)) {
      case .ignore:
        operation == .change && finished.result == FidoResult.notRegistered.code && !wasAsked
      default: isSuccess == (finished.result == success) && (isSuccess || finished.result != 0)
      }
    guard isAllowed else {
      throw .core(.confused(.code(finished.pamCode, result: finished.result)))
    }
  }

  private mutating func answer(_ value: borrowing Secret, over socket: borrowing PacketSocket) throws(ToolError) {
    try advance(.answer)
    let packet: Secret
    do throws(PacketError) { packet = try Answer.packet(value) } catch { throw .outOfMemory }
    do throws(PacketSocketError) { try socket.send(packet) } catch { try noteUnsent(error) }
  }

  private mutating func send(
    _ packet: [UInt8], as type: PacketType, over socket: borrowing PacketSocket
  ) throws(ToolError) {
    try advance(type)
    do throws(PacketSocketError) { try socket.send(packet) } catch { try noteUnsent(error) }
  }

  /// Notes that a packet could not be sent.
  ///
  /// If the core has closed its end, it may have sent the reason before.
  private mutating func noteUnsent(_ error: PacketSocketError) throws(ToolError) {
    guard error == .closed else { throw failure(error) }
    isDeaf = true
  }

  private mutating func receive(from socket: borrowing PacketSocket) throws(ToolError) -> CoreMessage {
    let packet: Packet
    do throws(PacketSocketError) {
      packet = try socket.receive(
        into: &buffer, timeoutMilliseconds: isDeaf ? 0 : Self.silenceMilliseconds, readsAfterReset: true)
    } catch { throw failure(error) }
    try advance(packet.type)
    return try buffer.withBytes { (span: Span<UInt8>) throws(ToolError) -> CoreMessage in
      do throws(PacketError) { return try CoreMessage(packet, span) } catch { throw .core(.confused(.packet(error))) }
    }
  }

  private mutating func advance(_ type: PacketType) throws(ToolError) {
    do throws(PacketError) { try state.advance(type) } catch { throw .core(.confused(.packet(error))) }
  }

  private func failure(_ error: PacketSocketError) -> ToolError {
    switch error {
    case .timedOut: .core(isDeaf ? .ended : .silent)
    case .malformed(let packet): .core(.confused(.packet(packet)))
    default: .core(.ended)
    }
  }
}

/// The person or script that answers the core's prompts.
protocol Person: ~Copyable {
  /// The checks that this person or script can answer. A prompt for any other ends the conversation.
  var checks: Set<Check> { get }
  /// Shows a prompt, with what was wrong with the last entry, and returns the entry for it.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry
  /// Called when the core could show its first prompt; returns whether it should.
  ///
  /// - Throws: ``ToolError``, as above.
  mutating func isReady() throws(ToolError) -> Bool
  /// Shows a text that needs no answer.
  mutating func hear(_ text: String, isError: Bool)
}

/// The answer to a prompt.
enum Entry: ~Copyable {
  /// An entry of at most 1,024 bytes without NUL, which may be empty.
  case value(Secret)
  /// The person gave up, or no entry is possible.
  case cancelled
  /// The person denies the text that waits for approval.
  case denied

  /// The answer of a person at a terminal.
  init(_ entry: consuming TerminalEntry) {
    switch consume entry {
    case .value(let value): self = .value(value)
    case .cancelled: self = .cancelled
    }
  }
}

extension CoreMessage {
  /// Whether the core waits for an answer after this message.
  fileprivate var needsAnswer: Bool {
    switch self {
    case .prompt, .ready: true
    case .info, .error, .setenv, .finished: false
    }
  }
}

extension Prompt {
  /// What was wrong with the last entry, unless the prompt's text says so itself.
  var separateMistake: String? { errorMessage.flatMap { text.contains($0) ? nil : $0 } }

  /// The whole text, in the order for a terminal: the mistake and the tries left, the reason for the prompt, and the prompt
  /// itself.
  ///
  /// - Parameter language: the language of the text about the tries, if the core's text does not name them.
  func wholeText(in language: Language) -> String {
    var lines = [separateMistake].compactMap(\.self)
    if let errorMessage, let tries = remainingAttempts, !Self.names(tries, in: errorMessage) {
      lines.append(ToolText.triesLeft(tries).text(in: language))
    }
    if let reason, !text.contains(reason) { lines.append(ToolText.reason(reason).text(in: language)) }
    return (lines + [text]).joined(separator: "\n")
  }

  private static func names(_ number: UInt32, in text: String) -> Bool {
    text.split { !("0"..."9").contains($0) }.contains { $0 == String(number) }
  }
}

/// The end of a conversation with the core, and how it is reported.
struct ConversationEnd {
  private let finished: Finished

  init(_ finished: Finished) { self.finished = finished }

  /// The core's text and, in its further lines, what can be done about the failure.
  ///
  /// Nothing is added to a text of the core: uafctl knows only the result, which does not say why. Without a text, the meaning
  /// of the result is shown.
  func told(in language: Language) -> (text: String, nextStep: String?) {
    let lines = ShownText.lines(finished.text ?? "").split(separator: "\n").map(String.init)
    guard let first = lines.first else {
      let result = FidoResult(code: finished.result)
      return (result.text(in: language), result.nextStep(in: language))
    }
    return (first, lines.count > 1 ? lines.dropFirst().joined(separator: " ") : nil)
  }

  /// The exit status of a failure.
  ///
  /// For scripts, a fault of the machine has a different status than a refusal.
  var failureExit: ToolExit {
    if finished.result == FidoResult.clientMismatch.code { return .unreachable }
    return CInt(finished.pamCode) == PAMCode.serviceError.rawValue ? .usage : .refused
  }

  /// The exit status.
  ///
  /// If the person wanted to deny an approval, it says whether the denial was accepted; otherwise whether the call succeeded.
  func exit(of request: Request) -> ToolExit {
    if request.denies { return isDenied ? .success : failureExit }
    return finished.pamCode == 0 ? .success : failureExit
  }

  /// Whether the call succeeded.
  var isSuccess: Bool { finished.pamCode == 0 }

  private var isDenied: Bool { finished.result == FidoResult.userCancel.code }

  /// Prints the core's text or, if it sent none, the meaning of its result; returns the exit status.
  func tellFailure(in context: ToolContext) -> ToolExit {
    let told = told(in: context.language)
    context.failure("\(told.text) [\(finished.result)]", hint: told.nextStep)
    return failureExit
  }

  /// Prints that the work was done, and the token if it is wanted.
  ///
  /// - Parameter isInCoresWords: whether to print the core's text, as for a changed or reset passcode.
  func tellSuccess(
    as done: ToolText, orAsCore isInCoresWords: Bool = false, wantsToken: Bool = false, in context: ToolContext
  ) -> ToolExit {
    let text = finished.result == 0 && !isInCoresWords ? "" : ShownText.lines(finished.text ?? "")
    context.output.note(text.isEmpty ? done.text(in: context.language) : text)
    guard wantsToken else { return .success }
    if let token = finished.token {
      context.output.result(ShownText.verbatim(token))
    } else {
      context.note(ToolText.noToken)
    }
    return .success
  }

  /// Prints that the approval was denied, which is what the person asked for.
  ///
  /// The core reports a denial as a cancelled call, never as a success. Here the exit status is that of success.
  func tellDenial(in context: ToolContext) -> ToolExit {
    guard isDenied else { return tellFailure(in: context) }
    context.note(ToolText.denied)
    return .success
  }
}
