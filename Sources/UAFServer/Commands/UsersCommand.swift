import ArgumentParser
import UAFService

/// `uaf-server users`: lists the accounts.
struct UsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "List the accounts: name, keys, revoked keys, last login, open code.")

  @OptionGroup var state: StateOption

  func run() async throws {
    let store = try state.openStore()
    let now = Terminal.now
    let summaries = try await store.read { try $0.accounts.summaries(now: now) }
    Terminal.result("user\tkeys\trevoked\tlast-login\tenrolment")
    for summary in summaries { Terminal.result(Self.line(summary)) }
  }

  static func line(_ summary: AccountSummary) -> String {
    return [
      summary.username, String(summary.keys), String(summary.revokedKeys),
      summary.lastUsedAt.map(Terminal.time) ?? "never",
      summary.hasOpenCode ? "open" : "-",
    ].joined(separator: "\t")
  }
}
