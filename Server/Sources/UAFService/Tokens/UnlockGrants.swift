import UAFCrypto
import UAFMessages

/// Makes unlocks, in the two forms that a machine accepts; nothing is stored for either.
package struct UnlockGrants: Sendable {
  /// An unlock code of 24 characters, and a label by which people distinguish several codes.
  package struct Typed: Equatable, Sendable {
    /// The first four characters of the ID of the machine to which the code applies.
    package let label: String
    /// The characters, in groups of four.
    package let text: String
  }

  private let keys: ServerKeys

  package init(keys: ServerKeys) { self.keys = keys }

  /// The payload, signed with the verdict key.
  ///
  /// - Throws: ``CryptoError``.
  package func payload(_ statement: UnlockStatement) throws -> String {
    try keys.statement(statement.json, .unlock)
  }

  /// The unlock codes for a machine that has the secret of a key.
  ///
  /// There is one code; for a day after a rotation of the server's secret there is one for each accepted secret.
  ///
  /// - Parameters:
  ///   - keyID: the account's first usable key on that machine.
  ///   - random: one byte.
  /// - Throws: ``CryptoError``.
  package func codes(_ statement: UnlockStatement, holding keyID: KeyID, random: UInt8) throws -> [Typed] {
    // Rounded down, so that a code is not valid for longer than the payload.
    let units = max(1, (statement.expiresAt - statement.issuedAt) / UnlockCode.lifetimeUnit)
    guard
      let code = UnlockCode(minute: statement.issuedAt / 60, lifetimeUnits: Int(clamping: units), salt: random & 0x1F)
    else { return [] }
    let secrets = try MachineProofs(keys: keys).possibleSecrets(of: statement.account, holding: [keyID])
    return try secrets.compactMap { secret in
      let message = code.authenticated(account: statement.account, machineID: secret.machineID)
      let mac = try HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret.secret)
      return code.authenticated(by: mac).map {
        Typed(label: UnlockCode.label(ofMachine: secret.machineID), text: $0.text)
      }
    }
  }
}
