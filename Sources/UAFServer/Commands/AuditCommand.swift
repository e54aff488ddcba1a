import ArgumentParser

/// `uaf-server audit`: what happened, and what people confirmed.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Look at what happened, check that nobody has changed it, and keep it elsewhere.",
    subcommands: [
      AuditListCommand.self, AuditVerifyCommand.self, AuditExportCommand.self, AuditPruneCommand.self,
      AuditTextsCommand.self, AuditShowCommand.self,
    ])
}
