/// The codes with which machines join.
///
/// A store keeps ``OneTimeCode/hash(_:)``, not the code, and of a closed code not even that.
package protocol JoinCodes {
  /// Adds a code.
  ///
  /// - Parameters:
  ///   - machines: how many machines may join with it.
  ///   - issuer: as the audit names them.
  ///   - expiresAt: seconds since 1970, and so is `now`.
  /// - Returns: its number.
  func add(
    _ code: String, group: String, machines: Int, by issuer: String, now: Int64, expiresAt: Int64
  ) throws -> Int64

  /// The code that is not closed, also one that has expired or is used up; nil for any other text.
  func code(_ code: String) throws -> JoinCode?

  /// Codes, the newest first.
  ///
  /// - Parameters:
  ///   - number: codes with lower numbers; nil for the first page.
  ///   - limit: how many at most.
  func page(before number: Int64?, limit: Int) throws -> [JoinCode]

  /// Closes a code for good; the machines that have joined with it stay.
  ///
  /// - Returns: false if there is none of the number, or it was closed before.
  func close(_ number: Int64) throws -> Bool

  /// Closes all codes.
  func closeAll() throws
}
