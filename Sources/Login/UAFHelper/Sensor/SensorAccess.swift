import AuthenticatorTypes
import Authenticator
import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFConfiguration
import UAFWire

/// A service of this machine that compares people with what they have enrolled.
struct SensorService: Equatable {
  /// The type of the authenticators that its matches open.
  let type: AuthenticatorType
  /// Its name on the system bus; nil for fprintd.
  let busName: String?
  /// The folder in which it stores what people have enrolled; nil if that is not known.
  let folder: String?
}

/// The machine's sensors in one call: whether this call may use them, and the program that talks to their services.
struct SensorAccess {
  /// uaf-finger, or why it could not be started; nil if this call does not need it.
  let process: Result<FingerProcess, Ending>?
  /// The services of this machine.
  let services: [SensorService]
  /// The uid that must own what the services store.
  let owner: UInt32
  /// Whether it is proved that the person sits at this machine.
  let isAtSeat: Bool
  /// The types for which the person had something stored before the sandbox was entered.
  ///
  /// In the sandbox, a missing folder cannot be distinguished from one that the sandbox does not let the core open.
  let stored: Set<AuthenticatorType>

  /// The access of a call that does not use a sensor.
  static var none: SensorAccess {
    SensorAccess(process: nil, services: [], owner: 0, isAtSeat: true, stored: [])
  }

  /// The service of a type; nil if this machine has none.
  func service(of type: AuthenticatorType) -> SensorService? { services.first { $0.type == type } }

  /// Why this call must not use the sensor of a type, regardless of the sensor's state; nil if it may.
  func obstacle(
    to type: AuthenticatorType, _ call: Call, _ policy: CallPolicy, isBoundToChip: Bool
  ) -> SensorObstacle? {
    guard call.caller.origin == .local, isAtSeat, !policy.hidesState else {
      return SensorObstacle(
        type, .biometryInvalidContext,
        log: "there is no proof that the person is at the machine, the account is a different one, or states are hidden"
      )
    }
    guard isBoundToChip || !policy.configuration.biometric.requiresChip else {
      return SensorObstacle(
        type, .biometryNotAvailable,
        log: "the device key is not bound to a chip, and biometric.require_tpm is not false")
    }
    guard service(of: type) != nil else {
      return SensorObstacle(type, .biometryNotSupported, log: "\(type.rawValue).bus_name names no service")
    }
    if case .failure(let ending) = process {
      return SensorObstacle(type, .biometryNotAvailable, log: ending.log)
    }
    return process == nil ? SensorObstacle(type, .biometryUnknown, log: "uaf-finger was not started") : nil
  }

  /// Asks uaf-finger for the sensor's state, without claiming the sensor.
  ///
  /// Returns nil if the sensor can be used for the account.
  func look(for name: [UInt8], _ type: AuthenticatorType) -> SensorObstacle? {
    guard let process = try? process?.get() else {
      return SensorObstacle(type, .biometryUnknown, log: "uaf-finger was not started")
    }
    return SensorObstacle(
      type,
      process.sensor(
        .look, of: String(decoding: name, as: UTF8.self), at: service(of: type)?.busName))
  }

  /// What the person has stored at the service of a type; nil if the account's name cannot be the name of a folder.
  func prints(of name: [UInt8], _ type: AuthenticatorType) -> EnrolledPrints.State? {
    guard let folder = service(of: type)?.folder, stored.contains(type) else { return EnrolledPrints.State.none }
    return EnrolledPrints(of: name, in: folder, owner: owner)?.state()
  }

  /// Claims the sensor, and starts the first comparison.
  ///
  /// - Parameter count: counts a touch that did not match, and returns whether that caused a lock.
  /// - Throws: ``SensorRefusal``.
  func claim(
    _ type: AuthenticatorType, for name: [UInt8], _ policy: CallPolicy, now: @escaping () -> BootTime,
    count: @escaping () throws(Ending) -> Bool
  ) throws(SensorRefusal) -> FingerWatch {
    let process: FingerProcess
    do throws(Ending) {
      guard let started = try self.process?.get() else {
        throw Ending(.biometryUnknown, log: "uaf-finger was not started")
      }
      process = started
    } catch { throw .ending(error) }
    let account = String(decoding: name, as: UTF8.self)
    let service = service(of: type)?.busName
    if let obstacle = SensorObstacle(type, process.sensor(.compare, of: account, at: service)) {
      // If the answer came too late, the sensor may be claimed anyway, so it is released.
      process.stop()
      throw .obstacle(obstacle)
    }
    let settings = policy.configuration.biometric
    return FingerWatch(
      process, type, for: account, at: service, (tries: settings.maximumTries, wait: settings.timeout), now: now,
      count: count,
      readPrints: { prints(of: name, type) ?? .none })
  }
}

