import FidoResults
import UAFMessages
import UAFService

/// Disables, locks and enables accounts.
package struct AccountStateAdministration: Sendable {
  /// How long a lock may be, in seconds: up to a year.
  package static let lockTimes: ClosedRange<Int64> = 1...31_536_000
  /// The longest reason, in bytes of UTF-8.
  private static let maximumReason = 200

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Lets an account in by no way until somebody enables it.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func disable(_ account: String, reason: String, by caller: Caller) async throws {
    try caller.require(.manageAccounts)
    try Self.check(reason: reason)
    let now = environment.now()
    let block = AccountBlock(since: now, until: nil, reason: reason, actor: caller.actor.text)
    try await change(account, to: block, .accountDisabled, ["reason": .string(reason)], by: caller, now: now)
  }

  /// Lets an account in by no way for some time, in place of an earlier lock.
  ///
  /// A disabled account stays disabled.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func lock(_ account: String, seconds: Int64, reason: String, by caller: Caller) async throws {
    try caller.require(.manageAccounts)
    guard Self.lockTimes.contains(seconds) else {
      throw AdministrationRefusal.invalid(field: "seconds", reason: "must be 1 to \(Self.lockTimes.upperBound)")
    }
    try Self.check(reason: reason)
    let now = environment.now()
    let block = AccountBlock(since: now, until: now + seconds, reason: reason, actor: caller.actor.text)
    let detail: JSONObject = ["reason": .string(reason), "seconds": .integer(seconds)]
    try await change(account, to: block, .accountLocked, detail, by: caller, now: now)
  }

  /// Ends what disables or locks an account.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func enable(_ account: String, by caller: Caller) async throws {
    try caller.require(.manageAccounts)
    try await change(account, to: nil, .accountEnabled, [:], by: caller, now: environment.now())
  }

  /// Refuses a reason that is empty, longer than 200 bytes, or not one line of visible text.
  package static func check(reason: String) throws(AdministrationRefusal) {
    if let hidden = Text.firstHidden(in: reason) { throw .hidden(hidden, field: "reason") }
    guard reason.contains(where: { !$0.isWhitespace }), reason.utf8.count <= maximumReason else {
      throw .invalid(field: "reason", reason: "must say why in at most \(maximumReason) bytes")
    }
  }

  private func change(
    _ account: String, to block: AccountBlock?, _ kind: AuditKind, _ detail: JSONObject, by caller: Caller, now: Int64
  ) async throws {
    try await environment.change(.manageAccounts, .of(account), by: caller) { [environment] records in
      guard try records.accounts.exists(account) else {
        throw AdministrationRefusal.unknown("account", name: account)
      }
      let standing = try records.accounts.block(of: account)?.refusal(at: now)
      if kind == .accountLocked, standing == .accountDisabled {
        throw AdministrationRefusal.conflict("\(account) is disabled; a lock would end that")
      }
      if kind == .accountEnabled, standing == nil {
        throw AdministrationRefusal.conflict("\(account) is neither disabled nor locked")
      }
      _ = try records.accounts.setBlock(block, of: account)
      if block != nil { try records.consoleSessions.removeAll(of: account) }
      try records.audit.append([
        environment.event(
          kind, by: caller, account: account, detail: detail.members.isEmpty ? "" : JSONValue.object(detail).text)
      ])
    }
  }
}
