import ServiceNames

/// Makes a service ask for the passcode, together with the other names of its program.
package struct ServiceEnabling {
  private let name: String
  private let folder: PAMFolder
  private let site: PAMSite
  private let shape: PAMShape?
  private let template: String?
  private let until: String?
  private let isAlone: Bool
  private let isAnyway: Bool
  private let startsSessions: Bool

  /// - Parameters:
  ///   - name: the service's name, as given.
  ///   - folder: the folder of the services.
  ///   - site: the machine.
  ///   - shape: the role of the passcode; nil for the present one, or the template's default.
  ///   - template: the ready stack; nil for the service's own.
  ///   - until: the last day on which people get to the password who never registered, as YYYY-MM-DD; nil if they never do.
  ///   - isAlone: whether the other names of the program stay unchanged.
  ///   - isAnyway: whether to continue although people who are not registered lose the service, or have an empty password, who
  ///     are only reported, or
  ///     although something on this machine, such as sshd's settings, keeps the stack from working.
  ///   - startsSessions: whether the shell of a person is started before the person is named as a way in; a dry run starts none,
  ///     because that runs the person's own files.
  package init(
    _ name: String, in folder: PAMFolder, of site: PAMSite, shape: PAMShape?, template: String?, until: String? = nil,
    isAlone: Bool, isAnyway: Bool, startsSessions: Bool = true
  ) {
    self.name = name
    self.folder = folder
    self.site = site
    self.shape = shape
    self.template = template
    self.until = until
    self.isAlone = isAlone
    self.isAnyway = isAnyway
    self.startsSessions = startsSessions
  }

  /// Makes a plan, tries it, and writes either all of it or nothing.
  ///
  /// - Parameters:
  ///   - isDryRun: whether the change is only shown and tried.
  ///   - person: logs in before anything is changed; nil if nobody does.
  ///   - tell: called with each thing that was found, tried or done, one line each.
  /// - Throws: ``StackError``; then nothing is changed, except for `notUndone`.
  package func run(
    isDryRun: Bool, as person: TrialPerson?, telling tell: @escaping (StackText) -> Void
  ) throws(StackError) {
    guard !PAMService.isName(name) || PAMService.nameForLibPAM(name) == name else {
      throw .badService(name, .capitals)
    }
    let folders = [folder.path] + site.vendorFolders
    let reading = FolderReading(of: folders)
    let doors = ServiceDoors(
      folder: folder.path, vendors: site.vendorFolders, sudo: site.sudo, ssh: site.ssh,
      displayManagers: site.displayManagers)
    if let fallen = doors.fallenName(of: name, isAlone: isAlone) { throw .fallen(fallen) }
    try checkSudo(doors)
    try checkSSH(doors)
    let family = try plan()
    try family.check(name, in: folder, vendors: site.vendorFolders)
    if until != nil, let hidden = family.plans.first(where: { site.hidesRegistrations($0.service.name) }) {
      throw .untilHidden(hidden.service.name)
    }
    for plan in family.plans where plan.isInPlace {
      tell(.inPlace(service: plan.service.name, template: plan.record.template))
    }
    for note in family.notes { tell(note) }
    guard !family.isInPlace else { return }
    try checkSettings(family)
    for plan in family.toDo { try folder.refuseMounts(for: plan.service, site.isMountPoint) }
    for text in links(to: family) where !family.notes.contains(text) { tell(text) }
    if isDryRun, isSudos { for gap in site.sudo.gaps { tell(.sudoersGap(gap)) } }
    if isDryRun { for plan in family.toDo { tell(.difference(plan.difference(in: folder))) } }
    let losing = losing(by: family)
    let withoutPassword = withoutPassword(in: family)
    let trial = FamilyTrial(
      family: family, service: name, folder: folder, site: site, person: person,
      startsSessions: startsSessions && !isDryRun)
    let seen = try trial.run(telling: tell) { () throws(StackError) in
      guard losing.isEmpty || isAnyway || until != nil else { throw .unregistered(losing) }
      guard withoutPassword.isEmpty || isAnyway else { throw .emptyPasswords(withoutPassword) }
      guard site.isUsable() || isAnyway else { throw .unusable }
    }
    for line in seen { tell(line) }
    if !losing.isEmpty { tell(until.map { .unregisteredUntil($0, losing) } ?? .unregistered(losing)) }
    if !withoutPassword.isEmpty { tell(.emptyPasswords(withoutPassword)) }
    guard !isDryRun else { return }
    // The trial may have waited for a person, and somebody may have changed a file since. What is written must be what was
    // tried.
    if let path = reading.difference(to: FolderReading(of: folders)) { throw .changed(path: path) }
    try family.apply(in: folder)
    for plan in family.toDo {
      tell(
        .asks(
          path: folder.path(of: plan.service.name), stack: plan.service.stackName, template: plan.record.template))
      if let until { tell(.passesUntil(until, service: plan.service.name)) }
      if plan.isEdited { tell(.saved(path: folder.path(of: plan.service.savedName))) }
    }
  }

  /// - Throws: ``StackError``: `ssh`.
  private func checkSettings(_ family: FamilyPlan) throws(StackError) {
    guard !isAnyway, family.plans.contains(where: { site.ssh.names.contains($0.service.name) }) else { return }
    let isSecondFactor = family.plans.contains { PAMShape.secondFactor.isOf($0.record.template) }
    if let problem = site.sshObstacle(isSecondFactor) { throw .ssh(problem) }
  }

  /// The names that are links to a service that changes, and therefore change too.
  private func links(to family: FamilyPlan) -> [StackText] {
    let reader = PAMDirectory(path: folder.path)
    let changed = Set(family.toDo.map(\.service.name))
    return (reader.services() ?? []).compactMap { name in
      guard let target = reader.linked(from: name), changed.contains(target) else { return nil }
      return .follows(path: folder.path(of: name), service: target)
    }
  }

  private var people: ServicePeople {
    ServicePeople(accounts: site.accounts, passwords: site.passwords, sudo: site.sudo)
  }

  /// The people who use one of the services now, and would be refused because they are not registered.
  private func losing(by family: FamilyPlan) -> [String] {
    var names: [String] = []
    // If the stack is already in place and asks everybody, only its shape changes.
    for plan in family.toDo where plan.isStricter(on: site.today()) {
      for name in people.names(of: plan.record.template) where !names.contains(name) { names.append(name) }
    }
    return names.filter { !site.isRegistered($0) }
  }

  /// The people who use one of the services, and whose password adds nothing although the stack is for a second factor.
  private func withoutPassword(in family: FamilyPlan) -> [String] {
    let reader = PAMDirectory(path: folder.path, vendors: site.vendorFolders)
    let users = family.toDo.filter { plan in
      PAMShape.secondFactor.isOf(plan.record.template)
        // The stack asks for the password with common-auth; the service may have lines of its own before it.
        && [plan.service.name, "common-auth"].contains {
          EmptyPasswords.areAccepted(by: reader.entries(of: $0, in: "auth"))
        }
    }.flatMap { people.users(of: $0.record.template) }
    return EmptyPasswords.names(site.passwords).filter(users.contains)
  }

  /// Whether sudo uses this service, or might use it.
  private var isSudos: Bool {
    ServiceFamily.of(name)?.main == "sudo" || site.sudo.family.names.contains(name) || template == "sudo"
  }

  /// Refuses if sudoers makes sudo use a different service, or if a part of sudoers that could not be read might do so.
  private func checkSudo(_ doors: ServiceDoors) throws(StackError) {
    if isSudos, let gap = site.sudo.gaps.first(where: \.mayHideService) { throw .sudoers(.unread(gap)) }
    if let asked = site.sudo.replacement(of: name) { throw .sudoers(.otherService(name, asked: asked)) }
    // The services of sudo are changed in a certain order, so that one of them can always be changed next. The last is `sudo`
    // or, if sudo does not use that name, the service for most people.
    let names = site.sudo.family.names
    let last = names.contains("sudo") ? "sudo" : site.sudo.main
    let together = ServiceFamily.of(last)?.names ?? [last]
    guard !isAlone, together.contains(name) else { return }
    for other in names where !together.contains(other) && doors.isOpen(other) {
      throw .sudoers(.furtherService(asked: other))
    }
  }

  /// Refuses if sshd_config makes sshd use a different service, or an additional one.
  private func checkSSH(_ doors: ServiceDoors) throws(StackError) {
    if name == "sshd", !site.ssh.names.contains(name) { throw .ssh(.otherService(asked: site.ssh.main)) }
    // sshd's main service is changed last, so that one of its services can always be changed next.
    guard !isAlone, name == site.ssh.main else { return }
    for other in site.ssh.others where doors.isOpen(other) { throw .ssh(.furtherService(asked: other)) }
  }

  private func plan() throws(StackError) -> FamilyPlan {
    let service = try PAMService(name)
    var vendors: [PAMFolder] = []
    for path in site.vendorFolders {
      if let vendor = try? PAMFolder(path, owner: site.owner) { vendors.append(vendor) }
    }
    let chosen = try chosenTemplate(for: service)
    return try FamilyEnabling(service: service, isAlone: isAlone) { [vendors] name in
      StackEnabling(
        service: name, folder: folder, vendors: vendors, template: chosen, templates: site.templateFolder,
        until: until)
    }.plan()
  }

  private func chosenTemplate(for service: PAMService) throws(StackError) -> String {
    if template == nil, shape == nil, !isAlone,
      let inPlace = try FamilyEnabling.templateInPlace(beside: service, in: folder)
    {
      return inPlace
    }
    if template == nil, shape == nil, let kept = try templateToKeep(of: service) { return kept }
    let usual = service.knownTemplate == nil && site.ssh.names.contains(name) ? "sshd" : nil
    return try service.template(template ?? usual, shape: shape)
  }

  /// The template of the stack in place if only its day changes: a shape that root chose then stays; nil otherwise.
  private func templateToKeep(of service: PAMService) throws(StackError) -> String? {
    let reader = PAMDirectory(path: folder.path)
    guard let stack = try folder.read(service.stackName),
      reader.inclusions(of: service.name).contains(service.stackName),
      let record = StackRecord.reading(stack, in: reader)?.record, record.service == service.name,
      until != nil || ServiceFile(stack).parsed.contains(where: \.passesUnregistered)
    else { return nil }
    return record.template
  }
}

