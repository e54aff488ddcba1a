import SecretMemory
import UAFCrypto

extension AccountFile {
  /// An account that is nobody's, in memory, whose value of `type` nobody has.
  ///
  /// Where states are hidden the time must not tell who is registered or locked, and SQLite takes milliseconds of it: an
  /// entry for an account that has nothing to be checked is checked here. What the disk takes beside that is
  /// ``DerivationSlot/chargeInVain()``'s.
  ///
  /// - Throws: ``StateError``.
  public static func standIn(
    _ type: AuthenticatorType, cost: Scrypt.Parameters, in directory: borrowing StateDirectory
  ) throws(StateError) -> AccountFile {
    let identity = AccountIdentity(uid: .max, name: [], serverUserName: "")
    let database = try Database(path: ":memory:")
    try database.execute(SealedRecords.schema)
    let records = try SealedRecords(database: database, uid: identity.uid, deviceSecret: directory.deviceSecret)
    let account = AccountFile(identity: identity, records: records)
    let enrolled = try KeyWrap.unopenable(cost: cost)
    try records.write { () throws(StateError) in
      try records.put(.authenticator, name: Array(type.rawValue.utf8), body: enrolled.record, of: identity)
      try account.put(AttemptLedger(), type)
    }
    return account
  }
}
