import UAFCrypto
import UAFMessages

extension ReportedLock {
  /// A lock, as a machine that has joined reports it with a secret.
  ///
  /// - Parameter secret: the account's secret, if the lock should be valid.
  static func made(
    of account: String, _ origin: Origin = .local, until: Int64? = nil, on joined: MachineSecret,
    by secret: MachineSecret
  ) throws -> ReportedLock {
    var lock = ReportedLock(account: account, type: "passcode", origin: origin, until: until)
    lock.code = try HMACSHA256.authenticate(
      lock.authenticated(on: joined.machineID), keyInOrdinaryMemory: secret.secret)
    return lock
  }
}
