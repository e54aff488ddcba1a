import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server lock`: refuses every login of an account for some time.
struct LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Refuse an account's logins, confirmations and registrations for a limited time.",
    discussion: "Its keys and codes stay. Works while the server runs. 'enable' ends it earlier.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(name: .customLong("for"), help: ArgumentHelp("How long, 1 to 31536000.", valueName: "seconds"))
  var seconds: Int64
  @Option(help: ArgumentHelp("Why, for the audit and 'users', at most 200 bytes.", valueName: "text")) var reason:
    String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    guard AccountStateAdministration.lockTimes.contains(seconds) else {
      throw ValidationError("--for must be 1 to \(AccountStateAdministration.lockTimes.upperBound) seconds.")
    }
    try AccountStateChange.check(reason: reason)
  }

  func run() async throws {
    let body: JSONObject = ["reason": .string(reason), "seconds": .integer(seconds)]
    try await place.link { link in
      _ = try await link.ask(APIRequest(.PUT, ["accounts", user, "block"], body: body))
    }
    json.print(
      ["account": .string(user), "state": .string("locked"), "seconds": .integer(seconds)],
      orElse: "locked \(user) for \(Terminal.length(seconds))")
  }
}

/// `uaf-server disable`: refuses every login of an account.
struct DisableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Refuse an account's logins, confirmations and registrations until 'enable'.",
    discussion: "Its keys stay; its open enrolment code is closed. Works while the server runs.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(help: ArgumentHelp("Why, for the audit and 'users', at most 200 bytes.", valueName: "text")) var reason:
    String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    try AccountStateChange.check(reason: reason)
  }

  func run() async throws {
    try await place.link { link in
      _ = try await link.ask(APIRequest(.PUT, ["accounts", user, "block"], body: ["reason": .string(reason)]))
    }
    json.print(["account": .string(user), "state": .string("disabled")], orElse: "disabled \(user)")
    Terminal.note(
      "this does not stop logins that do not ask this server (a public key in sshd, a password, cron), or open sessions"
    )
  }
}

/// `uaf-server enable`: removes a block or a lock from an account.
struct EnableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Enable an account that was disabled or locked.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    try await place.link { link in _ = try await link.ask(APIRequest(.DELETE, ["accounts", user, "block"])) }
    json.print(["account": .string(user), "state": .string("active")], orElse: "enabled \(user)")
  }
}

/// Helpers for the commands about disabled and locked accounts.
enum AccountStateChange {
  /// The block of an account in an answer of the API; nil if it has none, or if its lock has expired.
  ///
  /// - Parameter now: seconds since 1970.
  static func block(of account: JSONObject, now: Int64) -> JSONObject? {
    guard let block = account.object("block") else { return nil }
    return block.integer("until").map { $0 <= now } == true ? nil : block
  }

  /// Warns that a code cannot be used while its account is disabled or locked.
  static func warn(about user: String, _ link: any AdministrationLink) async throws {
    let account = try await link.ask(APIRequest(.GET, ["accounts", user]))
    guard block(of: account, now: Terminal.now) != nil else { return }
    Terminal.note("\(user) is disabled or locked: the code cannot be used before 'uaf-server enable \(user)'")
  }

  /// Refuses a reason that cannot be stored.
  static func check(reason: String) throws {
    do throws(AdministrationRefusal) {
      try AccountStateAdministration.check(reason: reason)
    } catch .invalid(_, let rule) {
      throw ValidationError("--reason \(rule).")
    }
  }
}
