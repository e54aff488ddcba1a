import CPAM
import Glibc
import HostSystem
import Wording

/// Tries a plan before it is installed.
///
/// libpam gets a copy of the folder as the plan would leave it, and is asked to authenticate a person who enters nothing.
struct StackTrial {
  let plan: StackPlan
  let folder: TrialFolder
  /// The services as they will be.
  let reader: PAMDirectory
  let tester: any StackTester
  /// The folders in which PAM looks for modules that are named without a folder.
  let moduleFolders: [String]
  /// The account it is tried with.
  let user: String

  /// Results of libpam for a line that it cannot load or understand.
  private static let broken: Set<CInt> = [
    PAM_OPEN_ERR, PAM_SYMBOL_ERR, PAM_BUF_ERR, PAM_MODULE_UNKNOWN, PAM_BAD_ITEM,
  ]

  /// Checks for lines that libpam could not load or understand.
  ///
  /// - Throws: ``StackError/trial(_:)``.
  func check() throws(StackError) {
    do throws(TrialProblem) { try checkModules() } catch { throw .trial(error) }
  }

  /// Tries the module, the stack and the whole service.
  ///
  /// - Returns: what was seen, one line for each.
  /// - Throws: ``StackError/trial(_:)``.
  func run() throws(StackError) -> [StackText] {
    do throws(TrialProblem) {
      var seen = [try tryModule()]
      if !plan.service.changesPasswords { seen.append(try tryStack()) }
      seen.append(try tryService())
      return seen
    } catch {
      throw .trial(error)
    }
  }

  /// libpam treats a missing module as a refusal, and some control words ignore refusals.
  ///
  /// A trial would not show such a line, so this check comes first.
  private func checkModules() throws(TrialProblem) {
    let file = ServiceFile(plan.stack)
    if let index = file.lines.indices.first(where: { !file.isUnderstood($0) }) {
      throw .noLine(index + 1, file: plan.service.stackName)
    }
    let lines = file.parsed
    guard lines.contains(where: \.asksOwnModule) else { throw .asksNothing }
    for line in lines where !line.isInclusion && !line.mayBeMissing && !line.moduleIsThere(in: moduleFolders) {
      throw .noModule(line.module, file: plan.service.stackName)
    }
    guard !plan.service.changesPasswords else { return }
    if let place = reader.unreadInclusion(of: plan.service.name), let name = place.unread {
      throw .noInclude(name, file: "\(place.path):\(place.line)")
    }
    // libpam treats a line that it cannot understand as PAM_PERM_DENIED, which some modules also answer: a trial does not show
    // it. A trial does show an include that libpam cannot read.
    for entry in reader.entries(of: plan.service.name, in: "auth") where !entry.isSubstack && entry.line != .unreadable
    {
      guard entry.line.isWellFormed else { throw .noLine(entry.place.line, file: entry.place.path) }
      if entry.line.action(of: "module_unknown").refuses, !entry.line.moduleIsThere(in: moduleFolders) {
        throw .noModule(entry.line.module, file: "\(entry.place.path):\(entry.place.line)")
      }
    }
  }

  /// Tries the module by itself, with the arguments that it has in the stack, to see whether it reaches the core.
  private func tryModule() throws(TrialProblem) -> StackText {
    guard let line = ServiceFile(plan.stack).parsed.first(where: \.asksOwnModule) else { throw .asksNothing }
    let text = (["auth required", line.module] + line.arguments).joined(separator: " ") + "\n"
    let code = try cancelled(Array(text.utf8))
    switch code {
    case PAM_SUCCESS: throw .letsAnybodyIn(service: PAMLine.ownModule)
    case PAM_SYSTEM_ERR: throw .noCore(code)
    case PAM_SERVICE_ERR: throw .configuration
    // libpam's result for a module that answers "ignore", which nouserok allows.
    case PAM_PERM_DENIED where !line.passesUnregistered: throw .broken(service: plan.service.name, code)
    default:
      return .triedModule(user: user, code: code)
    }
  }