/// A running uaf-finger: one process for the whole call.
@safe final class FingerProcess {
  private let socket: PacketSocket
  private var buffer: Secret

  /// How long to wait for the first answer.
  ///
  /// The fingerprint service may first have to be started.
  private static let answerMilliseconds: Int32 = 8000

  /// Starts `program`.
  ///
  /// It does not talk to the fingerprint service before it gets a request.
  ///
  /// - Throws: ``Ending`` if the program is missing or cannot be started.
  convenience init(_ program: String) throws(Ending) {
    do {
      let ends = try PacketSocket.pair()
      defer { close(ends.theirs) }
      try self.init(over: try PacketSocket(takingOver: ends.mine))
      _ = try ChildProcess(starting: program, socket: ends.theirs)
    } catch { throw Ending(.clientMismatch, log: "uaf-finger: \(error)") }
  }

  /// Uses the program at the other end of this socket.
  ///
  /// - Throws: `SecretMemoryError`.
  init(over socket: consuming PacketSocket) throws(SecretMemoryError) {
    self.socket = socket
    buffer = try Secret(capacity: WireLimit.packet + 1)
  }

  /// Requests the sensor's state or the first comparison, and waits for the report about the sensor.
  ///
  /// If the program gives no answer, a report of a failure is returned.
  /// - Parameter service: the service's name on the system bus; nil for fprintd.
  func sensor(_ wish: FingerAsk.Wish, of account: String, at service: String?) -> FingerSensor {
    do throws(PacketSocketError) {
      try ask(FingerAsk(wish, account: account, service: service))
      // Messages about an earlier comparison may come first; they are skipped.
      while true {
        if case .sensor(let sensor) = try receive(timeoutMilliseconds: Self.answerMilliseconds) { return sensor }
      }
    } catch { return FingerSensor(.failed, detail: "uaf-finger: \(error)") }
  }

  /// Requests a further comparison.
  ///
  /// - Throws: `PacketSocketError`.
  func compareAgain(for account: String, at service: String?) throws(PacketSocketError) {
    try ask(FingerAsk(.compare, account: account, service: service))
  }

  /// Releases the sensor; if the program is gone, the sensor has been released already.
  func stop() {
    guard let packet = try? FingerAsk.stop() else { return }
    try? socket.send(packet)
  }

  /// Waits for a message of the program or a packet at another socket.
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

  private func ask(_ request: FingerAsk) throws(PacketSocketError) {
    let packet: [UInt8]
    do throws(PacketError) { packet = try request.packet() } catch { throw .malformed(error) }
    try socket.send(packet)
  }
}

/// Why an authenticator with a sensor cannot be used, or was not opened.
struct SensorObstacle: Equatable {
  /// The authenticator's type.
  let type: AuthenticatorType
  let result: FidoResult
  /// The text for the log.
  let log: String

  init(_ type: AuthenticatorType, _ result: FidoResult, log: String) {
    self.type = type
    self.result = result
    self.log = log
  }

  /// The obstacle that the sensor's state means; nil if the sensor can be used.
  init?(_ type: AuthenticatorType, _ sensor: FingerSensor) {
    let result: FidoResult
    switch sensor.state {
    case .ready: return nil
    case .noService, .noSensor: result = .biometryNotSupported
    case .busy, .denied: result = .biometryNotAvailable
    case .notEnrolled: result = .biometryNotRegistered
    case .untrusted, .failed: result = .biometryUnknown
    }
    self.init(type, result, log: "the sensor: \(sensor.state)" + (sensor.detail.map { " (\($0))" } ?? ""))
  }

