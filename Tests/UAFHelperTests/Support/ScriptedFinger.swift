import Foundation
import SecretMemory
import Synchronization
import Testing
import UAFWire

@testable import UAFHelper

/// Plays both uaf-finger and the person in one call.
///
/// Each step waits for the one before it, and never for an amount of time.
final class ScriptedFinger: Sendable {
  /// One step of the script.
  enum Step: Sendable {
    /// The core sends uaf-finger this request, to this service or to fprintd.
    case asked(FingerAsk.Wish, of: String? = nil)
    /// The core releases the sensor.
    case stopped
    /// uaf-finger reports the state of the sensor, the result of a touch, or why it no longer waits.
    case sensor(FingerSensor.State)
    case touch(FingerTouch)
    case end(FingerEnd.Cause)
    /// uaf-finger sends a packet that only the core may send.
    case nonsense
    /// uaf-finger ends.
    case dies
    /// Something else happens on the machine.
    case does(@Sendable () throws -> Void)
    /// The person makes this entry, or leaves the prompt.
    case enters(String)
    case cancels
    /// The core ends the call; the front end waits for that.
    case over
  }

  /// The time after which a script fails that hangs because the core waits for something that it does not contain.
  private static let limitMilliseconds: CInt = 60_000

  private let steps: [Step]
  private let (finger, person): (CInt, CInt)
  private let done = DispatchSemaphore(value: 0)
  /// The step that failed, and what came instead.
  private let failure = Mutex<String?>(nil)

  /// - Parameters:
  ///   - finger: uaf-finger's end of its socket, which the script closes.
  ///   - person: the front end's end of the conversation, which stays the caller's.
  init(_ steps: [Step], finger: CInt, person: CInt) {
    self.steps = steps
    self.finger = finger
    self.person = person
  }

  /// Starts the script in a thread of its own.
  func start() { Thread.detachNewThread { [self] in play() } }

  /// Waits until the script has ended.
  func finish() {
    done.wait()
    #expect(failure.withLock { $0 } == nil)
  }

  private func play() {
    do {
      for (index, step) in steps.enumerated() {
        guard let reason = try take(step) else { continue }
        failure.withLock { $0 = "step \(index), \(step): \(reason)" }
        break
      }
    } catch { failure.withLock { $0 = "\(error)" } }
    // A prompt for which the script has no entry meets the end of the stream, so that the core does not wait forever.
    _ = shutdown(person, CInt(SHUT_WR))
    close(finger)
    done.signal()
  }

  /// - Returns: what came instead of the step; nil if the step came.
  private func take(_ step: Step) throws -> String? {
    switch step {
    case .asked(let wish, let service):
      return try hear { (packet, bytes) throws(PacketError) in
        let ask = try FingerAsk(packet, bytes)
        return ask.wish == wish && ask.service == service
      }
    case .stopped: return try hear { packet, _ in packet.type == .fingerStop }
    case .sensor(let state): send(try FingerSensor(state, fingers: ["right-index-finger"]).packet(), finger)
    case .touch(let touch): send(try touch.packet(), finger)
    case .end(let cause): send(try FingerEnd(cause).packet(), finger)
    case .nonsense: send(try FingerAsk.stop(), finger)
    case .does(let work): try work()
    case .dies: _ = shutdown(finger, CInt(SHUT_RDWR))
    case .enters(let value):
      let packet = try Answer.packet(Secret(copying: Array(value.utf8).span))
      send(packet.withBytes { bytes in bytes.indices.map { bytes[$0] } }, person)
    case .cancels: send(FrontEndSignal.cancelled.packet, person)
    case .over:
      var entry = pollfd(fd: person, events: 0, revents: 0)
      // SAFETY: one entry is passed and one is announced.
      return unsafe poll(&entry, 1, Self.limitMilliseconds) > 0 ? nil : "the core still waits"
    }
    return nil
  }

  private func hear(_ isRight: (Packet, Span<UInt8>) throws(PacketError) -> Bool) throws -> String? {
    var bytes = [UInt8](repeating: 0, count: WireLimit.packet)
    // SAFETY: the array has room for as many bytes as are asked for.
    let count = unsafe recv(finger, &bytes, bytes.count, 0)
    guard count > 0 else { return "the core has closed its end" }
    let span = bytes.span.extracting(first: count)
    let packet = try Packet(span)
    return try isRight(packet, span) ? nil : "\(packet.type)"
  }

  private func send(_ bytes: [UInt8], _ socket: CInt) {
    // SAFETY: as many bytes are lent as are announced. What nobody takes any more is not a failure of the script.
    _ = unsafe Glibc.send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }
}
