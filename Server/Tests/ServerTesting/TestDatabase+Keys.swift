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

extension TestDatabase {
  /// Adds machines with a key each, `dev-00000` and so on, to the store of a ``TestServer`` that has the account `mina`.
  func addMachines(_ count: Int) async throws {
    let (zero, appID) = (literal([0]), ServerIdentity.appID(of: TestServer.publicURL))
    for start in stride(from: 0, to: count, by: 1000) {
      let rows = (start..<min(start + 1000, count)).map { number in
        let digits = String(number)
        let id = "dev-" + String(repeating: "0", count: max(5 - digits.count, 0)) + digits
        return
          "('mina', '\(appID)', '5541#0001', \(literal(Array(id.utf8))), \(zero), 1, 256, 1, 1, 0, '\(id)')"
      }
      try await execute(
        """
        INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
          signCounter, regCounter, registeredAt, deviceID) VALUES \(rows.joined(separator: ","))
        """)
    }
  }
}
