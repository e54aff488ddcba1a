import UAFMessages
import UAFService

extension KeyRecord {
  /// The columns that ``init(row:)`` reads, in their order.
  static let columns = """
    username, aaid, keyID, authenticatorVersion, signCounter, deviceID, deviceName, registeredAt, lastUsedAt, revokedAt,
    revokedBy, revokedReason, issuedBy, vouchedBy
    """

  /// Reads a row of the table of keys.
  ///
  /// - Throws: ``PostgreSQLError/unreadable``; what an AAID or a KeyID cannot be made of.
  init(row: QueryRow) throws {
    var revocation: Revocation?
    if let time = try row.optionalInteger(9) {
      revocation = Revocation(time: time, by: try row.optionalText(10) ?? "", reason: try row.optionalText(11) ?? "")
    }
    self.init(
      username: try row.text(0), aaid: try AAID(row.text(1)), keyID: try KeyID(bytes: row.requiredBytes(2)),
      authenticatorVersion: try row.integer(3, as: UInt16.self), signCounter: try row.integer(4, as: UInt32.self),
      deviceID: try row.optionalText(5), deviceName: try row.optionalText(6), registeredAt: try row.integer(7),
      lastUsedAt: try row.optionalInteger(8),
      revocation: revocation,
      origin: KeyOrigin(issuedBy: try row.optionalText(12), vouchedBy: try row.optionalText(13)))
  }
}
