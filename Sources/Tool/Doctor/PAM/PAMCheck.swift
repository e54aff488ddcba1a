import Glibc
import HostSystem
import PAMStacks
import UAFConfiguration
import Wording

/// Checks the PAM services with pam_uaf: whether only the right people can log in if it refuses.
struct PAMCheck {
  let directory: String
  let moduleFolders: [String]
  /// The folders in which libpam looks for services that have no file in the folder.
  let vendorFolders: [String]
  /// The uid that must own the module.
  let owner: uid_t
  /// Groups, and the state of passwords.
  let passwords: any PasswordDirectory
  /// Whether passwords can be examined.
  let isRoot: Bool
  /// The directory in which accounts are looked up.
  let accounts: any AccountDirectory
  /// The program that asks libpam for the result of account lines.
  let tester: any StackTester
  /// The folder in which a copy of the services is made for that.
  let trialParent: String
  /// Whether registrations are hidden from every caller of a service.
  var hidesState: (String) -> Bool = { _ in false }
  /// The day in UTC.
  var today = CalendarDay(at: 0)
  /// Those among some people who have registered nothing on this machine; nil if that is not known.
  var unregistered: ([String]) -> [String]? = { _ in nil }
  /// Why arguments of the module contradict the configuration of a service; nil if they can.
  var contradiction: (ModuleArguments, String) -> ConfigurationError? = { _, _ in nil }
  /// Whether the configuration lets `account_check` ask the server.
  var canAskStates = true
  /// The settings of sudo that decide whom it asks, and how.
  var sudo = SudoSettings()
  /// The PAM services that sshd uses.
  var ssh = SSHServices()
  /// The display managers of this machine.
  var displayManagers = DisplayManagers()
  /// Whether the shells of the members of the rescue group are started.
  var startsSessions = false
  /// Whether the stacks are tried for the members of the rescue group.
  var triesRescuers = true

  func findings() -> [Finding] {
    let folder = PAMDirectory(path: directory, vendors: vendorFolders)
    guard let services = folder.services() else {
      return [.failure(.pamFolder, PAMText.noFolder(directory))]
    }
    let loose =
      includes(folder, services) + unusedStacks(folder) + silentStacks(folder, services) + misspelt(folder, services)
      + twoReadings(folder, services)
      + carriageReturns(folder, services)
    // A shared part of stacks is judged where it is included, not alone. Any other included file may also be a service.
    let concerned = services.filter { service in
      !PAMService.isPart(service) && folder.wholeStack(of: service).contains(where: \.asksOwnModule)
    }
    guard !concerned.isEmpty else {
      return loose + profile(folder) + [.warning(.pamUnused, PAMText.unused(folder: directory))]
    }
    let lines = concerned.flatMap { folder.wholeStack(of: $0) }.filter(\.asksOwnModule)
    var stacks: [Finding] = []
    for service in concerned {
      let verdict = stack(service, folder.entries(of: service, in: "auth"))
      // A line that several services include is reported once.
      let shared = [verdict].compactMap(\.self) + argumentFindings(service, folder)
      for finding in shared where !stacks.contains(finding) { stacks.append(finding) }
      stacks += lineFindings(service, folder.wholeStack(of: service))
      if isRoot, let finding = emptyPasswords(service, folder) { stacks.append(finding) }
      // Only root can read everything that libpam can read.
      if isRoot, let place = folder.unreadInclusion(of: service), !stacks.contains(Self.unread(place)) {
        stacks.append(Self.unread(place))
      }
    }
    return modules(lines) + loose + profile(folder) + stacks + otherDoors()
      + rescue(folder, concerned)
  }

  /// A line at which libpam refuses everybody, because it cannot read what the line includes.
  private static func unread(_ place: StackLinePlace) -> Finding {
    .failure(.pamInclude, PAMNameText.unread(place: "\(place.path):\(place.line)"))
  }

  /// Whether the modules that the lines name exist.
  private func modules(_ lines: [PAMLine]) -> [Finding] {
    var names: [String] = []
    for line in lines where !names.contains(line.module) { names.append(line.module) }
    return names.map { name in
      guard let place = place(of: name) else {
        return .failure(.pamModule, PAMText.noModule(name))
      }
      return objection(to: place) ?? .ok(PAMText.module(path: place))
    }
  }

  /// Where PAM finds the module of a line; nil if it finds none.
  func place(of module: String) -> String? {
    let places = module.hasPrefix("/") ? [module] : moduleFolders.map { $0 + "/" + module }
    return places.first { (try? FileState.of($0).get()) != nil }
  }

