/// How libpam can end a service's `auth` lines: its own rules, for every result that the modules may have.
///
/// The rules are those of Linux-PAM 1.4 to 1.7 (pam.conf(5)). A substack keeps `done`, `die` and jumps to itself, and `reset`
/// goes back to where it began. With `include` and `@include` the same words reach to the end of the service. A jump beyond the
/// last line is a refusal. Tests compare this with the libpam that is installed.
package struct StackOutcomes {
  /// What became of pam_uaf on the way to an end.
  enum Own: Hashable {
    case notAsked
    /// It said what a stack may treat as something else than a refusal: `ignore`, no server, another choice of the person.
    case excused
    case refused
    case passed
  }

  /// One way in which the stack ends.
  struct Ending: Hashable {
    /// Whether the program that asked is told success.
    var isSuccess: Bool
    var own: Own
    /// The line that led past pam_uaf's first line; nil where that was asked.
    var passing: Int?
    /// The first line that made a refusal of it; nil if none did.
    var refusing: Int?
    /// Whether another line that asks for something has said yes.
    var isAuthenticated = false
  }

  /// The lines, with included ones in their places.
  let entries: [StackEntry]
  /// pam_uaf's first line.
  private let first: Int?

  /// The endings of a list of lines.
  package init(_ entries: [StackEntry]) {
    self.entries = entries
    first = entries.firstIndex { $0.line.asksOwnModule }
  }

  private enum Impression: Hashable {
    case none
    /// Whether the result that counts is success.
    case positive(Bool)
    case negative
  }

  private struct State: Hashable {
    var index = 0
    /// How deep the line before was.
    var level = 0
    var impression = Impression.none
    /// What stood where each level began.
    var begun = [Impression.none]
    var ending = Ending(isSuccess: false, own: .notAsked)
  }

  /// Every way in which the lines can end.
  ///
  /// - Parameter results: what the module of a line may answer, by the names of pam.conf(5).
  func endings(_ results: (PAMLine) -> [String]) -> Set<Ending> {
    var found: Set<Ending> = []
    var seen: Set<State> = [State()]
    var open = [State()]
    while var state = open.popLast() {
      guard state.index < entries.count else {
        state.ending.isSuccess = state.impression == .positive(true)
        found.insert(state.ending)
        continue
      }
      let entry = entries[state.index]
      enter(entry, &state)
      let next = entry.isSubstack ? [passed(state)] : results(entry.line).map { after($0, entry, state) }
      for state in next where seen.insert(state).inserted { open.append(state) }
    }
    return found
  }

  private func enter(_ entry: StackEntry, _ state: inout State) {
    state.begun.removeSubrange(min(entry.level + 1, state.begun.count)...)
    if entry.level > state.level {
      while state.begun.count <= entry.level { state.begun.append(state.impression) }
      state.begun[entry.level] = state.impression
    }
    state.level = entry.level
  }

  private func passed(_ state: State) -> State {
    var state = state
    state.index += 1
    return state
  }

  /// What a result of a line makes of a state.
  private func after(_ result: String, _ entry: StackEntry, _ state: State) -> State {
    var next = state
    if entry.line.asksOwnModule { next.ending.own = Self.own(next.ending.own, result) }
    if result == "success", ModuleResults.authenticates(entry.line) { next.ending.isAuthenticated = true }
    switch entry.line.action(of: result) {
    case .ignore: break
    case .reset: next.impression = state.begun.last ?? .none
    case .ok: accept(result, &next)
    case .done:
      accept(result, &next)
      if next.impression != .negative { next.index = last(of: entry.level, from: state.index) }
    case .bad: refuse(&next)
    case .die:
      refuse(&next)
      next.index = last(of: entry.level, from: state.index)
    case .jump(let count): jump(count, entry.level, &next)
    }
    next.index += 1
    if let first, state.index < first, next.index > first { next.ending.passing = state.index }
    return next
  }

  private func accept(_ result: String, _ state: inout State) {
    guard state.impression == .none || state.impression == .positive(true) else { return }
    state.impression = .positive(result == "success")
  }

  private func refuse(_ state: inout State) {
    if state.impression != .negative { state.ending.refusing = state.index }
    state.impression = .negative
  }

  /// The last line that is in the same substack, or in one within it.
  private func last(of level: Int, from index: Int) -> Int {
    var last = index
    while last + 1 < entries.count, entries[last + 1].level >= level { last += 1 }
    return last
  }

  /// Jumps over lines; a substack counts as one.
  private func jump(_ count: Int, _ level: Int, _ state: inout State) {
    let from = state.index
    var left = count
    while left > 0, state.index + 1 < entries.count, entries[state.index + 1].level >= level {
      state.index += 1
      while state.index + 1 < entries.count, entries[state.index + 1].level > level { state.index += 1 }
      left -= 1
    }
    guard left > 0 else { return }
    if state.impression != .negative { state.ending.refusing = from }
    state.impression = .negative
  }

  private static func own(_ before: Own, _ result: String) -> Own {
    switch (before, result) {
    case (.passed, _), (_, "success"): .passed
    case (.refused, _): .refused
    case _ where refusals.contains(result): .refused
    default: .excused
    }
  }

  /// What pam_uaf says to a wrong value, to a locked account and to a caller who disturbs it.
  private static let refusals: Set<String> = [
    "auth_err", "maxtries", "perm_denied", "system_err", "conv_err", "abort",
  ]
}

/// A line of a service as libpam lists it.
package struct StackEntry: Equatable {
  /// What it says.
  package let line: PAMLine
  /// How many substacks it is in.
  let level: Int
  /// Whether it is the head of a substack, whose lines follow.
  let isSubstack: Bool
  /// The file it stands in, and its line there, from 1.
  package let place: StackLinePlace
}

/// Where a line stands.
package struct StackLinePlace: Equatable {
  /// The file.
  package let path: String
  /// From 1.
  package let line: Int
}
