import Authenticator
import FidoResults
import Glibc
import SecretMemory
import UAFConfiguration
import UAFWire

/// The conversation with the module or uafctl, one message at a time and only in the order that docs/protocol.md ("What follows
/// what") allows.
///
/// Everything that arrives is read into one locked buffer, which is wiped after each message.
@safe final class FrontEnd {
  private let socket: PacketSocket
  private var buffer: Secret
  private(set) var state = ConversationState.opened
  /// What to do once, right after the next prompt was sent.
  private var work: (() -> Void)?
  /// What to do once while the person types, when the server's answer or something else arrives.
  private var arrival: Arrival?

  /// How long a front end may take to send *begin*.
  static let beginTimeoutMilliseconds: Int32 = 5000

  /// Takes over the conversation's socket.
  ///
  /// - Throws: `SecretMemoryError`.
  init(_ socket: consuming PacketSocket) throws(SecretMemoryError) {
    self.socket = socket
    // One byte more than a packet may have, so that a packet that is too long is noticed.
    buffer = try Secret(capacity: WireLimit.packet + 1)
  }

  /// Whether the memory for entries is locked, so that they are not swapped out; the buffer is the largest part of that memory.
  var isLocked: Bool { buffer.isLocked }

  /// Whether the front end is gone, for example because the host was killed.
  var isGone: Bool { socket.isHungUp() }

  /// Waits for a short time until the front end has closed its end of the socket.
  ///
  /// Returns whether it left a message unread.
  func leftUnread(timeoutMilliseconds: Int32) -> Bool { socket.leftUnread(timeoutMilliseconds: timeoutMilliseconds) }

  /// Waits for a packet on another socket, for as long as this front end is connected.
  ///
  /// - Throws: `PacketSocketError`, `closed` if the front end is gone.
  func awaitPacket(of other: borrowing PacketSocket, timeoutMilliseconds: Int32) throws(PacketSocketError) {
    try other.awaitPacket(whilePeerOf: socket, timeoutMilliseconds: timeoutMilliseconds)
  }

  /// The uid of the peer.
  func peerUserID() throws(PacketSocketError) -> UInt32 { try socket.peerUserID() }

  /// The process id of the peer.
  func peerProcessID() throws(PacketSocketError) -> pid_t { try socket.peerProcessID() }

