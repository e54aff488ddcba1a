import FidoResults
import SecretMemory
import UAFWire

/// One conversation with the core, from *begin* to *finished*, in the order PROTOCOL.md allows.
struct Conversation: ~Copyable {
  /// How long the core may say nothing, in milliseconds.
  ///
  /// Two of the longest exchanges that a configuration allows (300 s each), and 10 s: one verifies the person, one is the
  /// operation itself.
  static let silenceMilliseconds: Int32 = 610_000

  private var state = ConversationState.opened
  private var buffer: Secret

  /// - Throws: ``ToolError/outOfMemory``.
  init() throws(ToolError) {
    // One byte more than a packet may have, so that a packet that is too long can be recognised.
    guard let buffer = try? Secret(capacity: WireLimit.packet + 1) else { throw .outOfMemory }
    self.buffer = buffer
  }

  /// Sends `begin`, lets `person` answer what the core asks, and returns how it ended.
  ///
  /// - Throws: ``ToolError``: `core`, `badArgument`; and what `person` throws.
  mutating func hold(
    _ begin: Begin, over socket: borrowing PacketSocket, with person: inout some Person & ~Copyable
  ) throws(ToolError) -> Finished {
    let packet: [UInt8]
    do throws(PacketError) { packet = try begin.packet() } catch { throw .badArgument(.tooLong) }
    try send(packet, as: .begin, over: socket)
    var wasAsked = false
    while true {
      switch try receive(from: socket) {
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
    do throws(PacketSocketError) { try socket.send(packet) } catch { throw Self.failure(error) }
  }

  private mutating func send(
    _ packet: [UInt8], as type: PacketType, over socket: borrowing PacketSocket
  ) throws(ToolError) {
    try advance(type)
    do throws(PacketSocketError) { try socket.send(packet) } catch { throw Self.failure(error) }
  }

  private mutating func receive(from socket: borrowing PacketSocket) throws(ToolError) -> CoreMessage {
    let packet: Packet
    do throws(PacketSocketError) {
      packet = try socket.receive(into: &buffer, timeoutMilliseconds: Self.silenceMilliseconds)
    } catch { throw Self.failure(error) }
    try advance(packet.type)
    return try buffer.withBytes { (span: Span<UInt8>) throws(ToolError) -> CoreMessage in
      do throws(PacketError) { return try CoreMessage(packet, span) } catch { throw .core(.confused(.packet(error))) }
    }
  }

  private mutating func advance(_ type: PacketType) throws(ToolError) {
    do throws(PacketError) { try state.advance(type) } catch { throw .core(.confused(.packet(error))) }
  }

  private static func failure(_ error: PacketSocketError) -> ToolError {
    switch error {
    case .timedOut: .core(.silent)
    case .malformed(let packet): .core(.confused(.packet(packet)))
    default: .core(.ended)
    }
  }
}
