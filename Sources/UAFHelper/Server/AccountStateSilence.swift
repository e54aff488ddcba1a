/// Why the server said nothing of an account's state; the person never reads it.
enum AccountStateSilence: Error {
  /// It was not asked, or not heard, or what came is not believed.
  case notHeard(String)
  /// It has answered that it does not know this machine for the account.
  case machineUnknown(String)

  /// What the log says.
  var log: String {
    switch self {
    case .notHeard(let log), .machineUnknown(let log): log
    }
  }
}
