/// What `uafctl pam enable` is about to write for all names of a program: either all of it or nothing.
struct FamilyPlan {
  /// One for each service that is to be changed; the program's main name last, so that at no moment it asks for the passcode
  /// while another name does not.
  let plans: [StackPlan]
  /// What is said of the names that need no change, a line each.
  let notes: [StackText]

  /// Whether all of it is in place already.
  var isInPlace: Bool { plans.allSatisfy(\.isInPlace) }

  /// What is left to do.
  var toDo: [StackPlan] { plans.filter { !$0.isInPlace } }

  /// Puts it in place: the stacks first, then one line after the other.
  ///
  /// Where any of it fails, all of it is taken back.
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
