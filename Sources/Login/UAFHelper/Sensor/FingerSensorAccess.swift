import AuthenticatorTypes
import Authenticator
import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFConfiguration
import UAFWire

/// The machine's sensor in one call: whether this call may use it, and the program that talks to it.
struct FingerSensorAccess {
  /// uaf-finger, or why it is missing; nil if this call does not need it.
  let process: Result<FingerProcess, Ending>?
  /// Where the fingerprint service stores prints, and the uid that must own them.
  let printsFolder: String
  let owner: UInt32
  /// Whether it is proved that the person sits at this machine.
  let isAtSeat: Bool
  /// Whether the person had stored prints before the sandbox was entered.
  ///
  /// Afterwards, a missing folder cannot be distinguished from a closed one.
  let hadPrints: Bool

  /// The access when there is no sensor.
  static var none: FingerSensorAccess {
    FingerSensorAccess(process: nil, printsFolder: EnrolledPrints.folder, owner: 0, isAtSeat: true, hadPrints: false)
  }

  /// Why this call cannot use the sensor, whatever its state; nil if it can.
  func obstacle(_ call: Call, _ policy: CallPolicy, isBoundToChip: Bool) -> FingerObstacle? {
    guard call.caller.origin == .local, isAtSeat, !policy.hidesState else {
      return FingerObstacle(
        .biometryInvalidContext,
        log: "there is no proof that the person is at the machine, the account is a different one, or states are hidden"
      )
    }
    guard isBoundToChip || !policy.configuration.biometric.requiresChip else {
      return FingerObstacle(
        .biometryNotAvailable, log: "the device key is not bound to a chip, and biometric.require_tpm is not false")
    }
    if case .failure(let ending) = process { return FingerObstacle(.biometryNotAvailable, log: ending.log) }
    return process == nil ? FingerObstacle(.biometryUnknown, log: "uaf-finger was not started") : nil
  }

  /// Asks for the sensor's state, without claiming it; nil if it can be used for the account.
  func look(for name: [UInt8]) -> FingerObstacle? {
    guard let process = try? process?.get() else {
      return FingerObstacle(.biometryUnknown, log: "uaf-finger was not started")
    }
    return FingerObstacle(process.sensor(.look, of: String(decoding: name, as: UTF8.self)))
  }

  /// The person's stored prints; nil for a name that can have none.
  func prints(of name: [UInt8]) -> EnrolledPrints.State? {
    hadPrints ? EnrolledPrints(of: name, in: printsFolder, owner: owner)?.state() : EnrolledPrints.State.none
  }

  /// Claims the sensor, and starts the first comparison.
  ///
  /// - Parameter count: counts a touch that did not match.
  /// - Throws: ``FingerRefusal``.
  func claim(
    for name: [UInt8], _ policy: CallPolicy, now: @escaping () -> BootTime, count: @escaping () throws(Ending) -> Bool
  ) throws(FingerRefusal) -> FingerWatch {
    let process: FingerProcess
    do throws(Ending) {
      guard let started = try self.process?.get() else {
        throw Ending(.biometryUnknown, log: "uaf-finger was not started")
      }
      process = started
    } catch { throw .ending(error) }
    let account = String(decoding: name, as: UTF8.self)
    if let obstacle = FingerObstacle(process.sensor(.compare, of: account)) {
      // After a time-out, the sensor may still be claimed.
      process.stop()
      throw .obstacle(obstacle)
    }
    let settings = policy.configuration.biometric
    return FingerWatch(
      process, for: account, (tries: settings.maximumTries, wait: settings.timeout), now: now, count: count,
      readPrints: { prints(of: name) ?? .none })
  }
}

/// A running uaf-finger: one process for the whole call.
@safe final class FingerProcess {
  private let socket: PacketSocket
  private var buffer: Secret

  /// How long to wait for the first answer: the fingerprint service may have to be started.
  private static let answerMilliseconds: Int32 = 8000

  /// Starts `program`, which asks the service nothing until it is asked.
  ///
  /// - Throws: ``Ending`` if it is missing or cannot be started.
  convenience init(_ program: String) throws(Ending) {
    do {
      let ends = try PacketSocket.pair()
      defer { close(ends.theirs) }
      try self.init(over: try PacketSocket(takingOver: ends.mine))
      _ = try ChildProcess(starting: program, socket: ends.theirs)
    } catch { throw Ending(.clientMismatch, log: "uaf-finger: \(error)") }
  }

  /// Talks to the program at the other end of a socket.
  ///
  /// - Throws: `SecretMemoryError`.
  init(over socket: consuming PacketSocket) throws(SecretMemoryError) {
    self.socket = socket
    buffer = try Secret(capacity: WireLimit.packet + 1)
  }

  /// Asks for the sensor's state or for a first comparison, and waits for the report about the sensor.
  ///
  /// A program that gives no answer counts as a failure.
  func sensor(_ wish: FingerAsk.Wish, of account: String) -> FingerSensor {
    do throws(PacketSocketError) {
      try ask(wish, of: account)
      // Messages of an earlier comparison may come first.
      while true {
        if case .sensor(let sensor) = try receive(timeoutMilliseconds: Self.answerMilliseconds) { return sensor }
      }
    } catch { return FingerSensor(.failed, detail: "uaf-finger: \(error)") }
  }

  /// Asks for a further comparison.
  ///
  /// - Throws: `PacketSocketError`.
  func compareAgain(for account: String) throws(PacketSocketError) { try ask(.compare, of: account) }

