import ArgumentParser
import Doctor
import PAMStacks

/// `uafctl pam enable`.
struct PAMEnableCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Has a service ask for the passcode; root only.",
    discussion: """
      Copies a ready stack to uaf-SERVICE beside the service's file, and changes the one line there that includes the \
      password's stack so that it includes this one. Nothing is changed before libpam was asked with the new stack, and \
      nothing at all where administrators would have no other way in, or where people use the service who are not \
      registered on this machine. Again with another shape it changes the shape. \
      Other names of the same program, such as sudo-i for "sudo -i", are changed with it, all or none.
      """)

  @Argument(help: "The service, such as sudo.", completion: MachineCompletion.services)
  var service: String

  @OptionGroup var stack: StackOptions

  @Option(
    name: .customLong("try"),
    help: ArgumentHelp(
      "Logs this account in at the terminal first, and changes nothing where that fails.", valueName: "user"),
    completion: MachineCompletion.people)
  var person: String?

  @Flag(help: "Shows what would be changed, tries it, and changes nothing.")
  var dryRun = false

  @Flag(help: "Leaves other names of the same program as they are, such as sudo-i beside sudo.")
  var only = false

  @Flag(help: "Goes on although people who use the service today are not registered, and will be refused.")
  var anyway = false

  @OptionGroup var pamFolder: PAMFolderOption

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let enabling = ServiceEnabling(
      service, in: try pamFolder.open(in: context), of: context.pamSite, shape: stack.shape, template: stack.template,
      isAlone: only, isAnyway: anyway)
    let trier = person.map { TrialPerson(name: $0, answerer: TerminalAnswerer(in: context)) }
    do throws(StackError) {
      try enabling.run(isDryRun: dryRun, as: trier) { context.result($0) }
    } catch {
      throw .stack(error)
    }
    guard !dryRun else { return .success }
    DoorReport(pamFolder.path, in: context).tellOpenDoors()
    guard service == "sshd" else { return .success }
    for finding in Examination.ssh(of: context.installation, services: pamFolder.path, isRoot: true)
    where finding.level != .ok {
      context.output.result(finding.line(in: context.language, colours: false))
    }
    return .success
  }
}
