import ArgumentParser
import UAFAdministration
import UAFMessages

/// What the commands about disabled and locked accounts share.
enum AccountStateChange {
  /// What disables or locks an account; nil for a lock that is over.
  ///
  /// - Parameter now: seconds since 1970.
  static func block(of account: JSONObject, now: Int64) -> JSONObject? {
    guard let block = account.object("block") else { return nil }
    return block.integer("until").map { $0 <= now } == true ? nil : block
  }

  /// Says that a code is of no use as long as its account is disabled or locked.
  static func warn(about user: String, _ link: any AdministrationLink) async throws {
    let account = try await link.ask(APIRequest(.GET, ["accounts", user]))
    guard block(of: account, now: Terminal.now) != nil else { return }
    Terminal.note("\(user) is disabled or locked: nobody can use the code before 'uaf-server enable \(user)'")
  }

  /// Refuses a reason that cannot be kept.
  static func check(reason: String) throws {
    do throws(AdministrationRefusal) {
      try AccountStateAdministration.check(reason: reason)
    } catch .invalid(_, let rule) {
      throw ValidationError("--reason \(rule).")
    }
  }
}
