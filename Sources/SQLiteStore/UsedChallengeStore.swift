import GRDB
import UAFService

/// The table of challenges that were answered with success.
struct UsedChallengeStore: UsedChallenges {
  let db: Database

  func contains(_ hash: [UInt8]) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = ?)"),
      arguments: [hash.databaseBlob]) ?? false
  }

  /// Forgets challenges whose requests have expired.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - most: how many are forgotten at most, so that nobody waits long for it.
  func forget(expiredAt now: Int64, most: Int) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM usedChallenge
        WHERE hash IN (SELECT hash FROM usedChallenge WHERE expiresAt <= ? ORDER BY expiresAt LIMIT ?)
        """
    ).execute(arguments: [now, most])
  }
}