  /// Anybody who can write to the module decides who can log in.
  private func objection(to place: String) -> Finding? {
    guard case .success(let state) = FileState.of(place), state.kind == S_IFREG else {
      return .failure(.pamModule, PAMText.moduleNoFile(path: place))
    }
    guard state.owner == owner, state.mode & 0o022 == 0 else {
      return .failure(.pamModule, PAMText.moduleOpen(path: place))
    }
    return nil
  }

  /// The finding about a service's stack; nil if the service uses the module for something other than authentication.
  private func stack(_ service: String, _ entries: [StackEntry]) -> Finding? {
    guard let own = entries.first(where: \.line.asksOwnModule)?.line else { return nil }
    let reading = StackReading(entries, of: service)
    let file = "\(directory)/\(service)"
    let edited = editedStack(of: service)
    let refusal = reading.refusal
    let gap = reading.passwordGap(
      isSecondFactor: StackList(reader: PAMDirectory(path: directory)).isSecondFactor(service, reading))
    if refusal == .refuses, reading.leadingPast == nil, let gap, gap.kind == .wrong { return Self.finding(gap) }
    if let anybody = reading.lettingAnybodyIn {
      // If a refusal of pam_uaf really refuses, an earlier line that bypasses it is named first, as in `uafctl pam enable`.
      let line = own.refusalRefuses ? reading.passing ?? anybody : anybody
      return .failure(.pamPassedOver, PAMText.passedOver(file: line.place.path, line: line.place.line))
    }
    if refusal != .refuses, let edited {
      return .failure(.pamEdited, PAMText.edited(file: edited, service: service))
    }
    if refusal == .letsIn { return .failure(.pamLetsIn, PAMText.letsIn(file: file)) }
    if own.decidesNothing { return .warning(.pamNoEffect, PAMText.noEffect(file: file)) }
    // If its refusal does not refuse, pam_uaf is only one of several ways in.
    if let line = reading.passing, own.refusalRefuses || edited != nil {
      return .failure(.pamPassedOver, PAMText.passedOver(file: line.place.path, line: line.place.line))
    }
    if let gap { return Self.finding(gap) }
    if refusal == .leavesToOthers { return .ok(PAMText.wayBehind(file: file)) }
    if reading.passing != nil { return .ok(PAMText.wayBefore(file: file)) }
    return reading.leadsRescuersPast
      ? .ok(PAMText.wayPast(file: file)) : .warning(.pamNoWayIn, PAMText.noWayIn(file: file))
  }

  /// A warning about people with an empty password, if a stack for a second factor accepts it.
  private func emptyPasswords(_ service: String, _ folder: PAMDirectory) -> Finding? {
    let entries = folder.entries(of: service, in: "auth")
    guard StackList(reader: folder).isSecondFactor(service, StackReading(entries, of: service)),
      EmptyPasswords.areAccepted(by: entries)
    else { return nil }
    let names = EmptyPasswords.names(passwords)
    return names.isEmpty
      ? nil : .warning(.pamEmptyPassword, PAMText.emptyPasswords(file: "\(directory)/\(service)", names))
  }

  private static func finding(_ gap: PasswordGap) -> Finding {
    .failure(.pamWrongPassword, PAMText.passwordGap(gap))
  }

  /// The stack of `uafctl pam enable` that a service includes, if somebody has edited it.
  private func editedStack(of service: String) -> String? {
    let entries = StackList(reader: PAMDirectory(path: directory)).entries() ?? []
    guard case .enabled(_, isEdited: true) = entries.first(where: { $0.name == service })?.origin else { return nil }
    return "\(directory)/\(PAMService.prefix)\(service)"
  }
}

// Mistakes that are easily overlooked in stacks with the module: arguments of removed lines, one line of a pair, includes of
// missing files, and a second way in that nobody can use.

extension PAMCheck {
  /// Findings about single lines of a service and of the files that it includes.
  func lineFindings(_ service: String, _ lines: [PAMLine]) -> [Finding] {
    let own = lines.filter(\.asksOwnModule)
    let file = "\(directory)/\(service)"
    var findings: [Finding] = []
    if own.contains(where: \.passesUnregistered) {
      if let finding = passing(service, own) { findings.append(finding) }
    } else if !hidesState(service), own.contains(where: { $0.group == "auth" && $0.excusesUnregistered }) {
      findings.append(.warning(.pamNouserok, PAMLineText.unregisteredExcused(file: file)))
    }
    if mayFindStale(own), !own.contains(where: { $0.group == "password" }) {
      findings.append(.warning(.pamNoPasswordLine, PAMLineText.noPasswordLine(file: file)))
    }
    return findings + accountFindings(service, lines)
  }

