import HostSystem

/// Checks whether a plan for all names of a program may be written: administrators keep another way in, and libpam handles the
/// new stacks as it should.
struct FamilyTrial {
  let family: FamilyPlan
  /// The service that was named.
  let service: String
  /// The folder of the services.
  let folder: PAMFolder
  let site: PAMSite
  /// Who logs in; nil: nobody does.
  let person: TrialPerson?

  // Some modules count refused logins; those of the account `nobody` lock no person.
  private static let bystander = "nobody"

  /// - Parameter check: what may still refuse before the person is asked to log in.
  /// - Returns: what was seen, a line each.
  /// - Throws: ``StackError``.
  func run(beforePerson check: () throws(StackError) -> Void) throws(StackError) -> [StackText] {
    let trial = try filledFolder()
    // The person logs in once: through the named service, or through another one that will be changed.
    let tried = family.toDo.first { $0.service.name == service } ?? family.toDo.last
    var seen: [StackText] = []
    var mayUse = false
    for plan in family.toDo {
      let examined = try examine(plan, in: trial)
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

  /// PAM's folder as it would be.
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
    _ plan: StackPlan, in trial: TrialFolder
  ) throws(StackError) -> (seen: [StackText], mayUse: Bool) {
    var seen: [StackText] = []
    let user = person?.name ?? (site.accounts.account(named: Self.bystander) == nil ? "root" : Self.bystander)
    let stack = StackTrial(
      plan: plan, folder: trial, reader: family.reader(of: folder, vendors: site.vendorFolders), tester: site.tester,
      moduleFolders: site.moduleFolders, user: user)
    try stack.check()
    var people = [user]
    if !plan.service.changesPasswords {
      let way = try wayIn(by: plan)
      if let rescuer = way.rescuer, rescuer != user { people.append(rescuer) }
      seen.append(.wayIn(way))
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

  private func wayIn(by plan: StackPlan) throws(StackError) -> WayIn.Way {
    let stacks = RescueReading(
      reader: family.reader(of: folder, vendors: site.vendorFolders), moduleFolders: site.moduleFolders)
    do throws(WayIn.Objection) {
      return try WayIn(accounts: site.accounts, passwords: site.passwords).find(
        WayIn.Services(
          leadsRescuePast: stacks.leadsRescuePast(plan.service.name),
          consoleIsFree: stacks.asksPasswordAlone("login"), consoleIsOpen: stacks.isOpen("login"),
          sudoIsOpen: stacks.isOpen(site.sudo.main),
          refusing: [plan.service.name, "login", site.sudo.main].lazy.compactMap { stacks.refusing($0) }.first))
    } catch {
      throw .noWayIn(error)
    }
  }
}
