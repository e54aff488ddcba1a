/// The numbers of attempts, which order them.
enum AttemptTicket {
  /// A record keeps this many bits of a number.
  static let bits = 48
}
