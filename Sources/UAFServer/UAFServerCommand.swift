// Purpose: The FIDO server: issues UAF requests, verifies answers, keeps challenges, credentials and enrolment codes.
// The only target that may import Foundation, GRDB and Hummingbird.
//
// Verification/ is pure: it is given what was issued and what is stored, and decides. Metadata/ says what it has to hold
// models to; of Authenticator only the compiled-in limits are used, for our own. Policies/ says who uses which of them.
// Stores/ is the only SQL.
// Service/ puts the two together inside transactions. Routes/ is HTTP, Commands/ the command line.

import ArgumentParser

/// The command line of the server.
@main
struct UAFServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uaf-server",
    abstract: "A FIDO UAF server with its own store.",
    version: "0.1.0",
    subcommands: [
      ServeCommand.self, EnrolCommand.self, ApproveCommand.self, UsersCommand.self, DevicesCommand.self,
      RevokeCommand.self, AuditCommand.self,
      DecodeCommand.self, MetadataCommand.self,
    ])

  /// Keeps the process's memory to itself, then does what the command line says.
  static func main() async {
    do throws(ServerError) { try ServerProcess.forbidDumps() } catch { exit(withError: error) }
    await main(nil)
  }
}