  /// How many days before the last one doctor begins to warn: people need a code, and the time to come for it.
  private static let daysOfWarning = 14
  /// A later day is no end, but an oversight; `uafctl pam enable` takes none that is more than a year ahead.
  private static let daysOfSense = 366

  /// The finding about a service whose lines lead people to the password who never registered; nil if its day cannot be read,
  /// about which there is another finding.
  private func passing(_ service: String, _ own: [PAMLine]) -> Finding? {
    let file = "\(directory)/\(service)"
    if hidesState(service) { return .warning(.pamNouserokHidden, PAMNameText.hidden(service: file)) }
    guard let written = own.lazy.compactMap(\.lastDayOfPassing).first, !own.contains(where: \.passesAlways) else {
      return .warning(.pamNouserok, PAMLineText.nouserok(file: file))
    }
    guard let day = CalendarDay(written) else { return nil }
    let left = day.days(after: today)
    if left < 0 { return .warning(.pamNouserokOver, PasswordEndText.over(file: file, service: service, day)) }
    guard left <= Self.daysOfSense else { return .warning(.pamNouserok, PAMLineText.nouserok(file: file)) }
    let people = ServicePeople(accounts: accounts, passwords: passwords, sudo: sudo)
    let known = StackList(reader: PAMDirectory(path: directory)).people(of: service, among: people)
    let text = PasswordEndText.open(file: file, service: service, day, unregistered: unregistered(known))
    return left > Self.daysOfWarning ? .ok(text) : .warning(.pamNouserokEnds, text)
  }

  /// Arguments that the core refuses, or that the module ignores, although somebody meant them.
  func argumentFindings(_ service: String, _ folder: PAMDirectory) -> [Finding] {
    ["auth", "account", "password"].flatMap { group in
      folder.entries(of: service, in: group).filter(\.line.asksOwnModule).compactMap { entry in
        // Faults of account_check have their own finding.
        guard let error = objection(to: entry.line.arguments, service), error.argument != "account_check"
        else { return nil }
        let place = "\(entry.place.path):\(entry.place.line)"
        let isRead = group != "account" || Self.checksAccounts(entry.line)
        return .failure(.pamArgument, PAMNameText.argument(place: place, problem: error, isRead: isRead))
      }
    }
  }

  private func objection(to arguments: [String], _ service: String) -> ConfigurationError? {
    do throws(ConfigurationError) {
      return contradiction(try ModuleArguments(parsing: arguments), service)
    } catch { return error }
  }

  /// Services that include a stack of ours that is missing: libpam then refuses everybody.
  func includes(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.compactMap { service in
      let missing = folder.inclusions(of: service).first {
        $0.hasPrefix(PAMService.prefix) && folder.bytes(of: $0) == nil
      }
      return missing.map {
        .failure(
          .pamInclude, PAMLineText.include(file: "\(directory)/\(service)", service: service, stack: $0))
      }
    }
  }

  /// Stacks that their service no longer includes: it now asks only for the password, perhaps without anybody noticing.
  func unusedStacks(_ folder: PAMDirectory) -> [Finding] {
    (StackList(reader: folder).entries() ?? []).filter { $0.origin == .unused }.map { entry in
      let service = String(entry.name.dropFirst(PAMService.prefix.count))
      let text = PAMLineText.unusedStack(file: "\(directory)/\(service)", service: service, stack: entry.name)
      // A service that was removed since asks for nothing at all.
      return folder.bytes(of: service) == nil ? .warning(.pamUnusedStack, text) : .failure(.pamUnusedStack, text)
    }
  }

  /// Stacks of ours that were edited, so that the service that includes them asks nobody for the passcode.
  func silentStacks(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    let list = StackList(reader: folder)
    return services.compactMap { service in
      list.silentStack(of: service).map {
        .failure(
          .pamEdited,
          PAMText.silent(
            file: "\(directory)/\($0)", service: service,
            folder.passwordAlone(at: service, moduleFolders: moduleFolders)))
      }
    }
  }

  /// Files that Windows has written: libpam then looks for modules whose names end with a carriage return, and refuses everybody.
  func carriageReturns(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.compactMap { service in
      folder.carriageReturn(in: service).map {
        .failure(.pamCarriageReturn, PAMLineText.carriageReturn(file: "\(directory)/\(service)", line: $0))
      }
    }
  }