  /// Tries the stack by itself: in the service, lines before it may let root in without asking.
  private func tryStack() throws(TrialProblem) -> StackText {
    let code = try cancelled(Array("@include \(plan.service.stackName)\n".utf8))
    guard code != PAM_SUCCESS else { throw .letsAnybodyIn(service: plan.service.stackName) }
    return .triedRefused(name: plan.service.stackName, user: user, code: code)
  }

  private func tryService() throws(TrialProblem) -> StackText {
    let service = plan.service.name
    let code = try cancelled(plan.after)
    guard !plan.service.changesPasswords else { return .triedRead(service: service) }
    guard code == PAM_SUCCESS else { return .triedRefused(name: service, user: user, code: code) }
    // `su` lets root in before it asks, as it did before the change. Everybody else must be refused. In programs that run as
    // root for somebody else, everybody must be refused.
    guard ModuleResults.isRootsOwn(service), try cancelled(plan.before) == code else {
      throw .letsAnybodyIn(service: service)
    }
    try folder.put(plan.after, as: service)
    let others = try folder.exchanging(ModuleResults.rootModule, for: "pam_deny.so") { () throws(TrialProblem) in
      try tester.cancelled(service, in: folder.path, as: user)
    }
    guard others != PAM_SUCCESS else { throw .letsAnybodyIn(service: service) }
    return .triedAsBefore(name: service, user: user, code: code)
  }

  /// libpam's answer to a person who cancels, if the service's file contains `file`.
  private func cancelled(_ file: [UInt8]) throws(TrialProblem) -> CInt {
    let service = plan.service.name
    try folder.put(file, as: service)
    let code = try tester.cancelled(service, in: folder.path, as: user)
    if code == PAM_ABORT { throw .unreadable(service: service) }
    if Self.broken.contains(code) { throw .broken(service: service, code) }
    return code
  }
}

