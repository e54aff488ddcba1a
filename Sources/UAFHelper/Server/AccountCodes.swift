import Authenticator
import UAFCrypto
import UAFMessages

/// Codes that show the server that an account's key is on the machine that reports.
///
/// They need the account's secret, which the server gave with that key, and name the machine as it has joined.
struct AccountCodes {
  private let secret: [UInt8]?
  private let machineID: [UInt8]

  init(of account: AccountFile, on joined: JoinRecord) {
    let record = try? MachineRecord.of(account)
    // Of another server it would show nothing here.
    secret = record.flatMap { $0.place == joined.machine.place ? $0.secret : nil }
    machineID = joined.machine.machineID
  }

  /// nil if the server has given no secret for the account.
  func code(of note: OfflineLoginNote) -> [UInt8]? { code(over: note.authenticated(on: machineID)) }

  /// nil if the server has given no secret for the account.
  func code(of lock: ReportedLock) -> [UInt8]? { code(over: lock.authenticated(on: machineID)) }

  private func code(over message: [UInt8]) -> [UInt8]? {
    secret.flatMap { try? HMACSHA256.authenticate(message, keyInOrdinaryMemory: $0) }
  }
}
