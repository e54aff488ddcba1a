import Authenticator
import FidoResults
import Glibc
import SecretMemory
import UAFConfiguration
import UAFWire

/// The conversation with the module or uafctl, one message at a time and only in the order that the table allows.
///
/// Everything that arrives is read into one locked buffer , which is wiped after each message.
@safe final class FrontEnd {
  private let socket: PacketSocket
  private var buffer: Secret
  private(set) var state = ConversationState.opened
  /// The version that the front end uses.
  private var version = Begin.currentVersion
  /// Work to do once when the next prompt has been sent.
  private var work: (() -> Void)?
  /// Work to do once while the person types.
  private var arrival: Arrival?

  /// How long a front end may take to send *begin*.
  static let beginTimeoutMilliseconds: Int32 = 5000

  /// Takes over the conversation's socket.
  ///
  /// - Throws: `SecretMemoryError`.
  init(_ socket: consuming PacketSocket) throws(SecretMemoryError) {
    self.socket = socket
    // One byte more than a packet may have, so that a longer one is noticed.
    buffer = try Secret(capacity: WireLimit.packet + 1)
  }

  /// Whether entries are kept out of the swap; the buffer is the largest piece of such memory.
  var isLocked: Bool { buffer.isLocked }

  /// Whether the front end has gone away, such as a host that was killed.
  var isGone: Bool { socket.isHungUp() }

  /// Waits, for a moment, until the front end has closed its end, and returns whether it left something unread.
  func leftUnread(timeoutMilliseconds: Int32) -> Bool { socket.leftUnread(timeoutMilliseconds: timeoutMilliseconds) }

  /// Waits for a packet on another socket, for as long as this front end is connected.
  ///
  /// - Throws: `PacketSocketError`, `closed` if it went away.
  func awaitPacket(of other: borrowing PacketSocket, timeoutMilliseconds: Int32) throws(PacketSocketError) {
    try other.awaitPacket(whilePeerOf: socket, timeoutMilliseconds: timeoutMilliseconds)
  }

  /// The uid of the peer.
  func peerUserID() throws(PacketSocketError) -> UInt32 { try socket.peerUserID() }

  /// The process id of the peer.
  func peerProcessID() throws(PacketSocketError) -> pid_t { try socket.peerProcessID() }

