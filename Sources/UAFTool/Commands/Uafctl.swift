import ArgumentParser
import Doctor

/// The command without a subcommand: help and version.
struct Uafctl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uafctl",
    abstract: "Registers and checks the passcode that logs you in, and looks after pam-uaf.",
    discussion: """
      Passcodes and enrolment codes are asked for on the terminal without showing them. Where standard input is no terminal, \
      each question takes one line of it. Only results go to standard output.


      """ + ExitStatusHelp().english,
    version: ToolVersion.text,
    subcommands: [
      RegisterCommand.self, AuthenticateCommand.self, ChangeCommand.self, ResetCommand.self, DeregisterCommand.self,
      RepairCommand.self, OutOfBandCommand.self, StatusCommand.self, UnlockCommand.self, ForgetCommand.self,
      RenameCommand.self,
      InitCommand.self,
      SealCommand.self, UnsealCommand.self, RecoverCommand.self, TrustCommand.self, JoinCommand.self, LeaveCommand.self,
      CheckInCommand.self, PolicyCommand.self, FacetCommand.self, DoctorCommand.self, PAMCommand.self,
    ])

  @OptionGroup var conf: ConfigurationOption
}
