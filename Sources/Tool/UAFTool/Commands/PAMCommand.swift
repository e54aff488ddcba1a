import ArgumentParser
import Doctor
import Glibc
import HostSystem
import PAMStacks
import Wording

/// `uafctl pam`.
struct PAMCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandHelp.pam.configuration(
      "pam", subcommands: [PAMEnableCommand.self, PAMDisableCommand.self, PAMStatusCommand.self])
  }
}

/// `--pam-directory` of every subcommand that examines PAM stacks.
struct PAMFolderOption: ParsableArguments {
  /// The folder in which Linux-PAM looks first.
  static let standard = "/etc/pam.d"

  @Option(name: .customLong("pam-directory"), help: .text(.pamDirectory, valueName: "folder"), completion: .directory)
  var path = PAMFolderOption.standard

  /// Opens the folder for changes; only root may do that.
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

/// The options that choose one of the ready-made stacks for a service.
struct StackOptions: ParsableArguments {
  @Option(help: .text(.shape, valueName: "shape"))
  var shape: PAMShape?

  @Option(
    help: .text(.template, valueName: "name"),
    completion: .list(["sudo", "sshd", "login", "su", "polkit-1", "display-manager", "sddm", "locker"]))
  var template: String?
}

extension PAMShape: ExpressibleByArgument {}

/// `uafctl pam enable`.
struct PAMEnableCommand: Subcommand {
  static var configuration: CommandConfiguration { CommandHelp.pamEnable.configuration("enable") }

  @Argument(help: .text(.service), completion: MachineCompletion.services)
  var service: String

  @OptionGroup var stack: StackOptions

  @Option(help: .text(.until, valueName: "day"))
  var until: String?

  @Option(name: .customLong("try"), help: .text(.trial, valueName: "user"), completion: MachineCompletion.people)
  var person: String?

  @Flag(help: .text(.dryRun))
  var dryRun = false

  @Flag(help: .text(.only))
  var only = false

  @Flag(help: .text(.anyway))
  var anyway = false

  @Flag(help: .text(.noSessions))
  var noSessions = false

  @OptionGroup var pamFolder: PAMFolderOption

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let site = context.pamSite
    let end = try until.map { (text) throws(ToolError) in try PasswordEnd(text, today: context.today) }
    let enabling = ServiceEnabling(
      service, in: try pamFolder.open(in: context), of: site, shape: stack.shape, template: stack.template,
      until: end?.day.description, isAlone: only, isAnyway: anyway, startsSessions: !noSessions)
    let trier = person.map { TrialPerson(name: $0, answerer: TerminalAnswerer(in: context)) }
    do throws(StackError) {
      try enabling.run(isDryRun: dryRun, as: trier) { text in
        // What is about to be done is not a result.
        guard case .startsShell = text else { return context.result(text) }
        context.output.note(text.text(in: context.language))
      }
    } catch {
      throw .stack(error)
    }
    guard !dryRun else { return .success }
    DoorReport(pamFolder.path, in: context).tellOpenDoors()
    guard site.ssh.names.contains(service) else { return .success }
    for finding in Examination.ssh(
      of: context.installation, services: pamFolder.path, isRoot: true, accounts: context.caller.accounts)
    where finding.level != .ok {
      context.output.result(finding.line(in: context.language, colours: false))
    }
    return .success
  }
}

/// `uafctl pam disable`.
struct PAMDisableCommand: Subcommand {
  static var configuration: CommandConfiguration { CommandHelp.pamDisable.configuration("disable") }

  @Argument(help: .text(.service), completion: MachineCompletion.enabledServices)
  var service: String?

  @Flag(help: .text(.allServices))
  var all = false

  @Flag(help: .text(.only))
  var only = false

  @OptionGroup var pamFolder: PAMFolderOption

  func validate() throws {
    if all == (service != nil) { throw (all ? UsageMistake.serviceAndAll : .serviceOrAll).error }
    if all, only { throw UsageMistake.onlyWithoutService.error }
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
  static var configuration: CommandConfiguration { CommandHelp.pamStatus.configuration("status") }

  @OptionGroup var pamFolder: PAMFolderOption

  @Flag(help: .text(.jsonReport))
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let list = StackList(
      reader: PAMDirectory(path: pamFolder.path, vendors: context.installation.vendorPAMFolders))
    guard let entries = list.entries() else {
      throw .stack(.folder(path: pamFolder.path, .system(errno)))
    }
    if json {
      let doors = ServiceDoors(
        folder: pamFolder.path, vendors: context.installation.vendorPAMFolders,
        sudo: context.installation.readSudoers(),
        ssh: context.installation.readSSH(), displayManagers: context.installation.readDisplayManagers())
      context.output.result(StackReport(list: list, entries: entries, doors: doors).text)
      return .success
    }
    if entries.isEmpty { context.note(StackText.nobodyAsks(folder: pamFolder.path)) }
    for entry in entries {
      context.result(StackText.listed(service: ShownText.line(entry.name), entry.origin))
      if let rollout = Rollout(of: entry, in: list) { context.result(rollout.text(on: context.today)) }
      if let place = list.passing(entry) {
        context.result(StackText.passedOver(service: ShownText.line(entry.name), place))
      }
      if list.letsInRefused(entry) { context.result(StackText.letsInRefused(service: ShownText.line(entry.name))) }
      if let stack = list.silentStack(of: entry.name) {
        context.result(StackText.silent(service: ShownText.line(entry.name), stack: ShownText.line(stack)))
      }
      if let gap = list.passwordGap(of: entry) {
        context.result(StackText.passwordGap(service: ShownText.line(entry.name), gap))
      }
    }
    if !entries.isEmpty { DoorReport(pamFolder.path, in: context).tellOpenDoors() }
    return .success
  }
}
