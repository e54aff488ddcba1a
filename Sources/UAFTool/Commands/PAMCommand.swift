import ArgumentParser
import Doctor
import Glibc
import HostSystem
import PAMStacks
import Wording

/// `uafctl pam`.
struct PAMCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pam",
    abstract: "Has services ask for the passcode, or stop asking.",
    subcommands: [PAMEnableCommand.self, PAMDisableCommand.self, PAMStatusCommand.self])
}

/// `--pam-directory`, which every subcommand that looks at stacks has.
struct PAMFolderOption: ParsableArguments {
  /// Where Linux-PAM looks first.
  static let standard = "/etc/pam.d"

  @Option(
    name: .customLong("pam-directory"), help: ArgumentHelp("Folder of the PAM services.", valueName: "folder"),
    completion: .directory)
  var path = PAMFolderOption.standard

  /// The folder, opened for changes by root.
  ///
  /// - Throws: ``ToolError``: `onlyRoot`, `stack`.
  func open(in context: ToolContext) throws(ToolError) -> PAMFolder {
    guard context.caller.isRoot else { throw .onlyRoot(.changeServices) }
    do throws(StackError) {
      return try context.pamSite.open(path)
    } catch {
      throw .stack(error)
    }
  }
}

/// Which ready stack a service gets.
struct StackOptions: ParsableArguments {
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
}

extension PAMShape: ExpressibleByArgument {}

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

/// `uafctl pam disable`.
struct PAMDisableCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Has a service, or all, ask for the password again; root only.",
    discussion: """
      Puts the one line back that enable changed, and removes the stack; other lines stay as they are, and a stack that \
      was edited is kept under a hidden name. Fails, and names them, where lines that ask for the passcode remain: those \
      that uafctl did not write are never touched. With a program's main name, such as sudo, its other names, such as sudo-i, \
      stop asking as well.
      """)

  @Argument(help: "The service, such as sudo.", completion: MachineCompletion.enabledServices)
  var service: String?

  @Flag(help: "Every service that was enabled.")
  var all = false

  @Flag(help: "Leaves other names of the same program as they are, such as sudo-i beside sudo.")
  var only = false

  @OptionGroup var pamFolder: PAMFolderOption

  func validate() throws {
    if all == (service != nil) { throw ValidationError(UsageMistake.serviceOrAll.english) }
    if all, only { throw ValidationError(UsageMistake.onlyWithoutService.english) }
  }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    if all, context.caller.isRoot, case .failure(let error) = FileState.of(pamFolder.path), error.isAbsence {
      return .success
    }
    return try DisablingRun(in: try pamFolder.open(in: context), context: context).run(service, isAlone: only)
  }
}

/// `uafctl pam status`.
struct PAMStatusCommand: JSONDocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Lists the services that ask for the passcode.",
    discussion: """
      Names those that ask without it, too: other names of the same program, and other ways into a session. With --json it \
      is one object, for scripts: uafctl(1) says what its members are.
      """)

  @OptionGroup var pamFolder: PAMFolderOption

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let list = StackList(
      reader: PAMDirectory(path: pamFolder.path, vendors: context.installation.vendorPAMFolders))
    guard let entries = list.entries() else {
      throw .stack(.folder(path: pamFolder.path, .system(errno)))
    }
    if json {
      let doors = ServiceDoors(
        folder: pamFolder.path, vendors: context.installation.vendorPAMFolders, sudo: context.installation.readSudoers()
      )
      context.output.result(StackReport(list: list, entries: entries, doors: doors).text)
      return .success
    }
    if entries.isEmpty { context.note(StackText.nobodyAsks(folder: pamFolder.path)) }
    for entry in entries {
      context.result(StackText.listed(service: ShownText.line(entry.name), entry.origin))
      if let place = list.passing(entry) {
        context.result(StackText.passedOver(service: ShownText.line(entry.name), place))
      }
    }
    if !entries.isEmpty { DoorReport(pamFolder.path, in: context).tellOpenDoors() }
    return .success
  }
}