/// Makes services ask for the password again.
package struct ServiceDisabling {
  private let folder: PAMFolder
  private let vendors: [String]
  private let reader: PAMDirectory
  private let isMountPoint: (String) -> Bool

  /// - Parameters:
  ///   - folder: the folder of the services.
  ///   - vendors: the folders in which libpam looks if the first has no file for a service.
  ///   - isMountPoint: whether something is mounted at a name.
  package init(in folder: PAMFolder, vendors: [String], isMountPoint: @escaping (String) -> Bool) {
    self.folder = folder
    self.isMountPoint = isMountPoint
    self.vendors = vendors
    reader = PAMDirectory(path: folder.path)
  }

  /// Every service that may have been enabled, by name.
  package func candidates() -> [PAMService] {
    let names = (reader.services() ?? []).map { name in
      name.hasPrefix(PAMService.prefix) ? String(name.dropFirst(PAMService.prefix.count)) : name
    }
    return Set(names).sorted().compactMap { try? PAMService($0) }.filter { service in
      // Any other file, such as a link, is not ours, and need not be changeable.
      reader.inclusions(of: service.name).contains(service.stackName) || reader.bytes(of: service.stackName) != nil
        || reader.bytes(of: service.backupName) != nil
    }
  }

  /// The named service and, if that is a program's main name, its other names that were enabled.
  ///
  /// The main name is first: it must not ask for the passcode any more when another name has stopped doing so. Either all names
  /// of a program are restored, or none.
  ///
  /// - Parameter isAlone: whether the other names stay unchanged.
  /// - Throws: ``StackError``.
  package func services(named name: String, isAlone: Bool) throws(StackError) -> [PAMService] {
    let service = try PAMService(name)
    try refuseUnknown(service)
    var services = [service]
    if !isAlone, let family = ServiceFamily.of(name), family.main == name {
      services += candidates().filter { family.members.contains($0.name) }
    }
    for service in services { _ = try StackDisabling(service: service, folder: Rehearsal(folder)).run() }
    return services
  }

  /// Restores one service.
  ///
  /// - Returns: what was done, one line for each; empty if there was nothing to do.
  /// - Throws: ``StackError``.
  package func run(_ service: PAMService) throws(StackError) -> [StackText] {
    try folder.refuseMounts(for: service, isMountPoint)
    return try StackDisabling(service: service, folder: folder).run()
  }

  /// The files that still contain the name of the module or of one of our stacks.
  ///
  /// - Parameter services: the only services to examine; nil for every file.
  package func remaining(among services: [PAMService]?) -> [String] {
    (reader.services() ?? []).filter { name in
      guard services?.contains(where: { $0.name == name || $0.stackName == name }) ?? true else { return false }
      return reader.ownLines(of: name).contains(where: \.asksOwnModule)
        || reader.inclusions(of: name).contains {
          $0.hasPrefix(PAMService.prefix) && reader.ownLines(of: $0).contains(where: \.asksOwnModule)
        }
    }
  }

  /// Refuses a name without a service and without files of an earlier change: a typing error must not look like a success.
  private func refuseUnknown(_ service: PAMService) throws(StackError) {
    let own = [service.name, service.stackName, service.backupName]
    guard !own.contains(where: { reader.bytes(of: $0) != nil }),
      !vendors.contains(where: { PAMDirectory(path: $0).bytes(of: service.name) != nil })
    else { return }
    throw .noService(service.name, folders: [folder.path] + vendors)
  }
}