  /// Waits for *begin*.
  ///
  /// A *begin* of a later version may have fields that this code does not know. Only its version is read then.
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
        let begin = try Begin(packet, bytes)
        version = begin.version
        return begin
      } catch {
        // The fields have a known form, but one has an unknown value, such as a new operation.
        if let foreign = Begin(foreignVersionIn: bytes) { return foreign }
        throw .malformed(error)
      }
    }
  }

  /// Does something when the next prompt has been sent, before waiting for its answer.
  func onceAsked(_ work: @escaping () -> Void) { self.work = work }

  /// Does something once while the person types, after something else has arrived.
  ///
  /// This does not happen if the entry comes earlier, or while a fingerprint sensor waits; see ``takeArrived()``.
  func onceArrived(_ arrival: Arrival?) { self.arrival = arrival }

  /// Asks the person, and waits as long as that takes.
  ///
  /// - Returns: the entry, or nil if it was cancelled.
  /// - Throws: ``Ending``: the front end went away, has nobody to ask, or does not keep to the protocol.
  func ask(_ prompt: Prompt) throws(Ending) -> Secret? {
    try send(.prompt(prompt))
    work.take()?()
    try awaitArrival()
    return try takeAnswer()
  }

  /// Does the work that waits for an arrival, if it has already arrived.
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

  /// Waits until a sensor no longer waits, and releases it.
  ///
  /// - Parameter tell: called for each touch that decides nothing, and with nil every 15 s, because the module gives up on a
  ///   silent core.
  /// - Throws: ``Ending`` if this front end went away.
  func awaitTouch(_ watch: FingerWatch, telling tell: (FingerTouch?) throws(Ending) -> Void) throws(Ending) {
    defer { watch.stop() }
    while watch.patience != nil {
      let next: (isInterrupted: Bool, touch: FingerTouch?)
      do throws(PacketSocketError) {
        next = try watch.next(beside: socket, atMost: Int32(ExchangePatience.interval))
      } catch { throw .frontEndGone }
      // The core may send nothing without a question.
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

  /// Asks while a fingerprint sensor waits, and releases the sensor once the answer has come.
  ///
  /// - Returns: as ``ask(_:)``; the watch says whether the sensor was faster.
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
  /// - Throws: ``Ending`` if nobody can be asked, or if the person denied the text that should be approved.
  private func hearCancelled(_ packet: Packet) throws(Ending) {
    let signal: FrontEndSignal
    do throws(PacketError) {
      signal = try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in
        try FrontEndSignal(packet, bytes, version: version)
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
    // It keeps a reference to the server access, which keeps a reference to this front end.
    if case .finished = message { arrival = nil }
    try transmit(message)
  }

  /// Answers a *resume* that came without *begin*.
  ///
  /// - Throws: ``Ending``.
  func finishUnopened(_ finished: Finished) throws(Ending) { try transmit(.finished(finished)) }

  /// Ends the conversation without waiting for *begin*.
  ///
  /// - Throws: ``Ending``.
  func turnAway(_ finished: Finished) throws(Ending) {
    try transmit(.finished(finished))
    // An unread packet would reset the connection at the close, and the front end would not read the message above.
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
    // Nothing was paused, so this *resume* is ignored. The person's answer comes later.
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

/// Work to do while the person types, once something else has arrived.
struct Arrival {
  /// Waits for the arrival or for a packet of the front end; returns whether the arrival came and the front end sent nothing.
  typealias Comparison = (borrowing PacketSocket, _ timeoutMilliseconds: Int32) throws(PacketSocketError) -> Bool

  let comesFirst: Comparison
  /// It must not wait, because the person's entry waits in the meantime.
  let work: () -> Void
}

/// The time that the module's `timeout=` allows for a call.
///
/// The module measures the time, and closes its socket when it is over. It cannot send a reason: the person sees 7011, so the
/// log must name it too.
final class CallTimeLimit {
  private let limit: Duration
  private let now: () -> BootTime
  private var begun: BootTime

  /// The module began to count before *begin* arrived here, and a busy machine takes a moment for that.
  private static let longestHeadStart = Duration.seconds(1)

  init(_ limit: Duration, now: @escaping () -> BootTime) {
    self.limit = limit
    self.now = now
    begun = now()
  }

  /// Starts the time anew.
  func restart() { begun = now() }

  /// The ending, with 7011 instead of 7010 if the front end went away when its time was over.
  func explaining(_ ending: Ending) -> Ending {
    guard ending.result == .applicationCancel, isOver else { return ending }
    return ending.outOfTime(after: limit)
  }

  private var isOver: Bool {
    let now = now()
    // After a reboot, this call would no longer exist.
    let elapsed = Duration.nanoseconds(now.nanoseconds - begun.nanoseconds)
    return elapsed >= limit - min(Self.longestHeadStart, limit / 4)
  }
}

/// Divides the wait for the server into intervals.
///
/// After each interval but the last, the waiting front end gets a message.
///
/// All times are in milliseconds.
struct ExchangePatience {
  /// How often the front end hears something: the module gives up on a core that says nothing for 40 s.
  static let interval: Int64 = 15_000
  /// The time after which a person at a terminal reads that the core waits for the server.
  static let firstNotice: Int64 = 2000

  /// The time left.
  private(set) var left: Int64
  private var first: Int64?

  /// - Parameters:
  ///   - total: the whole time.
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

/// Who waits for an exchange with the server.
struct ExchangeWaiter {
  /// After how many milliseconds `waiting` is called first; nil if the calls only keep the front end from giving up.
  let firstNoticeMilliseconds: Int64?
  /// Called while the server takes its time.
  let waiting: () -> Void
  /// The wait ends when this front end goes away.
  ///
  /// Nil if the answer is needed in any case, because server and machine both change their state.
  let frontEnd: FrontEnd?
}