  /// Releases the sensor; a program that is gone has already released it.
  func stop() {
    guard let packet = try? FingerAsk.stop() else { return }
    try? socket.send(packet)
  }

  /// Waits for a message or for a packet of another socket.
  ///
  /// - Throws: `PacketSocketError`.
  func awaitMessage(
    orPacketOf other: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> (isMessage: Bool, isPacket: Bool) {
    let (own, theirs) = try socket.awaitPacket(orOf: other, timeoutMilliseconds: timeoutMilliseconds)
    return (own, theirs)
  }

  /// Reads one message.
  ///
  /// - Throws: `PacketSocketError`, `malformed` for anything that uaf-finger does not send.
  func receive(timeoutMilliseconds: Int32) throws(PacketSocketError) -> FingerMessage {
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: timeoutMilliseconds)
    return try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) in
      do throws(PacketError) {
        switch packet.type {
        case .fingerSensor: return .sensor(try FingerSensor(packet, bytes))
        case .fingerTouch: return .touch(try FingerTouch(packet, bytes))
        case .fingerEnd: return .end(try FingerEnd(packet, bytes))
        default: throw .unexpectedType(packet.type)
        }
      } catch { throw .malformed(error) }
    }
  }

  private func ask(_ wish: FingerAsk.Wish, of account: String) throws(PacketSocketError) {
    let packet: [UInt8]
    do throws(PacketError) { packet = try FingerAsk(wish, account: account).packet() } catch { throw .malformed(error) }
    try socket.send(packet)
  }
}

/// Why a fingerprint cannot be used, or did not open the key.
struct FingerObstacle: Equatable {
  let result: FidoResult
  /// The text for the log.
  let log: String

  init(_ result: FidoResult, log: String) {
    self.result = result
    self.log = log
  }

  /// What the sensor's state means; nil if it can be used.
  init?(_ sensor: FingerSensor) {
    let result: FidoResult
    switch sensor.state {
    case .ready: return nil
    case .noService, .noSensor: result = .biometryNotSupported
    case .busy, .denied: result = .biometryNotAvailable
    case .notEnrolled: result = .biometryNotRegistered
    case .untrusted, .failed: result = .biometryUnknown
    }
    self.init(result, log: "the sensor: \(sensor.state)" + (sensor.detail.map { " (\($0))" } ?? ""))
  }

  /// What the end of a wait means; nil for a match.
  init?(_ outcome: FingerMachine.Outcome?) {
    switch outcome {
    case .matched: return nil
    case .exhausted, .timedOut: self.init(.biometryAuthenticationFailed, log: "no touch matched")
    case .locked: self.init(.biometryLocked, log: "no touch matched; now locked")
    case .failed(.sensorGone): self.init(.biometryNotAvailable, log: "the sensor was unplugged")
    case .failed(let cause):
      self.init(.biometryUnknown, log: "the sensor: " + (cause.map { "\($0)" } ?? "uaf-finger broke off"))
    case nil: self.init(.biometryUnknown, log: "the sensor still waits")
    }
  }

  /// The obstacle as the end of a call.
  var ending: Ending { Ending(result, log: log, types: [.fingerprint]) }
}

/// Why the sensor was not claimed: an obstacle to show to the person, or a failure of the state.
enum FingerRefusal: Error {
  case obstacle(FingerObstacle)
  case ending(Ending)

  /// The refusal as the end of a call.
  var ending: Ending {
    switch self {
    case .obstacle(let obstacle): obstacle.ending
    case .ending(let ending): ending
    }
  }
}

/// A message of uaf-finger.
enum FingerMessage: Equatable {
  case sensor(FingerSensor)
  case touch(FingerTouch)
  case end(FingerEnd)
}

/// Starts uaf-finger before the sandbox, if this call may use a fingerprint.
struct FingerSensorStart {
  let call: Call
  let policy: CallPolicy
  let accounts: AccountAccess
  let environment: SessionEnvironment

  /// The sensor of this call.
  ///
  /// It is not asked anything yet. A failure here is reported when the sensor is needed.
  func sensor() -> FingerSensorAccess {
    let name = name
    let (folder, owner) = (environment.printsFolder, environment.owner)
    guard mayUse, let name, let prints = EnrolledPrints(of: name, in: folder, owner: owner) else {
      return access(nil, hadPrints: false)
    }
    let hadPrints = prints.state() != .none
    let process = Result { () throws(Ending) in try environment.finger(prints.path) }
    return access(process, hadPrints: hadPrints)
  }

  private func access(_ process: Result<FingerProcess, Ending>?, hadPrints: Bool) -> FingerSensorAccess {
    FingerSensorAccess(
      process: process, printsFolder: environment.printsFolder, owner: environment.owner,
      isAtSeat: environment.isAtSeat, hadPrints: hadPrints)
  }

  /// Whether the sensor may be needed: the call asks for it, or a fingerprint is registered.
  private var mayUse: Bool {
    guard policy.enabledTypes.contains(.fingerprint), call.caller.origin == .local, environment.isAtSeat,
      !policy.hidesState
    else { return false }
    switch call.begin.operation {
    case .register, .status: return true
    case .authenticate: return call.begin.payload == nil && isRegistered
    default: return false
    }
  }

  /// A file that cannot be opened is reported when it is opened for the call.
  private var isRegistered: Bool {
    guard let uid = call.caller.uid, let directory = try? accounts.openState(),
      let account = try? accounts.open(uid, in: directory)
    else { return false }
    return (try? accounts.isEnrolled(account, .fingerprint)) == true
  }

  private var name: [UInt8]? { call.caller.name ?? call.caller.ownName }
}
