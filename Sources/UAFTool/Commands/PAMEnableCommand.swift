import ArgumentParser

/// `uafctl pam enable`.
struct PAMEnableCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Has a service ask for the passcode; root only.",
    discussion: """
      Copies a ready stack to uaf-SERVICE beside the service's file, and changes the one line there that includes the \
      password's stack so that it includes this one. Nothing is changed before libpam was asked with the new stack, and \
      nothing at all where administrators would have no other way in. Again with another shape it changes the shape.
      """)

  @Argument(help: "The service, such as sudo.")
  var service: String

  @Option(
    help: ArgumentHelp(
      "The passcode's part: instead (of the password), fallback (passcode and password where the server "
        + "cannot be reached) or second-factor (after the password). Left out: instead for sshd, otherwise fallback.",
      valueName: "shape"))
  var shape: PAMShape?

  @Option(
    help: ArgumentHelp(
      "The ready stack: sudo, sshd, login, su, polkit-1 or locker. Left out: the service's own.", valueName: "name"))
  var template: String?

  @Option(
    name: .customLong("try"),
    help: ArgumentHelp(
      "Logs this account in at the terminal first, and changes nothing where that fails.", valueName: "user"))
  var person: String?

  @Flag(help: "Shows what would be changed, tries it, and changes nothing.")
  var dryRun = false

  @OptionGroup var pamFolder: PAMFolderOption

  private static let bystander = "nobody"

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let folder = try pamFolder.open(toChange: "change how services ask", in: surroundings)
    do throws(StackError) {
      let folders = [folder.path] + surroundings.installation.vendorPAMFolders
      let reading = FolderReading(of: folders)
      let plan = try plan(for: PAMService(service), in: folder, surroundings.installation)
      if plan.isInPlace {
        surroundings.output.result("\(service) asks for the passcode already: \(plan.record.template)")
        return .success
      }
      if dryRun { surroundings.output.result(plan.difference(in: folder)) }
      for line in try examine(plan, in: folder, surroundings) { surroundings.output.result(line) }
      guard !dryRun else { return .success }
      // What was tried is not what would be put in place, if any of it has changed: and a person may have been asked meanwhile.
      if let path = reading.difference(to: FolderReading(of: folders)) { throw StackError.changed(path: path) }
      try plan.apply(in: folder)
      surroundings.output.result(
        "\(folder.path(of: service)): asks for the passcode, by \(plan.service.stackName) (\(plan.record.template))")
      if plan.isEdited {
        surroundings.output.result("the edited stack is kept as \(folder.path(of: plan.service.savedName))")
      }
      return .success
    } catch {
      throw .stack(error)
    }
  }

  private func plan(
    for service: PAMService, in folder: PAMFolder, _ machine: Installation
  ) throws(StackError) -> StackPlan {
    var vendors: [PAMFolder] = []
    for path in machine.vendorPAMFolders {
      if let vendor = try? PAMFolder(path, owner: machine.owner) { vendors.append(vendor) }
    }
    return try StackEnabling(
      service: service, folder: folder, vendors: vendors, template: service.template(template, shape: shape),
      templates: machine.templateFolder
    ).plan()
  }

  /// Whether it may be put in place: another way in is left, and libpam does with it what it should.
  private func examine(
    _ plan: StackPlan, in folder: PAMFolder, _ surroundings: Surroundings
  ) throws(StackError) -> [String] {
    let machine = surroundings.installation
    let trial = try TrialFolder(
      copying: folder.path, vendors: machine.vendorPAMFolders, in: machine.trialParent)
    try trial.put(plan.stack, as: plan.service.stackName)
    try trial.put(plan.after, as: plan.service.name)
    var seen: [String] = []
    // Where refused logins are counted, those of nobody lock nobody out.
    let user = person ?? (surroundings.caller.accounts.account(named: Self.bystander) == nil ? "root" : Self.bystander)
    var people = [user]
    if !plan.service.changesPasswords {
      let way = try wayIn(by: plan, in: trial, surroundings)
      if let rescuer = way.rescuer, rescuer != user { people.append(rescuer) }
      seen.append("without pam_uaf gets in: \(way)")
    }
    seen += try StackTrial(
      plan: plan, folder: trial, tester: machine.tester, moduleFolders: machine.moduleFolders, user: user
    ).run()
    var mayUse = false
    for name in plan.service.changesPasswords ? [] : people {
      let tried = try AccountTrial(plan: plan, folder: trial, tester: machine.tester).run(as: name)
      if name == user { mayUse = tried.mayUse }
      seen.append(tried.text)
    }
    if let person,
      case .failure(let refusal) = machine.tester.answered(
        plan.service.name, in: trial.path, as: person, account: mayUse, in: surroundings)
    {
      throw .trial(.personRefused(refusal.text))
    }
    return seen
  }

  private func wayIn(
    by plan: StackPlan, in trial: TrialFolder, _ surroundings: Surroundings
  ) throws(StackError) -> WayIn.Way {
    let stacks = RescueReading(reader: PAMDirectory(path: trial.path))
    return try WayIn(accounts: surroundings.caller.accounts, passwords: surroundings.installation.passwords).find(
      WayIn.Services(
        leadsRescuePast: stacks.leadsRescuePast(plan.service.name), consoleIsFree: stacks.asksPasswordAlone("login"),
        consoleIsOpen: stacks.isOpen("login"), sudoIsOpen: stacks.isOpen("sudo")))
  }
}
