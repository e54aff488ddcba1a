import UAFAdministration
import UAFMessages
import UAFService

/// The state of an account, and what changes it.
enum AccountStateForms {
  /// How long a lock lasts by default, in seconds.
  static let standardLock: Int64 = 86_400

  /// The state of an account, with who set it and why; an expired lock is not mentioned.
  static func cell(_ account: AccountSummary, _ call: PageCall) -> PageCell {
    guard let block = account.block, block.refusal(at: call.environment.now) != nil else {
      return PageCell("", kind: .state(state(account, call)))
    }
    let actor = call.actor(block.actor)
    let note =
      block.until.map { call.language.text(.lockedUntil, call.time($0), actor, block.reason) }
      ?? call.language.text(.disabledSince, call.time(block.since), actor, block.reason)
    return PageCell("", kind: .state(state(account, call)), note: note)
  }

  /// The state of an account as a word: whether the person can log in, and if not, why.
  static func state(_ account: AccountSummary, _ call: PageCall) -> PageState {
    switch account.block?.refusal(at: call.environment.now) {
    case .accountDisabled?: call.state(.disabled, .bad, .ban)
    case .some: call.state(.locked, .warn, .lock)
    case nil where account.keys == 0 && account.hasOpenCode: call.state(.invited, .quiet, .clock)
    case nil where account.keys == 0: call.state(.keyless, .warn, .key)
    case nil: call.state(.active, .good, .check)
    }
  }

  /// Disables an account.
  ///
  /// - Returns: the step, if it needs a signature; nil if it was performed.
  static func disable(_ call: PageCall) async throws -> DangerousStep? {
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    guard try await !needsSignature(name, reason, call) else { return .disableAccount(name, reason: reason) }
    try await states(call).disable(name, reason: reason, by: call.caller)
    return nil
  }

  /// Locks an account for some time.
  ///
  /// - Returns: the step, if it needs a signature; nil if it was performed.
  static func lock(_ call: PageCall) async throws -> DangerousStep? {
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    let needsSignature = try await needsSignature(name, reason, call)
    let seconds = try call.length("seconds")
    guard AccountStateAdministration.lockTimes.contains(seconds) else {
      throw AdministrationRefusal.invalid(
        field: "seconds", .outOfRange(AccountStateAdministration.lockTimes, nil))
    }
    guard !needsSignature else { return .lockAccount(name, seconds: seconds, reason: reason) }
    try await states(call).lock(name, seconds: seconds, reason: reason, by: call.caller)
    return nil
  }

  /// Whether blocking the account needs a signature; otherwise it is done immediately.
  private static func needsSignature(_ name: String, _ reason: String, _ call: PageCall) async throws -> Bool {
    try AccountStateAdministration.check(reason: reason)
    return try await AccountAdministration(call.administration).needsSignature(toChange: name, by: call.caller)
  }

  private static func states(_ call: PageCall) -> AccountStateAdministration {
    AccountStateAdministration(call.administration)
  }
}
