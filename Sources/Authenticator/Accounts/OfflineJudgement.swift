/// Whether the server's last answer is valid without the server.
public enum OfflineJudgement: Equatable, Sendable {
  /// It was a success, so long ago.
  case holds(age: Duration)
  /// It does not.
  case refused(Reason)

  /// Why it does not; for the log, never for the person.
  public enum Reason: Equatable, Sendable {
    /// The last answer was no success, or there was none since the secret was set.
    case noYes
    /// The server's addresses or its verdict key have changed.
    case otherTerms
    /// It was given for other authenticators, or for more of them.
    case otherAuthenticator
    /// It was given before the machine was started.
    case otherBoot
    /// A clock shows less than it has shown before.
    case clockSetBack
    /// It is too old.
    case tooOld
  }

  /// Judges the age of what the server was asked for, by this machine's clocks.
  ///
  /// - Parameter latestWallSeconds: the latest wall time that was ever seen before, in seconds since 1970.
  init(of asked: BootTime, at now: BootTime, maximumAge: Duration, latestWallSeconds: Int64) {
    self = Self.judge(asked, now, maximumAge, latestWallSeconds)
  }

  private static func judge(
    _ asked: BootTime, _ now: BootTime, _ maximumAge: Duration, _ latestWallSeconds: Int64
  ) -> OfflineJudgement {
    guard asked.bootID == now.bootID else { return .refused(.otherBoot) }
    guard now.wallSeconds >= latestWallSeconds else { return .refused(.clockSetBack) }
    let (age, overflow) = now.nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    guard !overflow, age >= 0 else { return .refused(.clockSetBack) }
    let (wallAge, wallOverflow) = now.wallSeconds.subtractingReportingOverflow(asked.wallSeconds)
    guard age < maximumAge.wholeNanoseconds, !wallOverflow, wallAge < maximumAge.components.seconds else {
      return .refused(.tooOld)
    }
    return .holds(age: .nanoseconds(age))
  }
}

extension OfflineJudgement.Reason: CustomStringConvertible {
  /// What the log says.
  public var description: String {
    switch self {
    case .noYes: "the server's last answer was no yes"
    case .otherTerms: "the server's last answer came from other addresses, or was signed with another key"
    case .otherAuthenticator: "the server's last answer was for another authenticator, or for several"
    case .otherBoot: "the server has not answered since the machine was started"
    case .clockSetBack: "a clock shows less than it did before"
    case .tooOld: "the server's last answer is too old"
    }
  }
}