  /// Waits for *begin*.
  ///
  /// A *begin* of a later version may have fields that this code does not know. Then only its version is read.
  ///
  /// - Throws: `PacketSocketError`.
  func receiveBegin() throws(PacketSocketError) -> Begin {
    defer { buffer.wipe() }
    let packet: Packet
    do throws(PacketSocketError) {
      packet = try receive(timeoutMilliseconds: Self.beginTimeoutMilliseconds)
    } catch {
      let foreign = buffer.withBytes { Begin(foreignVersionIn: $0) }
      guard case .malformed = error, let foreign else { throw error }
      do throws(PacketError) { try state.advance(.begin) } catch { throw .malformed(error) }
      return foreign
    }
    return try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) -> Begin in
      do throws(PacketError) {
        return try Begin(packet, bytes)
      } catch {
        // The packet has the fields of a known version, but one has a value that is not known, such as a new operation.
        if let foreign = Begin(foreignVersionIn: bytes) { return foreign }
        throw .malformed(error)
      }
    }
  }

  /// Registers work to do once: right after the next prompt was sent, before its answer is awaited.
  func onceAsked(_ work: @escaping () -> Void) { self.work = work }

  /// Registers work to do once while the person types, when the server's answer or something else arrives.
  ///
  /// It is not done if the person's entry comes first, or while a fingerprint sensor waits; see ``takeArrived()``.
  func onceArrived(_ arrival: Arrival?) { self.arrival = arrival }

  /// Sends a prompt, and waits without a time limit for the person's answer.
  ///
  /// - Returns: the entry, or nil if the person cancelled.
  /// - Throws: ``Ending``: the front end is gone, cannot ask anybody, or violates the protocol.
  func ask(_ prompt: Prompt) throws(Ending) -> Secret? {
    try send(.prompt(prompt))
    work.take()?()
    try awaitArrival()
    return try takeAnswer()
  }

  /// Does the work of ``onceArrived(_:)`` now if the arrival has already happened.
  func takeArrived() { try? takeArrival(timeoutMilliseconds: 0) }

  private func awaitArrival() throws(Ending) {
    do throws(PacketSocketError) { try takeArrival(timeoutMilliseconds: -1) } catch {
      throw Ending(.applicationCancel, log: "front end: \(error)")
    }
  }

  private func takeArrival(timeoutMilliseconds: Int32) throws(PacketSocketError) {
    guard let arrival, try arrival.comesFirst(socket, timeoutMilliseconds) else { return }
    self.arrival = nil
    arrival.work()
  }

  /// Waits until the sensor no longer waits for a finger, and releases it.
  ///
  /// - Parameter tell: called for each touch that is not a match or a final failure. It is also called with nil every 15 s,
  ///   because the module gives up on a core that sends nothing.
  /// - Throws: ``Ending`` if the front end is gone.
  func awaitTouch(_ watch: FingerWatch, telling tell: (FingerTouch?) throws(Ending) -> Void) throws(Ending) {
    defer { watch.stop() }
    while watch.patience != nil {
      let next: (isInterrupted: Bool, touch: FingerTouch?)
      do throws(PacketSocketError) {
        next = try watch.next(beside: socket, atMost: Int32(ExchangePatience.interval))
      } catch { throw .frontEndGone }
      // No prompt is open, so the front end has nothing to send: it is gone, or violates the protocol.
      if next.isInterrupted { throw .frontEndGone }
      if watch.patience != nil { try tell(next.touch) }
    }
  }

  private func takeAnswer() throws(Ending) -> Secret? {
    let packet = try receiveInConversation()
    defer { buffer.wipe() }
    guard packet.type == .answer else {
      try hearCancelled(packet)
      return nil
    }
    do throws(PacketError) { return try Answer.value(packet, in: buffer) } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
  }

  /// Sends a prompt while a fingerprint sensor waits, and releases the sensor once either of them has an answer.
  ///
  /// - Returns: as ``ask(_:)``. If the sensor was faster, `watch` has the result.
  /// - Throws: ``Ending``, as ``ask(_:)``.
  func ask(_ prompt: Prompt, beside watch: FingerWatch) throws(Ending) -> Secret? {
    defer { watch.stop() }
    try send(.prompt(prompt))
    work.take()?()
    do throws(PacketSocketError) {
      while watch.patience != nil, try !watch.next(beside: socket).isInterrupted {}
    } catch { throw Ending(.applicationCancel, log: "front end: \(error)") }
    return try takeAnswer()
  }

  /// Reads the reason of *cancelled*, if it has one.
  ///
  /// - Throws: ``Ending`` if the front end cannot ask anybody, or the person denied the text of an approval.
  private func hearCancelled(_ packet: Packet) throws(Ending) {
    let signal: FrontEndSignal
    do throws(PacketError) {
      signal = try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in
        try FrontEndSignal(packet, bytes)
      }
    } catch { throw Ending(.applicationCancel, log: "front end: \(error)") }
    switch signal {
    case .noConversation: throw Ending(.notInteractive, log: "the host has no conversation: nobody can be asked")
    case .denied: throw Ending(.userCancel, text: .cancelled, log: "denied by the person", .denial)
    case .cancelled, .resume: return
    }
  }

  /// Sends *ready* and waits for *resume*.
  ///
  /// If *resume* has already arrived, nothing is sent.
  ///
  /// - Returns: false if the front end cancelled.
  /// - Throws: ``Ending``.
  func awaitResume() throws(Ending) -> Bool {
    do throws(PacketError) { try state.advance(.ready) } catch { throw Ending(.cannotUse, log: "\(error)") }
    do throws(PacketSocketError) { return try receive(timeoutMilliseconds: 0).type == .resume } catch {
      guard error == .timedOut else { throw Ending(.applicationCancel, log: "front end: \(error)") }
    }
    try transmit(.ready)
    return try receiveInConversation().type == .resume
  }

  /// Sends a message.
  ///
  /// - Throws: ``Ending``.
  func send(_ message: CoreMessage) throws(Ending) {
    do throws(PacketError) { try state.advance(message.type) } catch {
      throw Ending(.applicationCancel, log: "front end: \(error)")
    }
    // `arrival` refers to the server access, which refers to this front end: this ends the cycle of references.
    if case .finished = message { arrival = nil }
    try transmit(message)
  }

  /// Sends the password of the person's keyring.
  ///
  /// - Throws: ``Ending``.
  func send(keyring password: borrowing Secret) throws(Ending) {
    do throws(PacketError) { try state.advance(.keyring) } catch {
      throw Ending(.applicationCancel, log: "front end: \(error)")
    }
    do { try socket.send(try KeyringPassword.packet(password)) } catch {
      throw Ending(.applicationCancel, log: "front end: \(error)")
    }
  }

  /// Answers a front end that sent *resume* instead of *begin*.
  ///
  /// - Throws: ``Ending``.
  func finishUnopened(_ finished: Finished) throws(Ending) { try transmit(.finished(finished)) }

  /// Ends the conversation without waiting for *begin*.
  ///
  /// - Throws: ``Ending``.
  func turnAway(_ finished: Finished) throws(Ending) {
    try transmit(.finished(finished))
    // If *begin* were left unread, closing the socket would reset the connection, and the front end could not read the message
    // above.
    _ = try? socket.receive(into: &buffer, timeoutMilliseconds: 0)
    buffer.wipe()
  }

  private func transmit(_ message: CoreMessage) throws(Ending) {
    do { try socket.send(try message.packet()) } catch {
      throw Ending(.applicationCancel, log: "front end: \(error)")
    }
  }

  private func receiveInConversation() throws(Ending) -> Packet {
    do throws(PacketSocketError) { return try receive(timeoutMilliseconds: -1) } catch {
      throw Ending(.applicationCancel, log: "front end: \(error)")
    }
  }

  private func receive(timeoutMilliseconds: Int32) throws(PacketSocketError) -> Packet {
    var packet = try socket.receive(into: &buffer, timeoutMilliseconds: timeoutMilliseconds)
    // Nothing was paused, so this *resume* is ignored. The person's answer to the prompt comes after it.
    while state == .asked, packet.type == .resume {
      packet = try socket.receive(into: &buffer, timeoutMilliseconds: timeoutMilliseconds)
    }
    do throws(PacketError) { try state.advance(packet.type) } catch {
      buffer.wipe()
      throw .malformed(error)
    }
    return packet
  }
}

