import UAFMessages
import UAFService

/// The operations on enrolment codes.
package struct EnrolmentAdministration: Sendable {
  /// How long a code may be valid, in seconds.
  package static let lifetimes: ClosedRange<Int64> = 1...604_800
  /// How long a code is valid by default.
  package static let standardLifetime: Int64 = 900

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Issues a code with which a person registers once; an earlier code of the account is closed.
  ///
  /// If the account does not exist yet, it is created. A code for a privileged account needs a signature, except at the server
  /// itself: whoever has the code can register as that person.
  ///
  /// - Parameter lifetime: in seconds.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; the errors of the environment's functions.
  package func issue(
    for username: String, lifetime: Int64 = standardLifetime, by caller: Caller
  ) async throws -> IssuedPayload {
    let permitted = try caller.require(.enrol)
    try AccountReach.check(username)
    guard Self.lifetimes.contains(lifetime) else {
      throw AdministrationRefusal.invalid(field: "lifetime", .outOfRange(Self.lifetimes, .seconds))
    }
    let url = try await environment.url()
    let (code, sealedKey) = try environment.enrolmentCode(for: username)
    let now = environment.now()
    let detail = JSONValue.object(["seconds": .integer(lifetime)]).text
    let payload = EnrolmentPayload(
      code: code, server: url, username: username, expires: now + lifetime, ca: try environment.authority(url))
    try await environment.change(.of(username), by: permitted) { [environment] records in
      if try AccountReach(environment).isPrivileged(username, in: records) { try caller.requireSignature() }
      try records.accounts.add(username, now: now)
      try records.enrolments.open(sealedKey, for: username, expiresAt: now + lifetime)
      try records.issuedCodes.add(
        for: username, by: caller.actor.text, reachesPrivileged: caller.vouches, now: now)
      try records.audit.append([environment.event(.enrolmentCode, by: caller, account: username, detail: detail)])
    }
    return IssuedPayload(payload: payload)
  }

  /// Codes, the newest first.
  ///
  /// - Parameters:
  ///   - number: codes with lower numbers; nil for the first page.
  ///   - isOpen: only codes with which somebody can register now.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func page(
    before number: Int64? = nil, onlyOpen isOpen: Bool, limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<IssuedCode> {
    try caller.require(.read)
    try PageLimit.check(limit)
    let rows = try await environment.read { [now = environment.now()] in
      try $0.issuedCodes.page(before: number, onlyOpen: isOpen, limit: limit + 1, now: now)
    }
    return Page(rows, limit: limit) { String($0.number) }
  }

  /// How many codes were issued: as many as ``page(before:onlyOpen:limit:by:)`` has on all pages.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func total(by caller: Caller) async throws -> RowTotal {
    try caller.require(.read)
    return RowTotal(counted: try await environment.read { try $0.issuedCodes.count(upTo: RowTotal.mostCounted + 1) })
  }

  /// Closes the open code of an account.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func close(for username: String, by caller: Caller) async throws {
    let permitted = try caller.require(.enrol)
    try await environment.change(.of(username), by: permitted) { [environment] records in
      guard let account = try records.accounts.summary(of: username, now: environment.now()), account.hasOpenCode else {
        throw AdministrationRefusal.unknown("open code of account", name: username)
      }
      try records.enrolments.close(for: username)
      try records.audit.append([environment.event(.enrolmentClosure, by: caller, account: username)])
    }
  }
}
