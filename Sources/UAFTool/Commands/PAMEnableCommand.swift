import ArgumentParser

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

  private static let bystander = "nobody"

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let folder = try pamFolder.open(in: surroundings)
    do throws(StackError) {
      let folders = [folder.path] + surroundings.installation.vendorPAMFolders
      let reading = FolderReading(of: folders)
      let family = try plan(for: PAMService(service), in: folder, surroundings.installation)
      for plan in family.plans where plan.isInPlace {
        surroundings.result(StackText.inPlace(service: plan.service.name, template: plan.record.template))
      }
      for note in family.notes { surroundings.result(note) }
      if !family.isInPlace {
        if dryRun { for plan in family.toDo { surroundings.output.result(plan.difference(in: folder)) } }
        for line in try examine(family, in: folder, surroundings) { surroundings.result(line) }
        guard !dryRun else { return .success }
        // What was tried is not what would be put in place, if any of it has changed: and a person may have been asked meanwhile.
        if let path = reading.difference(to: FolderReading(of: folders)) { throw StackError.changed(path: path) }
        try family.apply(in: folder)
        for plan in family.toDo { tell(of: plan, in: folder, surroundings) }
      }
      guard !dryRun else { return .success }
      pamFolder.tellOpenDoors(in: surroundings)
      return .success
    } catch {
      throw .stack(error)
    }
  }

  private func tell(of plan: StackPlan, in folder: PAMFolder, _ surroundings: Surroundings) {
    surroundings.result(
      StackText.asks(
        path: folder.path(of: plan.service.name), stack: plan.service.stackName, template: plan.record.template))
    if plan.isEdited { surroundings.result(StackText.saved(path: folder.path(of: plan.service.savedName))) }
  }

  private func plan(
    for service: PAMService, in folder: PAMFolder, _ machine: Installation
  ) throws(StackError) -> FamilyPlan {
    var vendors: [PAMFolder] = []
    for path in machine.vendorPAMFolders {
      if let vendor = try? PAMFolder(path, owner: machine.owner) { vendors.append(vendor) }
    }
    let template: String
    if self.template == nil, shape == nil, !only,
      let inPlace = try FamilyEnabling.templateInPlace(beside: service, in: folder)
    {
      template = inPlace
    } else {
      template = try service.template(self.template, shape: shape)
    }
    return try FamilyEnabling(service: service, isAlone: only) { [vendors] name in
      StackEnabling(
        service: name, folder: folder, vendors: vendors, template: template, templates: machine.templateFolder)
    }.plan()
  }

  /// Whether all of it may be put in place: another way in is left, and libpam does with it what it should.
  private func examine(
    _ family: FamilyPlan, in folder: PAMFolder, _ surroundings: Surroundings
  ) throws(StackError) -> [StackText] {
    let machine = surroundings.installation
    let trial = try TrialFolder(
      copying: folder.path, vendors: machine.vendorPAMFolders, in: machine.trialParent)
    for plan in family.toDo {
      try trial.put(plan.stack, as: plan.service.stackName)
      try trial.put(plan.after, as: plan.service.name)
    }
    // Whoever sits there logs in once: by the name that was given, or by one that is to be changed.
    let tried = family.toDo.first { $0.service.name == service } ?? family.toDo.last
    var seen: [StackText] = []
    var mayUse = false
    for plan in family.toDo {
      let examined = try examine(plan, in: trial, surroundings)
      seen += examined.seen.filter { !seen.contains($0) }
      if plan.service == tried?.service { mayUse = examined.mayUse }
    }
    if let person, let name = tried?.service.name,
      case .failure(let refusal) = machine.tester.answered(
        name, in: trial.path, as: person, account: mayUse, in: surroundings)
    {
      throw .trial(.personRefused(refusal))
    }
    return seen
  }

  private func examine(
    _ plan: StackPlan, in trial: TrialFolder, _ surroundings: Surroundings
  ) throws(StackError) -> (seen: [StackText], mayUse: Bool) {
    let machine = surroundings.installation
    var seen: [StackText] = []
    // Where refused logins are counted, those of nobody lock nobody out.
    let user = person ?? (surroundings.caller.accounts.account(named: Self.bystander) == nil ? "root" : Self.bystander)
    var people = [user]
    if !plan.service.changesPasswords {
      let way = try wayIn(by: plan, in: trial, surroundings)
      if let rescuer = way.rescuer, rescuer != user { people.append(rescuer) }
      seen.append(.wayIn(way))
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
    return (seen, mayUse)
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
