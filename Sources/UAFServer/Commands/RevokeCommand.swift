import ArgumentParser
import GRDB

/// `uaf-server revoke`: ends what a person's keys can do.
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke all keys of an account, and close its codes.")

  @Argument(help: "The account's name at this server.", completion: Completion.accounts) var user: String
  @OptionGroup var state: StateOption

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    let database = try ServerDatabase.open(state: try state.open(create: false))
    let now = Terminal.now
    let count = try await database.write { [user] db -> Int? in
      guard try AccountStore(db: db).exists(user) else { return nil }
      try EnrolmentStore(db: db).close(for: user)
      try ApprovalStore(db: db).close(for: user)
      return try CredentialStore(db: db).revokeAll(of: user, now: now)
    }
    guard let count else {
      Terminal.note("no account \(user); 'uaf-server users' lists them")
      throw ExitCode.failure
    }
    Terminal.result("revoked \(count) key\(count == 1 ? "" : "s") of \(user)")
  }
}
