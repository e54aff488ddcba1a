import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFWire

/// A claimed sensor that waits for a touch.
///
/// It carries out the actions of ``FingerMachine``.
@safe final class FingerWatch {
  /// How long the sensor may still wait, in milliseconds; nil once it no longer waits.
  var patience: Int32? {
    guard machine.outcome == nil else { return nil }
    let left = deadline.subtractingReportingOverflow(now().nanoseconds)
    return left.overflow ? 0 : Int32(clamping: max(0, left.partialValue / 1_000_000))
  }

  /// The type of the authenticator that a match opens.
  let type: AuthenticatorType
  /// The sensor, as texts name it.
  var sensor: SensorKind { type.sensor ?? .finger }
  /// How the wait ended; nil while the sensor waits.
  var outcome: FingerMachine.Outcome? { machine.outcome }
  /// The stored prints, read at the match, while the sensor was still claimed, so that nobody else could change them through
  /// the sensor.
  private(set) var prints: EnrolledPrints.State?

  private let process: FingerProcess
  private let account: String
  private let service: String?
  private let now: () -> BootTime
  private let deadline: Int64
  private let count: () throws(Ending) -> Bool
  private let readPrints: () -> EnrolledPrints.State
  private var machine: FingerMachine
  /// Why a touch could not be counted; nil if every touch was.
  private var trouble: Ending?

  /// - Parameters:
  ///   - process: the program, which has claimed the sensor for `account` and is comparing.
  ///   - service: the name of the sensor's service on the system bus; nil for fprintd.
  ///   - count: counts a touch that did not match, and returns whether that caused a lock.
  init(
    _ process: FingerProcess, _ type: AuthenticatorType, for account: String, at service: String?,
    _ settings: (tries: Int, wait: Duration),
    now: @escaping () -> BootTime, count: @escaping () throws(Ending) -> Bool,
    readPrints: @escaping () -> EnrolledPrints.State
  ) {
    self.process = process
    self.type = type
    self.account = account
    self.service = service
    self.now = now
    self.count = count
    self.readPrints = readPrints
    machine = FingerMachine(tries: settings.tries)
    let wait = settings.wait.components.seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
    deadline = now().nanoseconds.addingReportingOverflow(wait).partialValue
  }

  /// Waits until the sensor reports something or the front end sends a packet, for at most this many milliseconds.
  ///
  /// - Returns: whether the front end has sent something or is gone; and the result of a touch after which the sensor keeps
  ///   waiting, if there was one.
  /// - Throws: `PacketSocketError` if the front end's socket fails.
  func next(
    beside frontEnd: borrowing PacketSocket, atMost limit: Int32 = .max
  ) throws(PacketSocketError) -> (isInterrupted: Bool, touch: FingerTouch?) {
    let left = patience ?? 0
    let (isMessage, isPacket) = try process.awaitMessage(orPacketOf: frontEnd, timeoutMilliseconds: min(left, limit))
    // If both have arrived, the touch is processed first.
    if isMessage { return (isPacket, takeMessage()) }
    if !isPacket, patience == 0 { follow(machine.received(.timeIsUp)) }
    return (isPacket, nil)
  }

  /// Ends the wait, because the front end's answer came first.
  func stop() { if machine.outcome == nil { follow(machine.received(.timeIsUp)) } }

  /// Throws if a touch could not be counted: the authenticator must not be opened then.
  ///
  /// - Throws: ``Ending``.
  func requireCounted() throws(Ending) { if let trouble { throw trouble } }

  /// - Returns: a touch that did not match, or that could not be read.
  private func takeMessage() -> FingerTouch? {
    do throws(PacketSocketError) {
      switch try process.receive(timeoutMilliseconds: 0) {
      case .touch(let touch):
        follow(machine.received(.touched(touch)))
        return machine.outcome == nil ? touch : nil
      case .end(let end): follow(machine.received(.ended(end.cause)))
      case .sensor: follow(machine.received(.lost))
      }
    } catch { follow(machine.received(.lost)) }
    return nil
  }

