import GRDB
import UAFMessages
import UAFService

extension KeyRecord {
  /// Reads a row of the table of keys.
  ///
  /// - Throws: what an AAID or a KeyID cannot be made of.
  init(row: Row) throws {
    let revocation = (row["revokedAt"] as Int64?).map {
      Revocation(time: $0, by: row["revokedBy"] ?? "", reason: row["revokedReason"] ?? "")
    }
    self.init(
      username: row["username"], aaid: try AAID(row["aaid"] as String),
      keyID: try KeyID(bytes: [UInt8](databaseBlob: row["keyID"])),
      authenticatorVersion: UInt16(clamping: row["authenticatorVersion"] as Int64),
      signCounter: UInt32(clamping: row["signCounter"] as Int64), deviceID: row["deviceID"],
      deviceName: row["deviceName"],
      registeredAt: row["registeredAt"], lastUsedAt: row["lastUsedAt"], revocation: revocation,
      origin: KeyOrigin(issuedBy: row["issuedBy"], vouchedBy: row["vouchedBy"]))
  }
}
