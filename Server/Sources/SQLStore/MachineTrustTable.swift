import UAFMessages
import UAFService

/// The tables of what machines know, and of the authorities that are announced to them.
struct MachineTrustTable<Connection: SQLConnection>: MachineTrusts {
  let connection: Connection

  func note(_ trust: KnownTrust?, of device: String) throws {
    guard let trust else {
      try connection.run("DELETE FROM machineTrust WHERE deviceID = ?1", [.text(device)])
      return
    }
    try connection.run(
      """
      INSERT INTO machineTrust (deviceID, verdictKeys, authorities) VALUES (?1, ?2, ?3)
      ON CONFLICT (deviceID) DO UPDATE SET verdictKeys = excluded.verdictKeys, authorities = excluded.authorities
      """, [.text(device), .text(Self.list(trust.verdictKeys)), .text(Self.list(trust.authorities))])
  }

  func known(by device: String) throws -> KnownTrust? {
    try connection.row("SELECT verdictKeys, authorities FROM machineTrust WHERE deviceID = ?1", [.text(device)]) {
      KnownTrust(verdictKeys: Self.names(try $0.text(0)), authorities: Self.names(try $0.text(1)))
    }
  }

  func lacking(_ anchor: TrustAnchor, since: Int64, after id: String, limit: Int) throws -> [LackingMachine] {
    try connection.rows(
      """
      SELECT j.deviceID, j.deviceName \(Self.lacking(anchor)) AND j.deviceID > ?3 ORDER BY j.deviceID LIMIT ?4
      """, [.text(Self.pattern(anchor)), .integer(since), .text(id), .integer(limit)]
    ) { LackingMachine(id: try $0.text(0), name: try $0.optionalText(1)) }
  }

  func countLacking(_ anchor: TrustAnchor, since: Int64, upTo most: Int) throws -> Int {
    try connection.requiredRow(
      "SELECT count(*) FROM (SELECT j.deviceID \(Self.lacking(anchor)) LIMIT ?3) AS found",
      [.text(Self.pattern(anchor)), .integer(since), .integer(Int64(most))]
    ) { try $0.integer(0, as: Int.self) }
  }

  func countLearningNone(since: Int64, upTo most: Int) throws -> Int {
    try connection.requiredRow(
      """
      SELECT count(*) FROM (SELECT j.deviceID FROM joinedMachine j JOIN machineTrust t ON t.deviceID = j.deviceID
        WHERE t.authorities = ?1 AND \(Self.counts) LIMIT ?3) AS found
      """, [.text(Self.list([])), .integer(since), .integer(Int64(most))]
    ) { try $0.integer(0, as: Int.self) }
  }

  /// SQL for the machines that lack something: `?1` is the pattern of a list that has it, `?2` the time since which a machine
  /// counts.
  private static func lacking(_ anchor: TrustAnchor) -> String {
    let lacks =
      switch anchor {
      case .verdictKey: "t.verdictKeys NOT LIKE ?1"
      case .authority: "t.authorities NOT LIKE ?1 AND t.authorities <> '\(list([]))'"
      }
    return """
      FROM joinedMachine j LEFT JOIN machineTrust t ON t.deviceID = j.deviceID
      WHERE (t.deviceID IS NULL OR \(lacks)) AND \(counts)
      """
  }

  /// SQL for the machines that count; `?2` is the time since which a machine must have been seen.
  private static var counts: String {
    """
    j.leftAt IS NULL AND j.revokedAt IS NULL AND (j.joinedAt >= ?2 OR j.lastContactAt >= ?2 OR EXISTS (
      SELECT 1 FROM credential c WHERE c.deviceID\(Connection.byBytes) = j.deviceID AND c.lastUsedAt >= ?2))
    """
  }

  // Names are hexadecimal digits. Each is between two spaces, so that a pattern finds only whole names; a list without names is
  // one space.
  private static func list(_ names: [String]) -> String { names.map { " \($0)" }.joined() + " " }
  private static func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
  private static func pattern(_ anchor: TrustAnchor) -> String { "% \(anchor.name) %" }

  // MARK: Announced authorities

  func announce(_ authority: AnnouncedAuthority) throws {
    try connection.run(
      """
      INSERT INTO announcedAuthority (fingerprint, certificate, announcedBy, announcedAt, usedFrom)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (fingerprint) DO UPDATE SET announcedBy = excluded.announcedBy,
        announcedAt = excluded.announcedAt, usedFrom = excluded.usedFrom, endedAt = NULL
      """,
      [
        .text(authority.fingerprint), .bytes(authority.certificate), .text(authority.announcedBy),
        .integer(authority.announcedAt), .integer(authority.usedFrom),
      ])
  }

  func authorities() throws -> [AnnouncedAuthority] {
    try connection.rows(
      """
      SELECT fingerprint, certificate, announcedBy, announcedAt, usedFrom, endedAt FROM announcedAuthority
      ORDER BY announcedAt, fingerprint
      """
    ) {
      AnnouncedAuthority(
        fingerprint: try $0.text(0), certificate: try $0.requiredBytes(1), announcedBy: try $0.text(2),
        announcedAt: try $0.integer(3), usedFrom: try $0.integer(4), endedAt: try $0.optionalInteger(5))
    }
  }

  func use(_ fingerprint: String, from time: Int64) throws -> Bool {
    try connection.run(
      "UPDATE announcedAuthority SET usedFrom = ?1 WHERE fingerprint = ?2 AND endedAt IS NULL",
      [.integer(time), .text(fingerprint)]) == 1
  }

  func end(_ fingerprint: String, now: Int64) throws -> Bool {
    try connection.run(
      "UPDATE announcedAuthority SET endedAt = ?1 WHERE fingerprint = ?2 AND endedAt IS NULL",
      [.integer(now), .text(fingerprint)]) == 1
  }
}