  /// Files that versions of libpam read differently: an update may change who can log in.
  func twoReadings(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.compactMap { service in
      folder.parting(of: service).map {
        .warning(.pamTwoReadings, PAMLineText.twoReadings(file: "\(directory)/\(service)", line: $0))
      }
    }
  }

  /// Findings about programs that ask for the passcode under one service name but not under another, about polkit if sudo asks
  /// and polkit does not, and about further services that do not ask.
  func otherDoors() -> [Finding] {
    let doors = ServiceDoors(
      folder: directory, vendors: vendorFolders, sudo: sudo, ssh: ssh, displayManagers: displayManagers)
    let members = doors.openMembers().map { member in
      if let fallen = member.fallen { return Finding.failure(.pamOtherName, PAMNameText.fallen(fallen)) }
      let file = "\(directory)/\(member.name)"
      return Finding.warning(
        .pamOtherName,
        member.asksNobody
          ? PAMLineText.unaskedName(file: file, asking: member.asking, command: member.command)
          : PAMLineText.otherName(file: file, asking: member.asking, command: member.command))
    }
    let sudo = [doors.openSudo()].compactMap(\.self).map { service in
      Finding.failure(.pamSudoService, PAMNameText.sudoService(service: service))
    }
    let ssh = [doors.openSSH()].compactMap(\.self).map { service in
      Finding.failure(.pamSSHService, PAMNameText.sshService(service: service))
    }
    let asked =
      doors.askedBySudo().map { Finding.ok(PAMNameText.sudoAsks($0)) }
      + doors.unaskedBySudo().map { Finding.ok(PAMNameText.sudoUnasked($0)) } + doors.sudoersGaps().map(finding)
    let polkit = doors.openPolkit().map { member in
      Finding.warning(
        .pamPolkit,
        member.asksNobody
          ? PAMNameText.unaskedPolkit(service: member.name, asking: member.asking)
          : PAMNameText.polkit(service: member.name, asking: member.asking))
    }
    let others = doors.openOthers()
    let (asking, unasked) = (others.filter { !doors.asksNobody($0) }, others.filter(doors.asksNobody))
    let named =
      (asking.isEmpty ? [] : [Finding.ok(PAMLineText.openOthers(asking))])
      + (unasked.isEmpty ? [] : [Finding.ok(PAMLineText.unaskedOthers(unasked))])
    return members + sudo + ssh + asked + [polkit].compactMap(\.self) + named
  }

  /// A part of sudoers that was not read.
  private func finding(_ gap: SudoersGap) -> Finding {
    switch gap {
    case .groups, .directory, .plugin: .ok(PAMNameText.sudoersGap(gap))
    case .unloadable: .failure(.pamSudoers, PAMNameText.sudoersGap(gap))
    case .file(_, EACCES) where !isRoot: .skipped(PAMNameText.sudoersGap(gap))
    default:
      gap.mayHideService
        ? .failure(.pamSudoers, PAMNameText.sudoersGap(gap)) : .warning(.pamSudoers, PAMNameText.sudoersGap(gap))
    }
  }

  /// pam-auth-update's profile, which is a choice for every service at the same time.
  func profile(_ folder: PAMDirectory) -> [Finding] {
    guard folder.ownLines(of: "common-auth").contains(where: \.asksOwnModule) else { return [] }
    return [.warning(.pamProfile, PAMLineText.profile)]
  }

  /// Whether anybody can use the second way in, if stacks have it.
  func rescue(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    let group = WayIn.rescueGroup
    guard services.contains(where: { StackReading(folder.entries(of: $0, in: "auth"), of: $0).leadsRescuersPast })
    else { return [] }
    guard let members = passwords.members(ofGroup: group) else {
      return [.warning(.rescueGroup, passwords.hasOwnRescueGroup ? RescueText.unseenGroup : .noGroup)]
    }
    guard passwords.hasOwnRescueGroup else { return [.failure(.rescueGroup, RescueText.directoryGroup)] }
    guard !members.isEmpty else {
      return [.warning(.rescueGroup, RescueText.nobody)]
    }
    guard triesRescuers else { return [] }
    guard isRoot else { return [.skipped(RescueText.closed)] }
    let judged: [(name: String, lack: WayIn.Member?)]
    do throws(TrialProblem) {
      judged = try RescueSurvey(
        of: directory, vendors: vendorFolders, moduleFolders: moduleFolders, trialParent: trialParent,
        accounts: accounts, passwords: passwords, sudo: sudo, tester: tester
      ).members(startsSessions: startsSessions)
    } catch {
      return [.skipped(RescueText.untried(error))]
    }
    let lacking = judged.compactMap { name, lack in
      lack.map { Finding.warning(.rescuePassword, RescueText.lacks(ShownText.line(name), $0)) }
    }
    let counted = judged.filter {
      $0.lack == nil && passwords.wrongPasswords(of: $0.name, in: RescuePerson.countFolder) > 0
    }
    .map { Finding.warning(.rescuePassword, RescueText.counted(ShownText.line($0.name))) }
    guard lacking.isEmpty, counted.isEmpty else { return lacking + counted }
    return [.ok(RescueText.fine(members.map(ShownText.line), isTried: startsSessions))]
  }
}

