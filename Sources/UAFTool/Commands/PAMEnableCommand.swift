import ArgumentParser
import PAMStacks

/// `uafctl pam enable`.
struct PAMEnableCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Has a service ask for the passcode; root only.",
    discussion: """
      Copies a ready stack to uaf-SERVICE beside the service's file, and changes the one line there that includes the \
      password's stack so that it includes this one. Nothing is changed before libpam was asked with the new stack, and \
      nothing at all where administrators would have no other way in. Again with another shape it changes the shape. \
      Other names of the same program, such as sudo-i for "sudo -i", are changed with it, all or none.
      """)

  @Argument(help: "The service, such as sudo.", completion: Completion.services)
  var service: String

  @Option(
    help: ArgumentHelp(
      "The passcode's part: instead (of the password), fallback (passcode and password where the server "
        + "cannot be reached) or second-factor (after the password). Left out: instead for sshd and sddm, otherwise fallback.",
      valueName: "shape"))
  var shape: PAMShape?

  @Option(
    help: ArgumentHelp(
      "The ready stack: sudo, sshd, login, su, polkit-1, display-manager, sddm or locker. Left out: the service's own.",
      valueName: "name"),
    completion: .list(["sudo", "sshd", "login", "su", "polkit-1", "display-manager", "sddm", "locker"]))
  var template: String?

  @Option(
    name: .customLong("try"),
    help: ArgumentHelp(
      "Logs this account in at the terminal first, and changes nothing where that fails.", valueName: "user"),
    completion: Completion.people)
  var person: String?

  @Flag(help: "Shows what would be changed, tries it, and changes nothing.")
  var dryRun = false

  @Flag(help: "Leaves other names of the same program as they are, such as sudo-i beside sudo.")
  var only = false

  @OptionGroup var pamFolder: PAMFolderOption

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let site = surroundings.pamSite
    let folder = try pamFolder.open(in: surroundings)
    let enabling = ServiceEnabling(
      service, in: folder, of: site, shape: shape, template: template, isAlone: only)
    let trier = person.map { TrialPerson(name: $0, answerer: TerminalAnswerer(in: surroundings)) }
    do throws(StackError) {
      try enabling.run(isDryRun: dryRun, as: trier) { surroundings.result($0) }
    } catch {
      throw .stack(error)
    }
    if !dryRun { pamFolder.tellOpenDoors(in: surroundings) }
    return .success
  }
}
