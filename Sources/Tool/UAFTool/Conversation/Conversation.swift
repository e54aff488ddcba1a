import FidoResults
import SecretMemory
import TerminalPrompts
import UAFWire
import Wording

/// One conversation with the core, from *begin* to *finished*, in the order that docs/protocol.md allows.
struct Conversation: ~Copyable {
  /// How long the core may send nothing, in milliseconds.
  ///
  /// Two of the longest exchanges that a configuration allows (300 s each), and 10 s: one verifies the person, one is the
  /// operation itself.
  static let silenceMilliseconds: Int32 = 610_000

  private var state = ConversationState.opened
  private var buffer: Secret
  /// Whether the core no longer reads.
  ///
  /// Its earlier messages can still be read, for example why it refuses.
  private var isDeaf = false

  /// - Throws: ``ToolError/outOfMemory``.
  init() throws(ToolError) {
    // One byte more than a packet may have, so that a packet that is too long can be recognised.
    guard let buffer = try? Secret(capacity: WireLimit.packet + 1) else { throw .outOfMemory }
    self.buffer = buffer
  }

  /// Sends `begin`, lets `person` answer what the core asks, and returns how it ended.
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
      // Do not ask for an answer that can no longer be sent.
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
      // No session uses the environment of this program.
      case .setenv: break
      case .finished(let finished):
        try check(finished, of: begin.operation, wasAsked: wasAsked)
        return finished
      }
    }
  }

  /// A success needs the PAM code and a result that is a success of this operation.
  ///
  /// PAM_IGNORE is allowed only for a change, before anything was asked: the account has no value here.
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

  /// A core that has closed its end may have sent the reason before.
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

/// The person or script that answers the core's questions.
protocol Person: ~Copyable {
  /// The checks that the person can answer; any other ends the conversation before a question.
  var checks: Set<Check> { get }
  /// The entry to one question, which is shown together with the mistake in the last entry.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry
  /// Called when the first question can be asked; returns whether to ask it.
  ///
  /// - Throws: ``ToolError``, as above.
  mutating func isReady() throws(ToolError) -> Bool
  /// Shows a text that needs no answer.
  mutating func hear(_ text: String, isError: Bool)
}

/// The answer to a question.
enum Entry: ~Copyable {
  /// At most 1,024 bytes without NUL; may be empty.
  case value(Secret)
  /// No answer is wanted or possible.
  case cancelled
  /// The text to approve is denied.
  case denied

  /// The entry of a person at a terminal.
  init(_ entry: consuming TerminalEntry) {
    switch consume entry {
    case .value(let value): self = .value(value)
    case .cancelled: self = .cancelled
    }
  }
}

extension CoreMessage {
  /// Whether the core waits after it.
  fileprivate var needsAnswer: Bool {
    switch self {
    case .prompt, .ready: true
    case .info, .error, .setenv, .finished: false
    }
  }
}

extension Prompt {
  /// What was wrong with the last entry, unless the question itself says so.
  var separateMistake: String? { errorMessage.flatMap { text.contains($0) ? nil : $0 } }

  /// The whole text, in the order of a terminal: the mistake and the tries left, the reason for the question, and
  /// the question.
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

/// How a conversation with the core ended, and how that is reported.
struct ConversationEnd {
  private let finished: Finished

  init(_ finished: Finished) { self.finished = finished }

  /// The core's text and, in its further lines, what can be done about it.
  ///
  /// Nothing is added to the core's text, because a result alone does not say why. Without a text, the meaning of the result is
  /// shown.
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
  /// A fault of the machine has a different status from a refusal, for scripts.
  var failureExit: ToolExit {
    if finished.result == FidoResult.clientMismatch.code { return .unreachable }
    return CInt(finished.pamCode) == PAMCode.serviceError.rawValue ? .usage : .refused
  }

  /// The exit status: for a denial, it says whether the text was denied; for anything else, whether the call succeeded.
  func exit(of request: Request) -> ToolExit {
    if request.denies { return isDenied ? .success : failureExit }
    return finished.pamCode == 0 ? .success : failureExit
  }

  private var isDenied: Bool { finished.result == FidoResult.userCancel.code }

  /// Prints the core's text or, without one, what its result means; returns the exit status.
  func tellFailure(in context: ToolContext) -> ToolExit {
    let told = told(in: context.language)
    context.failure("\(told.text) [\(finished.result)]", hint: told.nextStep)
    return failureExit
  }

  /// Prints that the work was done, and prints the token if wanted.
  ///
  /// - Parameter isInCoresWords: whether to print the core's text, as for a changed or reset value.
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

  /// Prints that the approval was denied, as the person wanted.
  ///
  /// A denial is never a success of an authentication.
  func tellDenial(in context: ToolContext) -> ToolExit {
    guard isDenied else { return tellFailure(in: context) }
    context.note(ToolText.denied)
    return .success
  }
}
