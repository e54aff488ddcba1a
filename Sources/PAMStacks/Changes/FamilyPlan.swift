/// What `uafctl pam enable` will write for all names of a program: either all of it or nothing.
struct FamilyPlan {
  /// One for each service to be changed.
  ///
  /// The program's main name is last: it must never ask for the passcode while another name does not.
  let plans: [StackPlan]
  /// Notes on the names that need no change, a line each.
  let notes: [StackText]

  /// Whether all of it is in place already.
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

  /// Refuses where somebody would get in before pam_uaf is asked, or where a refusal of it would be none.
  ///
  /// - Throws: ``StackError``: `passedOver`, `noRefusal`; `member` for another service than the named one.
  func check(_ service: String, in folder: PAMFolder, vendors: [String]) throws(StackError) {
    let reader = reader(of: folder, vendors: vendors)
    // The named one first: what is wrong with a shared file is no matter of its other names.
    let ordered = plans.filter { $0.service.name == service } + plans.filter { $0.service.name != service }
    for plan in ordered where !plan.service.changesPasswords {
      let reading = StackReading(reader.entries(of: plan.service.name, in: "auth"))
      let found: StackError? =
        if let line = reading.passing {
          .passedOver(path: line.place.path, line: line.place.line)
        } else if reading.refusal != .refuses {
          .noRefusal(path: folder.path(of: plan.service.name))
        } else {
          nil
        }
      guard let found else { continue }
      throw plan.service.name == service ? found : .member(found, of: service)
    }
  }

  /// Writes the plan: the stacks first, then one line after the other.
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