/// Work to do while the person types, once a certain packet has arrived.
struct Arrival {
  /// Waits until the packet arrives or the front end sends something.
  ///
  /// Returns true if the packet arrived and the front end sent nothing.
  typealias Comparison = (borrowing PacketSocket, _ timeoutMilliseconds: Int32) throws(PacketSocketError) -> Bool

  let comesFirst: Comparison
  /// The work.
  ///
  /// It must not wait for anything, because the person's entry is not read meanwhile.
  let work: () -> Void
}

/// The time that the module's `timeout=` allows for a call.
///
/// The module measures the time, and closes its socket when the time is over. It cannot tell the core why. The module shows
/// result 7011 to the person, so the core's log must have 7011 as well.
final class CallTimeLimit {
  private let limit: Duration
  private let now: () -> BootTime
  private var begun: BootTime

  /// The module starts to measure before *begin* arrives at the core: on a busy machine, up to this much earlier.
  private static let longestHeadStart = Duration.seconds(1)

  init(_ limit: Duration, now: @escaping () -> BootTime) {
    self.limit = limit
    self.now = now
    begun = now()
  }

  /// Starts to measure the time again.
  func restart() { begun = now() }

  /// The ending, with 7011 instead of 7010 if the front end was gone because its time was over.
  func explaining(_ ending: Ending) -> Ending {
    guard ending.result == .applicationCancel, isOver else { return ending }
    return ending.outOfTime(after: limit)
  }

  private var isOver: Bool {
    let now = now()
    // Both times are of the same boot: this process would not survive a reboot.
    let elapsed = Duration.nanoseconds(now.nanoseconds - begun.nanoseconds)
    return elapsed >= limit - min(Self.longestHeadStart, limit / 4)
  }
}

/// Divides the wait for the server into intervals.
///
/// After each interval except the last, the front end is sent a message.
///
/// All times are in milliseconds.
struct ExchangePatience {
  /// The interval between two messages to the front end: the module gives up on a core that sends nothing for 40 s.
  static let interval: Int64 = 15_000
  /// The time after which a person at a terminal is told that the core is waiting for the server.
  static let firstNotice: Int64 = 2000

  /// The time that is left.
  private(set) var left: Int64
  private var first: Int64?

  /// - Parameters:
  ///   - total: how long to wait in all.
  ///   - first: how long the first interval lasts; nil if it is as long as the others.
  init(total: Int64, first: Int64? = nil) {
    left = total
    self.first = first
  }

  /// The next interval; nil once the time is over.
  mutating func next() -> Int64? {
    guard left > 0 else { return nil }
    let stretch = min(left, first ?? Self.interval)
    first = nil
    left -= stretch
    return stretch
  }
}

/// Who is waiting during an exchange with the server.
struct ExchangeWaiter {
  /// After how many milliseconds `waiting` is first called; nil if it is only called so that the front end does not give up.
  let firstNoticeMilliseconds: Int64?
  /// Called repeatedly until the server has answered.
  let waiting: () -> Void
  /// The front end; if it is gone, the wait ends.
  ///
  /// Nil if the answer must be awaited in any case, because both the server and the machine change their state.
  let frontEnd: FrontEnd?
}
