import UAFService

/// The table of challenges that were answered with success.
struct UsedChallengeTable: UsedChallenges {
  /// The most that are forgotten at once, so that nobody waits long for it.
  private static let mostForgotten: Int64 = 4096

  let connection: Connection

  func contains(_ hash: [UInt8]) throws -> Bool {
    try connection.execute("SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = $1)", [.bytes(hash)])
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
  /// - Parameter now: seconds since 1970.
  func forget(expiredAt now: Int64) throws {
    try connection.execute(
      """
      DELETE FROM usedChallenge WHERE hash IN (
        SELECT hash FROM usedChallenge WHERE expiresAt <= $1 ORDER BY expiresAt LIMIT $2 FOR UPDATE SKIP LOCKED)
      """, [.integer(now), .integer(Self.mostForgotten)])
  }
}
