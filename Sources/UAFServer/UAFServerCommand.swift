// Purpose: The program uaf-server: the service over HTTPS, the command line, the state folder. The only target that may import
// Hummingbird.
//
// Routes/ is HTTP, Admission/ says how many requests and connections are taken, Files/ reads and makes the state folder,
// Certificates/ is TLS, Commands/ the command line. What is decided about a request or an answer is decided in UAFService.

import ArgumentParser
import Glibc
import Invocation

/// The command line of the server.
@main
struct UAFServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uaf-server",
    abstract: "A FIDO UAF server with its own store.",
    discussion: """
      Only results go to standard output.

      EXIT STATUS:
        0  done
        1  refused: no such account, or something that was checked does not hold
        2  usage or configuration: the command line, or a file or folder that it names
        3  the address cannot be listened on, or the store cannot be used
        4  the person who was asked said no
        5  what was to be printed could not be written
        78 the database of --store cannot be used, or not be reached at the start
      """,
    version: ServerVersion.current,
    subcommands: [
      ServeCommand.self, EnrolCommand.self, EnrolListCommand.self, GiveUnlockCommand.self, ApproveCommand.self,
      UsersCommand.self,
      DevicesCommand.self, MachinesCommand.self, JoinCodeCommand.self, CodesCommand.self, RevokeCommand.self,
      DisableCommand.self,
      LockCommand.self,
      EnableCommand.self, AdminCommand.self, TokenCommand.self, AuditCommand.self, PoliciesCommand.self,
      MachinePolicyCommand.self,
      KeysCommand.self, BackupCommand.self,
      RestoreCommand.self, ExportCommand.self, ImportCommand.self, MigrateCommand.self, DecodeCommand.self,
      MetadataCommand.self,
    ])

  /// Protects the process's memory, then runs the command line.
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == ServeCommand.configuration.commandName { ServerProcess.ignoreHangup() }
    do throws(ServerError) {
      try ServerProcess.forbidDumps()
    } catch {
      Terminal.note(error.description)
      Glibc.exit(error.exit.rawValue)
    }
    Glibc.exit(await ServerProgram.run(Array(arguments)).rawValue)
  }
}
