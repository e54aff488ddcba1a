/// The names that were given an enrolment code, now or earlier.
package protocol Accounts {
  /// Adds an account; nothing happens if there is one of the name.
  ///
  /// - Parameter now: seconds since 1970.
  func add(_ username: String, now: Int64) throws

  func exists(_ username: String) throws -> Bool

  /// One entry for each account, in the order of the names' bytes.
  ///
  /// - Parameter now: seconds since 1970; an enrolment code that has expired then is not open.
  func summaries(now: Int64) throws -> [AccountSummary]

  /// The highest number of an account; 0 if there is none.
  ///
  /// Accounts are numbered as they are added. A number may belong to no account, if that one was removed.
  func lastNumber() throws -> Int64
}
