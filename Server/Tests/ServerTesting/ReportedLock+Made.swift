import UAFCrypto
import UAFMessages

extension ReportedAttempts {
  /// Wrong values as a machine reports them: with the code made by the account's secret.
  static func made(
    of account: String, count: Int, on joined: MachineSecret, by secret: MachineSecret
  ) throws -> ReportedAttempts {
    var attempts = ReportedAttempts(account: account, type: "passcode", origin: .remote, count: count)
    attempts.code = try HMACSHA256.authenticate(
      attempts.authenticated(on: joined.machineID), keyInOrdinaryMemory: secret.secret)
    return attempts
  }
}

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
