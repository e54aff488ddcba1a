/// The parts of a line of the log, after the event, in their order.
///
/// pam_uaf(8) has the same list.
enum LogKey: String, CaseIterable {
  case result, name, pam
  case account, uid, service, origin, via, peer, tty, rhost
  case type, lock, seconds
  case offline, age
  case policy
  case unused
  case program, missing
  case tls
  case detail

  /// Whether the value is text for people, in quotes.
  var isQuoted: Bool { self == .detail }
}