/// Asks libpam, or its replacement in a test, how a stack behaves.
package protocol StackTester {
  /// libpam's answer when `user` authenticates to `service` of `folder` and cancels every prompt.
  ///
  /// - Throws: ``TrialProblem``: `notTried`, `crashed`.
  func cancelled(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt
  /// libpam's answer to whether `user` may use `service` of `folder`, if `user` has not authenticated and cancels every prompt.
  ///
  /// - Throws: ``TrialProblem``: `notTried`, `crashed`.
  func account(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt
  /// Lets `answerer` log in as `user` at `service` of `folder`.
  ///
  /// - Parameters:
  ///   - account: whether `user` must also be allowed to use the service, immediately or after a new passcode.
  ///   - answerer: nil if nobody is there to answer, which is a refusal.
  /// - Returns: success, or why `user` was not let in.
  func answered(
    _ service: String, in folder: String, as user: String, account: Bool, by answerer: (any StackAnswerer)?
  ) -> Result<Void, StackRefusal>
  /// Starts a person's shell as that person, without a login, and looks whether it runs a command.
  ///
  /// - Parameters:
  ///   - shell: the shell; empty for the standard shell.
  ///   - service: a service of `folder` whose `session` lines set variables and limits; nil if there are none.
  ///   - needsSudo: whether the shell must be able to run sudo.
  /// - Returns: what is wrong; nil if nothing is.
  func session(
    of name: String, shell: String, opening service: String?, in folder: String, needsSudo: Bool
  ) -> SessionFlaw?
}

/// Checks whether a plan for all names of a program may be written: administrators keep another way in, and libpam handles the
/// new stacks as expected.
struct FamilyTrial {
  let family: FamilyPlan
  /// The service that was named.
  let service: String
  /// The folder of the services.
  let folder: PAMFolder
  let site: PAMSite
  /// The person who logs in; nil if nobody does.
  let person: TrialPerson?
  /// Whether the shell of a person is started before the person is named as a way in.
  let startsSessions: Bool

  // Some modules count refused logins; refused logins of the account `nobody` lock out no person.
  private static let bystander = "nobody"

  /// - Parameters:
  ///   - tell: called with what is about to be done if that may take long.
  ///   - check: a check that may still refuse before the person is asked to log in.
  /// - Returns: what was seen, one line for each.
  /// - Throws: ``StackError``.
  func run(
    telling tell: @escaping (StackText) -> Void, beforePerson check: () throws(StackError) -> Void
  ) throws(StackError) -> [StackText] {
    let trial = try filledFolder()
    let sessions = TriedSessions(
      by: site.tester, in: trial, family.reader(of: folder, vendors: site.vendorFolders))
    // The person logs in once: through the named service, or through a different one that will be changed.
    let tried = family.toDo.first { $0.service.name == service } ?? family.toDo.last
    var seen: [StackText] = []
    var mayUse = false
    for plan in family.toDo {
      let examined = try examine(plan, in: trial) { name, shell, needsSudo in
        startsSessions ? sessions.flaw(of: name, shell, needsSudo, telling: tell) : nil
      }
      seen += examined.seen.filter { !seen.contains($0) }
      if plan.service == tried?.service { mayUse = examined.mayUse }
    }
    try check()
    if let person, let name = tried?.service.name,
      case .failure(let refusal) = site.tester.answered(
        name, in: trial.path, as: person.name, account: mayUse, by: person.answerer)
    {
      throw .trial(.personRefused(refusal))
    }
    return seen
  }

  /// A copy of PAM's folder as the plan would leave it.
  private func filledFolder() throws(StackError) -> TrialFolder {
    do throws(TrialProblem) {
      let trial = try TrialFolder(copying: folder.path, vendors: site.vendorFolders, in: site.trialParent)
      for plan in family.toDo {
        try trial.put(plan.stack, as: plan.service.stackName)
        try trial.put(plan.after, as: plan.service.name)
      }
      return trial
    } catch { throw .trial(error) }
  }

  private func examine(
    _ plan: StackPlan, in trial: TrialFolder, session: @escaping (String, String, Bool) -> SessionFlaw?
  ) throws(StackError) -> (seen: [StackText], mayUse: Bool) {
    var seen: [StackText] = []
    let user = person?.name ?? (site.accounts.account(named: Self.bystander) == nil ? "root" : Self.bystander)
    let stack = StackTrial(
      plan: plan, folder: trial, reader: family.reader(of: folder, vendors: site.vendorFolders), tester: site.tester,
      moduleFolders: site.moduleFolders, user: user)
    try stack.check()
    var people = [user]
    if !plan.service.changesPasswords {
      let way: WayIn.Way
      do throws(StackError) { way = try wayIn(by: plan, in: trial, session: session) } catch {
        // If the plan changes the result of the account lines, that is the fault to report.
        _ = try AccountTrial(plan: plan, folder: trial, tester: site.tester).run(as: user)
        throw error
      }
      if let rescuer = way.rescuer, rescuer != user { people.append(rescuer) }
      seen.append(.wayIn(way, isTried: startsSessions))
    }
    seen += try stack.run()
    var mayUse = false
    for name in plan.service.changesPasswords ? [] : people {
      let tried = try AccountTrial(plan: plan, folder: trial, tester: site.tester).run(as: name)
      if name == user { mayUse = tried.mayUse }
      seen.append(tried.text)
    }
    return (seen, mayUse)
  }

  private func wayIn(
    by plan: StackPlan, in trial: TrialFolder, session: @escaping (String, String, Bool) -> SessionFlaw?
  ) throws(StackError) -> WayIn.Way {
    let stacks = RescueReading(
      reader: family.reader(of: folder, vendors: site.vendorFolders), moduleFolders: site.moduleFolders)
    let way = WayIn(accounts: site.accounts, passwords: site.passwords, sudo: site.sudo)
    var services = stacks.services(for: plan.service.name, sudo: site.sudo.main, root: way.root) { service, name in
      // An account that libpam cannot be asked about is treated as refused.
      (try? site.tester.account(service, in: trial.path, as: name)) ?? PAM_ABORT
    }
    services.session = session
    do throws(WayIn.Objection) {
      return try way.find(services)
    } catch {
      throw .noWayIn(error)
    }
  }
}

/// Tries a plan's `account` lines: for a person who logged in without pam_uaf, their result must not change.
///
/// Whoever uses the second way in or a public key logs in without pam_uaf, and the program still calls the `account` lines.
/// There pam_uaf returns "ignore", so the service's other lines decide: there must be some, and none of them must be skipped.
struct AccountTrial {
  let plan: StackPlan
  let folder: TrialFolder
  let tester: any StackTester

  /// - Returns: what was seen, and whether `user` may use the service.
  /// - Throws: ``StackError/trial(_:)``.
  func run(as user: String) throws(StackError) -> (text: StackText, mayUse: Bool) {
    do throws(TrialProblem) { return try tried(as: user) } catch { throw .trial(error) }
  }

  private func tried(as user: String) throws(TrialProblem) -> (text: StackText, mayUse: Bool) {
    let service = plan.service.name
    try folder.put(plan.before, as: service)
    let before = try tester.account(service, in: folder.path, as: user)
    try folder.put(plan.after, as: service)
    let after = try tester.account(service, in: folder.path, as: user)
    let shown = ShownText.line(user)
    guard after == before else { throw .accountDiffers(service: service, user: shown, before: before, after: after) }
    let mayUse = after == PAM_SUCCESS || after == PAM_NEW_AUTHTOK_REQD
    return (.triedAccount(service: service, user: shown, code: after), mayUse)
  }
}

/// Judges the members of the rescue group as `uafctl pam enable` does before it installs a stack, but by the services as they
/// are now.
package struct RescueSurvey {
  let way: WayIn
  let stacks: RescueReading
  let trial: TrialFolder
  let tester: any StackTester

  /// - Parameters:
  ///   - folder: the folder of the services.
  ///   - vendors: the folders in which libpam looks if the first has no file for a service.
  ///   - moduleFolders: the folders in which libpam looks for modules that are named without a folder.
  ///   - trialParent: the folder in which a copy is made for the time of the survey.
  /// - Throws: ``TrialProblem/folder(_:parent:)``.
  package init(
    of folder: String, vendors: [String], moduleFolders: [String], trialParent: String,
    accounts: any AccountDirectory, passwords: any PasswordDirectory, sudo: SudoSettings, tester: any StackTester
  ) throws(TrialProblem) {
    way = WayIn(accounts: accounts, passwords: passwords, sudo: sudo)
    stacks = RescueReading(reader: PAMDirectory(path: folder, vendors: vendors), moduleFolders: moduleFolders)
    trial = try TrialFolder(copying: folder, vendors: vendors, in: trialParent)
    self.tester = tester
  }

  /// Each member, with what prevents them from becoming root with the password; nil if nothing does.
  ///
  /// - Parameter startsSessions: whether their shells are started, which run their own files.
  package func members(startsSessions: Bool) -> [(name: String, lack: WayIn.Member?)] {
    var services = stacks.services(for: nil, sudo: way.sudo.main, root: way.root, account: account)
    if startsSessions {
      let sessions = TriedSessions(by: tester, in: trial, stacks.reader)
      services.session = { sessions.flaw(of: $0, $1, $2) }
    }
    return way.members(services)
  }

  /// libpam's answer to whether a person may use a service; a person that libpam cannot be asked about is treated as refused.
  ///
  /// The account lines of pam_faillock would clear the wrong passwords that it has counted, but a survey must change nothing.
  private func account(_ service: String, _ name: String) -> CInt {
    let code = try? trial.exchanging("pam_faillock.so", for: "pam_permit.so") { () throws(TrialProblem) in
      try tester.account(service, in: trial.path, as: name)
    }
    return code ?? PAM_ABORT
  }
}
