import Authenticator
import FidoResults
import UAFConfiguration
import UAFWire

/// The machine's sensor in one call: whether this call may use it, and the program that speaks with it.
struct FingerSensorAccess {
  /// uaf-finger, or why it is not there; nil if this call does not need it.
  let process: Result<FingerProcess, Ending>?
  /// Where the fingerprint service stores prints, and who has to own them.
  let printsFolder: String
  let owner: UInt32
  /// Whether it is proved that the person sits at this machine.
  let isAtSeat: Bool
  /// Whether the person had stored prints before the sandbox was entered.
  ///
  /// Afterwards a missing folder cannot be told from a closed one.
  let hadPrints: Bool

  /// No sensor.
  static var none: FingerSensorAccess {
    FingerSensorAccess(process: nil, printsFolder: EnrolledPrints.folder, owner: 0, isAtSeat: true, hadPrints: false)
  }

  /// Why this call cannot use the sensor, whatever its state; nil if it can.
  func obstacle(_ call: Call, _ policy: CallPolicy, isBoundToChip: Bool) -> FingerObstacle? {
    guard call.caller.origin == .local, isAtSeat, !policy.hidesState else {
      return FingerObstacle(
        .biometryInvalidContext, log: "not proved to be at the machine, for another account, or with hidden states")
    }
    guard isBoundToChip || !policy.configuration.biometric.requiresChip else {
      return FingerObstacle(
        .biometryNotAvailable, log: "the device key is not bound to a chip, and biometric.require_tpm is not false")
    }
    if case .failure(let ending) = process { return FingerObstacle(.biometryNotAvailable, log: ending.log) }
    return process == nil ? FingerObstacle(.biometryUnknown, log: "uaf-finger was not started") : nil
  }

  /// Asks how the sensor is, without claiming it; nil if it can be used for the account.
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

  /// Claims the sensor, and begins the first comparison.
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
      // After a time-out it may be claimed all the same.
      process.stop()
      throw .obstacle(obstacle)
    }
    let settings = policy.configuration.biometric
    return FingerWatch(
      process, for: account, (tries: settings.maximumTries, wait: settings.timeout), now: now, count: count,
      readPrints: { prints(of: name) ?? .none })
  }
}
