import Authenticator

/// Whether a machine checks in after a login.
struct CheckInRule {
  /// A machine checks in after so many seconds, whatever has happened.
  static let interval: Int64 = 3600
  /// For so many seconds after a report that the server has not answered, none is sent.
  static let pause: Int64 = 300

  /// What the machine has told before.
  let record: CheckInRecord
  /// The number of the server's news, as it came with the login; nil for none.
  let news: Int64?
  /// Seconds since 1970.
  let now: Int64

  /// Whether no report may be sent yet.
  ///
  /// A clock that was set back ends the wait.
  var isTooSoon: Bool { record.sentAt.map { (0..<Self.pause).contains(now &- $0) } ?? false }

  /// Whether a report is due whatever it says.
  ///
  /// - Parameter hasLogins: whether there are logins without the server to tell.
  func isDue(hasLogins: Bool) -> Bool {
    guard let told = record.told else { return true }
    let isRecent = (0..<Self.interval).contains(now &- told.at)
    return !isRecent || hasLogins || news != nil && news != told.news
  }

  /// Whether a report is due because it says something else than the last one.
  ///
  /// - Parameter hash: that of the report.
  func isDue(hash: [UInt8]) -> Bool { record.told?.hash != hash }
}
