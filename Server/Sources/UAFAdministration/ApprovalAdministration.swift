import UAFCrypto
import UAFMessages
import UAFService

/// The operations on texts that people confirm.
package struct ApprovalAdministration: Sendable {
  /// How long a text may wait, in seconds.
  package static let lifetimes: ClosedRange<Int64> = 1...3600
  /// How long a text waits by default.
  package static let standardLifetime: Int64 = 120

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Opens a text for a person to confirm; an earlier waiting text of the account is closed.
  ///
  /// - Parameters:
  ///   - text: the caller's text. ``TextKind/approval`` puts before it who asks. Both together may have at most 200 bytes.
  ///   - lifetime: in seconds.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; the errors of the environment's functions.
  package func create(
    _ text: String, for username: String, lifetime: Int64 = standardLifetime, by caller: Caller
  ) async throws -> IssuedPayload {
    let permitted = try caller.require(.approve)
    guard Self.lifetimes.contains(lifetime) else {
      throw AdministrationRefusal.invalid(field: "lifetime", .outOfRange(Self.lifetimes, .seconds))
    }
    // Of a longer text only beginning, end and hash would be signed, and the person's machine would not receive all of it.
    guard let shown = TextKind.approval(text, of: username, by: caller.introduction) else {
      throw AdministrationRefusal.invalid(
        field: "text", .textLength(1...TransactionText.maximumSigned))
    }
    let url = try await environment.url()
    let authority = try environment.authority(url)
    let code = Base64URL.encode(try environment.random(20))
    let expires = environment.now() + lifetime
    let hash = Base64URL.encode(try SHA256.hash(Array(shown.utf8)))
    // No check for privileged accounts: a text only asks, and the person decides. So operators may ask everybody.
    let number = try await environment.change(.nobodys, by: permitted) { [environment] records in
      guard try records.accounts.exists(username) else {
        throw AdministrationRefusal.unknown("account", name: username)
      }
      let number = try records.approvals.open(shown, code: code, for: username, expiresAt: expires)
      let detail = JSONValue.object(["approval": .integer(number), "text": .string(hash)]).text
      try records.audit.append([environment.event(.approvalCode, by: caller, account: username, detail: detail)])
      return number
    }
    let payload = EnrolmentPayload(
      op: .authentication, server: url, username: username, authCode: code, expires: expires, ca: authority)
    return IssuedPayload(number: number, payload: payload)
  }

  /// One text.
  ///
  /// - Throws: ``AdministrationRefusal``, also for a text that was closed; ``StoreFailure``.
  package func approval(_ number: Int64, by caller: Caller) async throws -> ApprovalRecord {
    try caller.require(.read)
    let found = try await environment.read { [now = environment.now()] in
      try $0.approvals.record(id: number, now: now)
    }
    guard let found else { throw AdministrationRefusal.unknown("approval", name: String(number)) }
    return found
  }

  /// Texts, the newest first.
  ///
  /// - Parameters:
  ///   - number: texts with lower numbers; nil for the first page.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func page(
    before number: Int64? = nil, limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<ApprovalRecord> {
    try caller.require(.read)
    try PageLimit.check(limit)
    let rows = try await environment.read { [now = environment.now()] in
      try $0.approvals.page(before: number, limit: limit + 1, now: now)
    }
    return Page(rows, limit: limit) { String($0.id) }
  }

  /// How many texts there are: as many as ``page(before:limit:by:)`` has on all pages.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func total(by caller: Caller) async throws -> RowTotal {
    try caller.require(.read)
    return RowTotal(counted: try await environment.read { try $0.approvals.count(upTo: RowTotal.mostCounted + 1) })
  }

  /// Closes a waiting text: nobody can confirm it afterwards.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func close(_ number: Int64, by caller: Caller) async throws {
    let permitted = try caller.require(.approve)
    try await environment.change(.nobodys, by: permitted) { [environment] records in
      guard let username = try records.approvals.close(id: number) else {
        throw AdministrationRefusal.unknown("waiting approval", name: String(number))
      }
      let detail = JSONValue.object(["approval": .integer(number)]).text
      try records.audit.append([environment.event(.approvalClosure, by: caller, account: username, detail: detail)])
    }
  }
}

/// A payload with a one-time code, as a person receives it.
///
/// It is shown only once, and the store does not keep the code.
package struct IssuedPayload: Equatable, Sendable {
  /// The number of the approval; nil for an enrolment code.
  package let number: Int64?
  package let payload: EnrolmentPayload

  package init(number: Int64? = nil, payload: EnrolmentPayload) {
    self.number = number
    self.payload = payload
  }
}
