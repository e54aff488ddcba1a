import ServiceNames

/// What `uafctl pam enable` will write for all service names of a program: either all of it or nothing.
struct FamilyPlan {
  /// One plan for each service to be changed.
  ///
  /// That of the program's main name is last: the main name must not ask for the passcode before all the other names do.
  let plans: [StackPlan]
  /// Notes on the names that need no change, one line for each.
  let notes: [StackText]

  /// Whether all of it is already in place.
  var isInPlace: Bool { plans.allSatisfy(\.isInPlace) }

  /// What is left to do.
  var toDo: [StackPlan] { plans.filter { !$0.isInPlace } }

  /// The services as they will be.
  func reader(of folder: PAMFolder, vendors: [String]) -> PAMDirectory {
    var planned: [String: [UInt8]] = [:]
    for plan in plans {
      planned[plan.service.name] = plan.after
      planned[plan.service.stackName] = plan.stack
    }
    return PAMDirectory(path: folder.path, vendors: vendors, planned: planned)
  }

  /// Refuses if people could log in before pam_uaf is asked or without the right password, if a refusal of pam_uaf would not
  /// refuse, or if a line that keeps somebody out would be lost.
  ///
  /// - Throws: ``StackError``: `passedOver`, `wrongPassword`, `noPassword`, `noRefusal`, `losesLine`;
  ///   `member` for a service other than the named one.
  func check(_ service: String, in folder: PAMFolder, vendors: [String]) throws(StackError) {
    let today = PAMDirectory(path: folder.path, vendors: vendors)
    let reader = reader(of: folder, vendors: vendors)
    // The named service comes first: a fault in a shared file does not concern its other names.
    let ordered = plans.filter { $0.service.name == service } + plans.filter { $0.service.name != service }
    for plan in ordered {
      guard let found = unreadable(plan, reader) else { continue }
      throw plan.service.name == service ? found : .member(found, of: service)
    }
    for plan in ordered where !plan.service.changesPasswords {
      let entries = reader.entries(of: plan.service.name, in: "auth")
      let reading = StackReading(entries, of: plan.service.name)
      // pam_rootok is meant to bypass pam_uaf only in the service's own lines. So the ready stack is also read by itself, under
      // its own name, where that exception does not apply.
      let stack = StackReading(reader.entries(of: plan.service.stackName, in: "auth"), of: plan.service.stackName)
      var gap = reading.passwordGap(isSecondFactor: PAMShape.secondFactor.isOf(plan.record.template))
      // The ready stack is not installed yet, so this names the service's line that will include it.
      if let line = plan.line, gap?.place.isOfReadyStack == true {
        gap = gap?.at(StackLinePlace(path: folder.path(of: plan.service.name), line: line))
      }
      let leading = reading.leadingPast ?? stack.leadingPast
      let found: StackError? =
        // A person who bypasses pam_uaf is let in by the line that does not refuse a wrong password, not by the line that leads
        // there.
        if leading == nil, let gap, gap.kind == .wrong {
          gap.error
        } else if let line = reading.passing ?? leading {
          .passedOver(path: line.place.path, line: line.place.line)
        } else if let gap {
          gap.error
        } else if reading.refusal != .refuses {
          .noRefusal(path: folder.path(of: plan.service.name))
        } else if let line = StackLoss(from: today.entries(of: plan.service.name, in: "auth"), to: entries).line {
          .losesLine(path: line.place.path, line: line.place.line, service: folder.path(of: plan.service.name))
        } else {
          nil
        }
      guard let found else { continue }
      throw plan.service.name == service ? found : .member(found, of: service)
    }
  }

  /// What keeps libpam, or one of its versions, from reading what the service includes; the service's own file has already been
  /// checked.
  private func unreadable(_ plan: StackPlan, _ reader: PAMDirectory) -> StackError? {
    for file in reader.includedFiles(of: plan.service.name) where !file.path.hasSuffix("/" + plan.service.stackName) {
      let text = ServiceFile(file.bytes)
      if let row = text.carriageReturn { return .carriageReturn(path: file.path, line: row + 1) }
      if let row = text.parting { return .twoReadings(path: file.path, line: row + 1) }
    }
    return nil
  }

  /// Writes the plan: the stacks first, then the line of each service, one after the other.
  ///
  /// If a step fails, all of it is undone.
  ///
  /// - Throws: ``StackError``: `file`, `changed`, `notUndone`.
  func apply(in folder: some ServiceFolder) throws(StackError) {
    for plan in toDo { try plan.check(in: folder) }
    do throws(StackError) {
      for plan in toDo { try plan.prepare(in: folder) }
      for plan in toDo { try plan.switchOver(in: folder) }
    } catch {
      var left: [String] = []
      for plan in toDo.reversed() {
        do throws(StackError) { try plan.undo(in: folder) } catch { left.append(plan.service.name) }
      }
      guard left.isEmpty else { throw .notUndone(error, services: left) }
      throw error
    }
  }
}

