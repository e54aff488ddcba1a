import ArgumentParser
import UAFMessages
import UAFService

/// `uaf-server revoke`: ends what a person's keys can do.
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke all keys of an account, and close its codes.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @OptionGroup var state: StateOption

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    let store = try state.openStore()
    let now = Terminal.now
    let count = try await store.write { [user] records -> Int? in
      guard try records.accounts.exists(user) else { return nil }
      try records.enrolments.close(for: user)
      try records.approvals.close(for: user)
      let count = try records.credentials.revokeAll(of: user, now: now)
      try records.audit.append([
        ServerEvents.command(.revocation, account: user, detail: ["keys": .integer(Int64(count))], now: now)
      ])
      return count
    }
    guard let count else {
      Terminal.note("no account \(user); 'uaf-server users' lists them")
      throw ExitCode.failure
    }
    Terminal.result("revoked \(count) key\(count == 1 ? "" : "s") of \(user)")
  }
}
