import UAFCrypto

@testable import UAFService

extension TestDatabase {
  /// Adds keys of accounts and models to the store of a ``TestServer``, without registering them.
  func addKeys(_ keys: [(username: String, aaid: String)], length: Int = 32) async throws {
    let (zero, appID) = (literal([0]), ServerIdentity.appID(of: TestServer.publicURL))
    let rows = try keys.map { username, aaid in
      let keyID = literal(try RandomBytes.make(length))
      return "('\(username)', '\(appID)', '\(aaid)', \(keyID), \(zero), 1, 256, 1, 1, 0)"
    }
    try await execute(
      """
      INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
        signCounter, regCounter, registeredAt) VALUES \(rows.joined(separator: ","))
      """)
  }
}
