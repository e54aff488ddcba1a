/// The server's last answer for an account, which decides about a login without the server.
///
/// A value without input or output; the account's file keeps it under its mark. Only a success of this boot counts.
/// Only the wall clock could say how long the machine was off, and somebody who holds the machine can set it. Within a
/// boot `CLOCK_BOOTTIME` decides. The wall clock can only refuse: it shows a machine whose memory was restored from an
/// earlier moment.
public struct LastAnswer: Equatable, Sendable {
  /// A success, with its time and what it is valid for.
  struct Yes: Equatable, Sendable {
    /// When the server was asked for it.
    var asked: BootTime
    /// With which authenticators.
    var types: [AuthenticatorType]
    /// Under whose addresses and key: 32 bytes.
    var terms: [UInt8]
  }

  /// The success, unless the last answer was another one.
  var yes: Yes?
  /// How many answers were no success; a success that was asked for before one of them is not the last answer.
  public internal(set) var refusals: UInt64 = 0
  /// The latest wall time seen, in seconds since 1970; it never goes back.
  var latestWallSeconds = Int64.min

  /// No answer yet.
  public init() {}

  /// Notes a success.
  ///
  /// - Parameter refusals: ``refusals`` as it was before the server was asked.
  mutating func note(_ yes: Yes, since refusals: UInt64) {
    latestWallSeconds = max(latestWallSeconds, yes.asked.wallSeconds)
    guard refusals == self.refusals else { return }
    self.yes = yes
  }

  /// Takes note of any other answer.
  mutating func noteRefusal(at now: BootTime) {
    latestWallSeconds = max(latestWallSeconds, now.wallSeconds)
    yes = nil
    refusals &+= 1
  }

  /// Decides whether the last answer is still valid without the server, and notes the time.
  mutating func judge(
    at now: BootTime, maximumAge: Duration, opened: [AuthenticatorType], terms: [UInt8]
  ) -> OfflineJudgement {
    let latest = latestWallSeconds
    latestWallSeconds = max(latestWallSeconds, now.wallSeconds)
    guard let yes else { return .refused(.noYes) }
    guard yes.terms == terms else { return .refused(.otherTerms) }
    guard !yes.types.isEmpty, yes.types.allSatisfy(opened.contains) else { return .refused(.otherAuthenticator) }
    return OfflineJudgement(of: yes.asked, at: now, maximumAge: maximumAge, latestWallSeconds: latest)
  }
}
