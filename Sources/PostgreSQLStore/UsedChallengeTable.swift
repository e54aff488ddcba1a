import UAFService

/// The table of challenges that were answered with success.
struct UsedChallengeTable: UsedChallenges {
  /// The most that are forgotten at once, so that nobody waits long for it.
  private static let mostForgotten: Int64 = 4096

  /// By how many seconds the clocks of two instances may differ: what one has issued may be good at another for so much longer.
  static let clocksApart: Int64 = 900

  /// Until when a challenge is kept, as SQL.
  ///
  /// That is its request's expiry by an instance's clock, but no less than a request's lifetime by the database's clock,
  /// which is the same for all.
  static let keptUntil =
    "greatest(expiresAt, extract(epoch FROM clock_timestamp())::bigint + \(IssuedRequest.lifetime)) + \(clocksApart)"

  let connection: Connection

  func contains(_ challenge: IssuedChallenge) throws -> Bool {
    // A row has `keptUntil` in place of its challenge's own expiry, so it is found by the hash.
    try connection.execute("SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = $1)", [.bytes(challenge.hash)])
      .first?.boolean(0) == true
  }

  /// Those of some challenges that were answered with success.
  func used(among hashes: [[UInt8]]) throws -> Set<[UInt8]> {
    let rows = try connection.execute("SELECT hash FROM usedChallenge WHERE hash = ANY ($1)", [.byteStrings(hashes)])
      .rows
    return Set(try rows.map { try $0.requiredBytes(0) })
  }

  /// Forgets challenges whose requests have expired, but none that another instance is forgetting.
  ///
  /// The database's clock decides: an instance whose clock is fast would forget what others still accept.
  func forgetExpired() throws {
    try connection.execute(
      """
      DELETE FROM usedChallenge WHERE hash IN (
        SELECT hash FROM usedChallenge WHERE expiresAt <= extract(epoch FROM clock_timestamp())::bigint
        ORDER BY expiresAt LIMIT $1 FOR UPDATE SKIP LOCKED)
      """, [.integer(Self.mostForgotten)])
  }
}
