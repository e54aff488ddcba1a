// Purpose: The program uaf-server: the service over HTTPS, the command line, the state folder. The only target that may import
// Hummingbird.
//
// Routes/ is the HTTP interface, Admission/ limits requests and connections, Files/ reads and writes the state folder,
// Certificates/ is for TLS, and Commands/ is the command line. All decisions about requests and answers are made in UAFService.

import ArgumentParser
import Glibc
import Invocation
import UAFAdministration
import UAFMessages
import UAFService

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
        1  refused: no such account, or a check failed
        2  usage or configuration: the command line, or a file or folder that it names
        3  the server cannot listen on the address, or the store cannot be used
        4  the person who was asked denied the request
        5  the output could not be written
        6  nothing was done: more accounts would be disabled at once than the limit allows
        78 the database of --store cannot be used, or cannot be reached at the start
      """,
    version: ServerVersion.current,
    subcommands: [
      ServeCommand.self, EnrolCommand.self, EnrolListCommand.self, GiveUnlockCommand.self, ApproveCommand.self,
      UsersCommand.self, PersonCommand.self, PersonGroupCommand.self,
      SyncCommand.self,
      DevicesCommand.self, MachinesCommand.self, JoinCodeCommand.self, CodesCommand.self, RevokeCommand.self,
      DisableCommand.self,
      LockCommand.self,
      EnableCommand.self, AdminCommand.self, TokenCommand.self, AuditCommand.self, PoliciesCommand.self,
      MachinePolicyCommand.self,
      KeysCommand.self, AuthorityCommand.self, BackupCommand.self,
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

/// Runs the program: from its arguments to its exit status.
enum ServerProgram {
  private static var names: CommandNames { CommandNames(UAFServerCommand.self) }

  /// Parses `arguments`, runs the command, and reports errors on standard error.
  static func run(_ arguments: [String]) async -> ExitStatus {
    let status = await carryOut(arguments)
    guard let number = Terminal.failure else { return status }
    Terminal.note(ServerError.unwritten(errorNumber: number).description)
    return .unwritten
  }

  private static func carryOut(_ arguments: [String]) async -> ExitStatus {
    if let unknown = names.unknownTopic(in: arguments) { return tell(unknown) }
    do {
      var command = try await UAFServerCommand.asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return .success
    } catch {
      return tell(error, isJSON: arguments.contains("--json"))
    }
  }

  /// Prints an error, and returns the exit status for it.
  ///
  /// Help, version and completions are printed as results. For an `ExitCode` nothing is printed: the command has already
  /// printed the reason.
  ///
  /// - Parameter isJSON: whether a refusal is also printed as a problem in JSON, in place of the result.
  private static func tell(_ error: any Error, isJSON: Bool) -> ExitStatus {
    switch (error as? AdministrationRefusal).map({ Problem($0) as any Error }) ?? error {
    case let code as ExitCode: return ExitStatus(rawValue: code.rawValue) ?? .refused
    case let problem as Problem:
      if isJSON { Terminal.result(JSONText.ascii(JSONValue.object(problem.json).text)) }
      Terminal.note(problem.text)
      return problem.exit
    case let error as LinkError:
      Terminal.note(error.description)
      return .unreachable
    case let error as ServerError:
      Terminal.note(error.description)
      return error.exit
    case let error as any StoreFailure:
      Terminal.note("the store cannot be used: \(error.text)")
      return .unreachable
    default: break
    }
    let full = UAFServerCommand.fullMessage(for: error)
    if UAFServerCommand.exitCode(for: error).isSuccess {
      Terminal.result(full)
      return .success
    }
    let message = ParserMessage(error, by: UAFServerCommand.self)
    if let unknown = names.unknownCommand(by: message.mistake, after: message.path) { return tell(unknown) }
    let prefix = "Error: "
    Terminal.note(full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full)
    return .usage
  }

  private static func tell(_ unknown: UnknownCommand) -> ExitStatus {
    Terminal.note("\(unknown)\nhint: \(unknown.hint)")
    return .usage
  }
}
