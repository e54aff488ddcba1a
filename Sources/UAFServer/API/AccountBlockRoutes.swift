import NIOHTTP1
import UAFAdministration
import UAFMessages

/// The routes that disable, lock and enable accounts.
enum AccountBlockRoutes {
  static let all = [block, unblock]

  private static let block = APIRoute(
    method: .PUT, path: "/accounts/{account}/block",
    summary: "Disables an account, or locks it for some time: it gets in by no way that this server decides.",
    body: [
      APIInputs.text("reason", "Why, for the audit; one line, at most 200 bytes.", isRequired: true),
      APIInputs.number(
        "seconds", AccountStateAdministration.lockTimes, "How long it is locked; disabled without an end if absent."),
    ], bodyExample: ["reason": .string("left the company")], status: .noContent
  ) { call in
    let states = AccountStateAdministration(call.environment)
    let (account, reason) = (call.part("account"), try call.body.string("reason"))
    if let seconds = try call.body.optionalInteger("seconds") {
      try await states.lock(account, seconds: seconds, reason: reason, by: call.caller)
    } else {
      try await states.disable(account, reason: reason, by: call.caller)
    }
    return .done
  }

  private static let unblock = APIRoute(
    method: .DELETE, path: "/accounts/{account}/block", summary: "Enables a disabled or locked account.",
    status: .noContent
  ) { call in
    let states = AccountStateAdministration(call.environment)
    try await states.enable(call.part("account"), by: call.caller)
    return .done
  }
}
