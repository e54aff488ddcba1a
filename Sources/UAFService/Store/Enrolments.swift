/// The one-time codes with which a person registers; one open code an account.
///
/// A store keeps ``OneTimeCode/hash(_:)``, not the code. Wrong codes are not counted: a code has 160
/// random bits, and anybody could use a count up.
package protocol Enrolments {
  /// Opens a code; an earlier one of the account is closed by it.
  ///
  /// - Parameter expiresAt: seconds since 1970.
  func open(code: String, for username: String, expiresAt: Int64) throws

  /// Finds the open code.
  ///
  /// A wrong code changes nothing, and takes as long for a name without an account.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: the code's number; nil if the code is wrong, expired, used, or there is none.
  func check(code: String, for username: String, now: Int64) throws -> Int64?

  /// Binds the code to one challenge; the request that reserved it before can no longer be answered.
  func reserve(id: Int64, challengeHash: [UInt8]) throws

  /// Whether the code is open and reserved by this challenge.
  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool

  /// Closes the code permanently.
  func consume(id: Int64) throws

  /// Closes the account's code, if one is open.
  func close(for username: String) throws

  /// Closes all open codes.
  func closeAll() throws
}
