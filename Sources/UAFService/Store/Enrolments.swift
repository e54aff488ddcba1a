/// The one-time codes with which a person registers; one open code an account.
///
/// A store keeps a code's key, sealed (``EnrolmentSeal``), and not the code. Wrong codes are not counted: a code has 85 random
/// bits, and anybody could use a count up.
package protocol Enrolments {
  /// Opens a code; an earlier one of the account is closed by it.
  ///
  /// - Parameters:
  ///   - sealedKey: what ``EnrolmentSeal/seal(_:for:nonce:)`` has made of it.
  ///   - expiresAt: seconds since 1970.
  func open(_ sealedKey: [UInt8], for username: String, expiresAt: Int64) throws

  /// The account's open code; nil if it has expired, was used, or there is none.
  ///
  /// - Parameter now: seconds since 1970.
  func find(for username: String, now: Int64) throws -> OpenEnrolment?

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

/// An enrolment code that somebody can register with.
package struct OpenEnrolment: Equatable, Sendable {
  package let id: Int64
  /// As ``EnrolmentSeal`` has made it.
  package let sealedKey: [UInt8]

  package init(id: Int64, sealedKey: [UInt8]) {
    self.id = id
    self.sealedKey = sealedKey
  }
}