  /// The obstacle that the end of a wait means; nil for a match.
  init?(_ type: AuthenticatorType, _ outcome: FingerMachine.Outcome?) {
    switch outcome {
    case .matched: return nil
    case .exhausted, .timedOut: self.init(type, .biometryAuthenticationFailed, log: "no touch matched")
    case .locked: self.init(type, .biometryLocked, log: "no touch matched; now locked")
    case .failed(.sensorGone): self.init(type, .biometryNotAvailable, log: "the sensor was unplugged")
    case .failed(let cause):
      self.init(type, .biometryUnknown, log: "the sensor: " + (cause.map { "\($0)" } ?? "uaf-finger broke off"))
    case nil: self.init(type, .biometryUnknown, log: "the sensor still waits")
    }
  }

  /// The obstacle that an ending of the same call states.
  init(_ type: AuthenticatorType, _ ending: Ending) { self.init(type, ending.result, log: ending.log) }

  /// The ending of a call because of this obstacle.
  var ending: Ending { Ending(result, text: text, log: log, types: [type]) }

  /// The text for the person; nil for that of the result.
  ///
  /// A fingerprint is accepted again after the passcode, a face only after it was registered again.
  var text: PromptText? { type == .face && result == .biometryChanged ? .faceChanged : nil }

  /// The text for the person.
  func shown(in language: Language) -> String { text?.text(in: language) ?? result.text(in: language) }
}

/// Why the sensor was not claimed: an obstacle to show to the person, or a failure of the state.
enum SensorRefusal: Error {
  case obstacle(SensorObstacle)
  case ending(Ending)

  /// The ending of a call because of this refusal.
  var ending: Ending {
    switch self {
    case .obstacle(let obstacle): obstacle.ending
    case .ending(let ending): ending
    }
  }
}

/// A message from uaf-finger.
enum FingerMessage: Equatable {
  case sensor(FingerSensor)
  case touch(FingerTouch)
  case end(FingerEnd)
}

/// Starts uaf-finger before the core enters its sandbox, if this call may use a sensor.
struct SensorStart {
  let call: Call
  let policy: CallPolicy
  let accounts: AccountAccess
  let environment: SessionEnvironment

  /// The sensors of this call.
  ///
  /// No request is sent to them yet. If something fails here, that is reported when a sensor is needed.
  func sensor() -> SensorAccess {
    let used = services.filter { mayUse($0.type) }
    guard let name else { return access(nil, stored: []) }
    let places = used.compactMap { service in
      service.folder.flatMap { EnrolledPrints(of: name, in: $0, owner: environment.owner) }.map { (service.type, $0) }
    }
    guard !used.isEmpty, EnrolledPrints.isNameOfFolder(name) else { return access(nil, stored: []) }
    let stored = places.filter { $0.1.state() != .none }.map(\.0)
    let process = Result { () throws(Ending) in try environment.finger(places.map(\.1.path)) }
    return access(process, stored: Set(stored))
  }

  /// The services of this machine, in the order of the types.
  private var services: [SensorService] {
    let fprintd = SensorService(type: .fingerprint, busName: nil, folder: environment.printsFolder)
    let settings = policy.configuration.face
    let face = settings.busName.map { SensorService(type: .face, busName: $0, folder: settings.templates) }
    return [fprintd] + [face].compactMap(\.self)
  }

  private func access(_ process: Result<FingerProcess, Ending>?, stored: Set<AuthenticatorType>) -> SensorAccess {
    SensorAccess(
      process: process, services: services, owner: environment.owner, isAtSeat: environment.isAtSeat, stored: stored)
  }

  /// Whether this call may need the sensor of a type: the call may register one, or one is registered.
  private func mayUse(_ type: AuthenticatorType) -> Bool {
    guard policy.enabledTypes.contains(type), call.caller.origin == .local, environment.isAtSeat, !policy.hidesState
    else { return false }
    switch call.begin.operation {
    case .register, .status: return true
    case .authenticate: return call.begin.payload == nil && isRegistered(type)
    default: return false
    }
  }

  /// Whether an authenticator of a type is registered.
  ///
  /// If the account's file cannot be opened, that is reported later, when the call opens it.
  private func isRegistered(_ type: AuthenticatorType) -> Bool {
    guard let uid = call.caller.uid, let directory = try? accounts.openState(),
      let account = try? accounts.open(uid, in: directory)
    else { return false }
    return (try? accounts.isEnrolled(account, type)) == true
  }

  private var name: [UInt8]? { call.caller.name ?? call.caller.ownName }
}
