/// The names that were given an enrolment code, now or earlier.
package protocol Accounts {
  /// Adds an account; nothing happens if there is one of the name.
  ///
  /// - Parameter now: seconds since 1970.
  func add(_ username: String, now: Int64) throws

  func exists(_ username: String) throws -> Bool

  /// Disables or locks an account, in place of an earlier block, or takes its block away.
  ///
  /// A verified answer that is stored later is refused, also if it was verified before.
  ///
  /// - Returns: false if there is no such account, and nothing was changed.
  func setBlock(_ block: AccountBlock?, of username: String) throws -> Bool

  /// Gives each key of a blocked account the block, where an earlier version that knows no blocks has stored the key without.
  func spreadBlocks() throws

  /// How an account is blocked, also by a lock that is over; nil if it is not, or if there is no such account.
  func block(of username: String) throws -> AccountBlock?

  /// Accounts in the order of the names' bytes.
  ///
  /// A page costs the same wherever it is: what is counted is counted for its own accounts alone.
  ///
  /// - Parameter now: seconds since 1970; an enrolment code that has expired then is not open.
  func page(_ query: AccountQuery, now: Int64) throws -> [AccountSummary]

  /// The name of the account at a place among those of a query, whenever their keys were used; nil if there are fewer.
  ///
  /// - Parameter place: 1 for the first one. As many are looked at.
  func name(at place: Int, of query: AccountQuery, now: Int64) throws -> String?

  /// One account; nil if there is none of the name.
  func summary(of username: String, now: Int64) throws -> AccountSummary?

  /// Removes an account with its keys, codes, open requests and open texts. Confirmed texts and the audit stay.
  ///
  /// - Returns: how many keys it had that were not revoked; nil if there is none of the name.
  func remove(_ username: String) throws -> Int?

  /// The highest number of an account; 0 if there is none.
  ///
  /// Accounts are numbered as they are added. A number may belong to no account, if that one was removed.
  func lastNumber() throws -> Int64
}
