/// What became of a policy that the server has sent.
enum PolicyIntake: Equatable {
  /// It is kept, and counts from the next call on.
  case kept(version: Int64)
  /// It is not kept, and what counted before counts on; why, for the log.
  case refused(String)
}