// Lines that were meant for the module, but name a file that does not exist.

extension PAMCheck {
  /// Lines whose module does not exist and has nearly our module's name.
  func misspelt(_ folder: PAMDirectory, _ services: [String]) -> [Finding] {
    services.flatMap { service -> [Finding] in
      var names: [String] = []
      for line in folder.ownLines(of: service) where !line.isInclusion && !names.contains(line.module) {
        if Self.isNear(line.moduleName), place(of: line.module) == nil { names.append(line.module) }
      }
      return names.map {
        Finding.failure(.pamMisspelt, PAMNameText.misspelt(service: "\(directory)/\(service)", module: $0))
      }
    }
  }

  /// Whether somebody who wrote this may have meant our module.
  static func isNear(_ name: String) -> Bool {
    guard name != PAMLine.ownModule else { return false }
    let words = name.lowercased()
    return words.contains("pam") && words.contains("uaf") || distance(words, PAMLine.ownModule) <= 2
  }

  /// How many letters have to be added, removed or replaced to turn one name into the other.
  private static func distance(_ first: String, _ second: String) -> Int {
    let letters = Array(second.utf8)
    var row = Array(0...letters.count)
    for (line, letter) in first.utf8.enumerated() {
      var next = [line + 1]
      for (column, other) in letters.enumerated() {
        next.append(min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1))
      }
      row = next
    }
    return row[letters.count]
  }
}

// What `account` lines do for somebody who logged in without the module: by the second way in, by a public key, by cron.

extension PAMCheck {
  /// A service whose only `account` lines are those of pam_uaf.
  ///
  /// Those say that a passcode is stale, or answer "ignore"; libpam turns that into a refusal if no other line decides.
  func accountFindings(_ service: String, _ lines: [PAMLine]) -> [Finding] {
    let checks = checkFindings("\(directory)/\(service)", lines.filter(\.asksOwnModule))
    let account = lines.filter { $0.group == "account" }
    guard !account.isEmpty, account.allSatisfy(\.asksOwnModule) else { return checks }
    return checks + [
      .warning(.pamAccountAlone, PAMLineText.accountAlone(file: "\(directory)/\(service)"))
    ]
  }

  /// Lines with `account_check` that refuse everybody, or that cannot ask the server.
  private func checkFindings(_ file: String, _ own: [PAMLine]) -> [Finding] {
    let checking = own.filter(Self.checksAccounts)
    guard !checking.isEmpty else { return [] }
    let allowed: Set<String> = ["account_check", "account_check=required"]
    let isRight = checking.allSatisfy { line in
      line.group == "account" && line.arguments.filter { $0.hasPrefix("account_check") }.allSatisfy(allowed.contains)
    }
    guard isRight else { return [.failure(.pamAccountCheck, PAMAccountText.wrong(file: file))] }
    return canAskStates ? [] : [.warning(.pamAccountCheck, PAMAccountText.blind(file: file))]
  }

  /// Whether the account lines may find a stale passcode: not if the module only checks accounts and no line logs in with it.
  func mayFindStale(_ own: [PAMLine]) -> Bool {
    let account = own.filter { $0.group == "account" }
    return !account.isEmpty
      && (!account.allSatisfy(Self.checksAccounts) || own.contains { $0.isPart(of: "auth") })
  }

  /// Whether a service's account stage asks the server about accounts.
  static func asksForStates(in directory: String) -> Bool {
    let folder = PAMDirectory(path: directory)
    return (folder.services() ?? []).contains { service in
      folder.wholeStack(of: service).contains { $0.asksOwnModule && $0.group == "account" && checksAccounts($0) }
    }
  }

  static func checksAccounts(_ line: PAMLine) -> Bool {
    line.arguments.contains { $0 == "account_check" || $0.hasPrefix("account_check=") }
  }
}