  private func follow(_ action: FingerMachine.Action) {
    switch action {
    case .wait, .tell, .rest: return
    case .count:
      do throws(Ending) { follow(machine.received(.counted(isLocked: try count()))) } catch {
        trouble = error
        follow(machine.received(.lost))
        process.stop()
      }
    case .compareAgain:
      do throws(PacketSocketError) { try process.compareAgain(for: account, at: service) } catch {
        follow(machine.received(.lost))
      }
    case .take:
      prints = readPrints()
      process.stop()
    case .stop: process.stop()
    }
  }
}

/// The rules for a waiting sensor.
///
/// This type has no input or output, and no access to time, account or sensor. The rules:
///
/// - A touch that does not match is counted before the next one is compared.
/// - A match is accepted once, and only while the sensor waits. Events after the end change nothing.
/// - A message that is not expected ends the wait without a match.
struct FingerMachine: Hashable {
  /// Something that happened while the sensor waited.
  enum Event: Hashable {
    case touched(FingerTouch)
    /// A touch that did not match was counted.
    case counted(isLocked: Bool)
    case ended(FingerEnd.Cause)
    /// uaf-finger is gone, or violates the protocol.
    case lost
    case timeIsUp
  }

  /// The next thing to do.
  enum Action: Hashable {
    /// Wait for the next message.
    case wait
    /// Report the result of the touch to the person, and keep waiting.
    case tell(FingerTouch)
    /// Count a touch that did not match.
    case count
    /// Start the next comparison.
    case compareAgain
    /// Accept the match: read the prints while the sensor is claimed, then release it.
    case take
    /// Release the sensor.
    case stop
    /// Nothing is left to do: the sensor is no longer claimed.
    case rest
  }

  /// How the wait ended.
  enum Outcome: Hashable {
    case matched
    /// The allowed number of touches was made, and none matched.
    case exhausted
    case timedOut
    /// The last touch caused a lock.
    case locked
    case failed(FingerEnd.Cause?)
  }

  /// How the wait ended; nil while the sensor waits.
  private(set) var outcome: Outcome?
  private var isCounting = false
  private var triesLeft: Int

  /// - Parameter tries: how many touches that do not match are allowed.
  init(tries: Int) { triesLeft = tries }

  /// Processes an event, and returns the next action.
  mutating func received(_ event: Event) -> Action {
    guard outcome == nil else { return .rest }
    switch event {
    case .touched(.matched) where !isCounting:
      return end(.matched, .take)
    case .touched(.notMatched) where !isCounting:
      (isCounting, triesLeft) = (true, triesLeft - 1)
      return .count
    case .touched(let touch) where !isCounting && !touch.isCompared: return .tell(touch)
    case .counted(let isLocked) where isCounting:
      isCounting = false
      if isLocked { return end(.locked, .stop) }
      return triesLeft > 0 ? .compareAgain : end(.exhausted, .stop)
    case .ended(let cause): return end(.failed(cause), .rest)
    case .lost: return end(.failed(nil), .rest)
    case .timeIsUp where !isCounting: return end(.timedOut, .stop)
    case .touched, .counted, .timeIsUp: return end(.failed(nil), .stop)
    }
  }

  private mutating func end(_ outcome: Outcome, _ action: Action) -> Action {
    self.outcome = outcome
    return action
  }
}

extension TouchText {
  /// The message about a touch; nil means that there was no touch yet.
  init(_ touch: FingerTouch?) {
    self =
      switch touch {
      case nil: .waiting
      case .notMatched, .matched: .notMatched
      case .scanAgain: .again
      case .tooShort: .tooShort
      case .notCentred: .notCentred
      case .liftFirst: .liftFirst
      case .tooFast: .tooFast
      }
  }
}