/// Plans how all names of a program ask for the passcode together.
struct FamilyEnabling {
  /// The service that was named.
  let service: PAMService
  /// Whether the other names stay unchanged.
  let isAlone: Bool
  /// Prepares the change of one service.
  let enabling: (PAMService) -> StackEnabling

  /// The template of a different name of the program, to be used for a name that does not ask yet.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  static func templateInPlace(beside service: PAMService, in folder: PAMFolder) throws(StackError) -> String? {
    let reader = PAMDirectory(path: folder.path)
    guard let family = ServiceFamily.of(service.name),
      !reader.inclusions(of: service.name).contains(service.stackName)
    else { return nil }
    for name in family.names where name != service.name {
      let other = try PAMService(name)
      guard reader.inclusions(of: name).contains(other.stackName), let stack = try folder.read(other.stackName),
        let record = StackRecord.reading(stack, in: reader)?.record, record.service == name
      else { continue }
      return record.template
    }
    return nil
  }

  /// Examines each name of the program that has a file, and changes nothing.
  ///
  /// - Throws: ``StackError``; `member` if a name other than the given one cannot be changed.
  func plan() throws(StackError) -> FamilyPlan {
    let own = try enabling(service).plan()
    guard !isAlone, let family = ServiceFamily.of(service.name) else { return FamilyPlan(plans: [own], notes: []) }
    var plans: [StackPlan] = []
    var notes: [StackText] = []
    for name in family.members + [family.main] {
      guard name != service.name else {
        plans.append(own)
        continue
      }
      let member = enabling(try PAMService(name))
      guard try member.isThere() else { continue }
      do throws(StackError) {
        plans.append(try member.plan())
      } catch {
        guard let note = member.note(on: error, among: family) else { throw .member(error, of: service.name) }
        notes.append(note)
      }
    }
    return FamilyPlan(plans: plans, notes: notes)
  }
}

extension StackEnabling {
  /// Whether there is a file for the service.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  fileprivate func isThere() throws(StackError) -> Bool {
    if linkedService != nil { return true }
    if try folder.read(service.name) != nil { return true }
    for vendor in vendors where try vendor.read(service.name) != nil { return true }
    return false
  }

  /// The note on a name that cannot be changed but asks for the passcode anyway; nil if it would not ask for it.
  fileprivate func note(on error: StackError, among family: ServiceFamily) -> StackText? {
    let asks = PAMDirectory(path: folder.path).authentication(of: service.name).contains(where: \.asksOwnModule)
    switch error {
    case .follows(let path, let followed):
      return family.names.contains(followed) ? .follows(path: path, service: followed) : nil
    case .byHand(let path), .noLine(let path, _), .byWay(let path, _, _), .severalLines(let path, _):
      return asks ? .byHandAlready(path: path) : nil
    default: return nil
    }
  }
}

/// Finds a line that a change of a service's `auth` lines makes ineffective, although it kept out a person with the right
/// password.
struct StackLoss {
  private let before: StackOutcomes
  private let after: StackOutcomes

  /// - Parameters:
  ///   - before: the lines as they are; see ``PAMDirectory/entries(of:in:)``.
  ///   - after: the lines as they will be.
  init(from before: [StackEntry], to after: [StackEntry]) {
    self.before = StackOutcomes(before)
    self.after = StackOutcomes(after)
  }

  /// The results with which such a line keeps somebody out.
  private static let refusals = ["auth_err", "perm_denied"]

  /// The first line whose refusal makes the service refuse now, but no longer for people that pam_uaf lets in; nil if there is
  /// none.
  var line: StackEntry? {
    // If nobody can log in, nothing is lost.
    guard before.endings(ModuleResults.possible).contains(where: \.isSuccess) else { return nil }
    return before.entries.first { entry in
      ModuleResults.restricts(entry.line)
        && Self.refusals.contains { refusal in
          !endings(of: before, where: entry.line, says: refusal).contains(where: \.isSuccess)
            && endings(of: after, where: entry.line, says: refusal).contains { $0.isSuccess && $0.own == .passed }
        }
    }
  }

  /// The endings if `line` refuses wherever it occurs, and every other line may return any of its results.
  private func endings(
    of outcomes: StackOutcomes, where line: PAMLine, says refusal: String
  ) -> Set<StackOutcomes.Ending> {
    outcomes.endings { $0 == line ? [refusal] : ModuleResults.possible($0) }
  }
}
