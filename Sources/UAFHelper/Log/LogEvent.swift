import UAFWire

/// What a line of the log is about: the value of its first part.
///
/// pam_uaf(8) has the same list.
enum LogEvent: String, CaseIterable {
  // How a call ended: one line for each, with a result.
  case authenticate, change, register, deregister, deregisterAll, status, unlock, reset, initialise, forget, trust
  case seal, unseal, recover, account, join, leave, repair, checkIn, rename

  // What happened beside that, in lines of their own.

  /// A wrong entry has locked an authenticator.
  case lock
  /// An attempt was refused because of a lock.
  case locked
  /// A lock that had run out was noticed.
  case unlocked
  /// Every lock was ended by an unlock of the server's helpdesk.
  case helpdesk
  /// A file of the state is damaged, edited, or of another account.
  case damaged
  /// The configuration, or an argument of the module, is wrong.
  case configuration
  /// A peer was turned away, or asked for what it may not ask for.
  case peer
  /// A changed lock policy waits (3015).
  case policy
  /// The server's policy for this workstation was taken or refused, has expired, or is not in force.
  case serverPolicy
  /// A text that waited at the server was denied.
  case approval
  /// Keys were removed, forgotten by the server, or made anew.
  case keys
  /// A text that the server had added was confirmed, and the server accepted that.
  case confirmed
  /// Something of the state could not be read or written, and the call went on.
  case state
  /// The front end broke the protocol, or went away.
  case conversation
  /// Where the device key lies was changed.
  case binding
  /// Part of the sandbox is missing.
  case sandbox
  /// A fingerprint could not be used, or other enrolled prints were accepted.
  case fingerprint
  /// Memory could not be locked.
  case memory
  /// A record for the kernel's audit could not be written.
  case audit
  /// The program was started in a way it cannot work in.
  case start

  /// The end of a call of this operation.
  init(_ operation: Operation) {
    self =
      switch operation {
      case .authenticate: .authenticate
      case .change: .change
      case .register: .register
      case .deregister: .deregister
      case .deregisterAll: .deregisterAll
      case .status: .status
      case .unlock: .unlock
      case .reset: .reset
      case .initialise: .initialise
      case .forget: .forget
      case .trust: .trust
      case .seal: .seal
      case .unseal: .unseal
      case .recover: .recover
      case .account: .account
      case .join: .join
      case .leave: .leave
      case .repair: .repair
      case .checkIn: .checkIn
      case .rename: .rename
      }
  }
}
