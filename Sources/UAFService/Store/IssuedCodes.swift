/// The enrolment codes that were given out, without the codes: who has issued which, and what became of it.
package protocol IssuedCodes {
  /// Notes who has issued the code that is open for an account.
  ///
  /// - Parameters:
  ///   - issuer: as the audit names them.
  ///   - reachesPrivileged: whether it may be for a privileged account, and its key counts for administrators' steps.
  ///   - now: seconds since 1970.
  func add(for username: String, by issuer: String, reachesPrivileged: Bool, now: Int64) throws

  /// What is known about a code; nil if nothing is.
  ///
  /// - Parameter number: ``OpenEnrolment/id`` of the code, as ``Enrolments/find(for:now:)`` returns it.
  func code(_ number: Int64) throws -> IssuedCode?

  /// The accounts with a code that was not closed, and which may not be for a privileged account or has no known issuer.
  func accountsWithLesserCodes() throws -> [String]

  /// The accounts with a code that was not closed, and that somebody has issued.
  ///
  /// - Parameter issuer: as the audit names them.
  func accounts(withCodesBy issuer: String) throws -> [String]

  /// Notes that somebody has registered with a code.
  ///
  /// - Parameter number: ``OpenEnrolment/id`` of the code, as ``Enrolments/find(for:now:)`` returns it.
  func markUsed(_ number: Int64, now: Int64) throws

  /// Codes, the newest first.
  ///
  /// - Parameters:
  ///   - number: codes with lower numbers; nil for the first page.
  ///   - isOpen: only those that somebody can register with now.
  ///   - limit: how many at most.
  func page(before number: Int64?, onlyOpen isOpen: Bool, limit: Int, now: Int64) throws -> [IssuedCode]
}
