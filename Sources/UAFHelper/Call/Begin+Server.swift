import ServiceNames
import UAFWire

extension Begin {
  /// Whether the operation may ask a server, if one is configured.
  var mayAskServer: Bool {
    switch operation {
    case .authenticate, .register, .deregister, .deregisterAll, .join, .leave, .repair, .checkIn: true
    case .reset: payload != nil
    case .account: !isUnattended
    case .change, .status, .unlock, .initialise, .forget, .rename, .trust, .seal, .unseal, .recover: false
    }
  }

  /// Whether nobody waits for the answer: a service that runs by itself, or root's host that shows nothing and has no terminal.
  ///
  /// Such a call never goes to the network: jobs of a thousand accounts may begin in the same second.
  ///
  /// Whoever calls sudo may leave the terminal out, and sudo says PAM_SILENT in its account stage. So a host that somebody but
  /// root called is never one that nobody waits for: a disabled person could keep the machine from hearing of it.
  var isUnattended: Bool {
    let name = service.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    if ServiceFamily.unattended.contains(name) { return true }
    return callerUID ?? 0 == 0 && pamFlags & Self.silent != 0 && tty?.isEmpty ?? true
  }

  /// PAM_SILENT.
  private static let silent: UInt32 = 0x8000
}
