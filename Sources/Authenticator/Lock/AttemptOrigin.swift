/// Where an attempt comes from.
///
/// Counters are split only by this, and only a host with root says it.
public enum AttemptOrigin: UInt8, CaseIterable, Sendable {
  case local = 1
  case remote = 2
  /// Another local account: somebody at su, or at sudo if it asks for the target's password.
  case otherUser = 3
}
