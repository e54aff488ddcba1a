import ArgumentParser

/// `uaf-server audit`: what people confirmed.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Look at the texts people confirmed, and check their signatures again.",
    subcommands: [AuditVerifyCommand.self, AuditShowCommand.self])
}
