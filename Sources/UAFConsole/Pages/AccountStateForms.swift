import UAFAdministration
import UAFService

/// Whether an account gets in, and the forms that change that.
enum AccountStateForms {
  /// How long a lock is, unless somebody says otherwise, in seconds.
  private static let standardLock: Int64 = 86_400

  /// The state in words; a lock that is over is none.
  static func text(_ block: AccountBlock?, _ call: PageCall) -> String {
    guard let block, block.refusal(at: call.environment.now) != nil else { return call.text(.active) }
    guard let until = block.until else {
      return call.language.text(.disabledSince, call.time(block.since), block.actor, block.reason)
    }
    return call.language.text(.lockedUntil, call.time(until), block.actor, block.reason)
  }

  static func forms(_ name: String, _ block: AccountBlock?, _ call: PageCall) -> [PageForm] {
    guard call.allows(.manageAccounts) else { return [] }
    let who = PageField.hidden("name", name)
    let reason = PageField(name: "reason", label: call.text(.reason), isRequired: true, maximum: 200)
    let state = block?.refusal(at: call.environment.now)
    var forms: [PageForm] = []
    if state != .accountDisabled {
      let seconds = PageField(
        name: "seconds", label: call.text(.lockSeconds), kind: .number, value: String(standardLock), isRequired: true)
      forms = [
        PageForm(
          title: call.text(.lockAccount), action: "/console/person/lock", button: call.text(.lock),
          fields: [who, seconds, reason], isDangerous: true),
        PageForm(
          title: call.text(.disableAccount), action: "/console/person/disable", button: call.text(.disable),
          fields: [who, reason], isDangerous: true),
      ]
    }
    if state != nil {
      forms.append(
        PageForm(
          title: call.text(.enableAccount), action: "/console/person/enable", button: call.text(.enable),
          fields: [who]))
    }
    return forms
  }

  /// Disables an account.
  ///
  /// - Returns: the step, if it waits for a signature; nil if it is done.
  static func disable(_ call: PageCall) async throws -> DangerousStep? {
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    guard try await !needsSignature(name, reason, call) else { return .disableAccount(name, reason: reason) }
    try await states(call).disable(name, reason: reason, by: call.caller)
    return nil
  }

  /// Locks an account for some time.
  ///
  /// - Returns: the step, if it waits for a signature; nil if it is done.
  static func lock(_ call: PageCall) async throws -> DangerousStep? {
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    let needsSignature = try await needsSignature(name, reason, call)
    let seconds = try call.number("seconds")
    guard AccountStateAdministration.lockTimes.contains(seconds) else {
      throw AdministrationRefusal.invalid(
        field: "seconds", reason: "must be 1 to \(AccountStateAdministration.lockTimes.upperBound)")
    }
    guard !needsSignature else { return .lockAccount(name, seconds: seconds, reason: reason) }
    try await states(call).lock(name, seconds: seconds, reason: reason, by: call.caller)
    return nil
  }

  /// Whether the account is one whose loss would keep others out of the console; anybody else is blocked at once.
  private static func needsSignature(_ name: String, _ reason: String, _ call: PageCall) async throws -> Bool {
    try call.caller.require(.manageAccounts)
    try AccountStateAdministration.check(reason: reason)
    return try await AccountAdministration(call.administration).isPrivileged(name, by: call.caller)
  }

  private static func states(_ call: PageCall) -> AccountStateAdministration {
    AccountStateAdministration(call.administration)
  }
}
