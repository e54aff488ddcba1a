import Authenticator
import FidoResults
import UAFWire

/// Starts uaf-finger before the sandbox, where this call may use a fingerprint.
struct FingerSensorStart {
  let call: Call
  let policy: CallPolicy
  let accounts: AccountAccess
  let surroundings: SessionSurroundings

  /// The sensor of this call.
  ///
  /// Nothing is asked of it yet. What fails here is told once the sensor is needed.
  func sensor() -> FingerSensorAccess {
    let name = name
    let (folder, owner) = (surroundings.printsFolder, surroundings.owner)
    guard mayUse, let name, let prints = EnrolledPrints(of: name, in: folder, owner: owner) else {
      return access(nil, hadPrints: false)
    }
    let hadPrints = prints.state() != .none
    let process = Result { () throws(Ending) in try surroundings.finger(prints.path) }
    return access(process, hadPrints: hadPrints)
  }

  private func access(_ process: Result<FingerProcess, Ending>?, hadPrints: Bool) -> FingerSensorAccess {
    FingerSensorAccess(
      process: process, printsFolder: surroundings.printsFolder, owner: surroundings.owner,
      isAtSeat: surroundings.isAtSeat, hadPrints: hadPrints)
  }

  /// Whether the sensor may be needed: it is asked for, or a fingerprint is registered.
  private var mayUse: Bool {
    guard policy.enabledTypes.contains(.fingerprint), call.caller.origin == .local, surroundings.isAtSeat,
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
