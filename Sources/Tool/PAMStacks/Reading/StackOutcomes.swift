/// The outcomes that a service's `auth` lines can have: libpam's rules, applied to every result that the modules may return.
///
/// The rules are those of Linux-PAM 1.4 to 1.7 (pam.conf(5)). A substack keeps `done`, `die` and jumps to itself, and `reset`
/// goes back to the state at its start. In a file that is included with `include` or `@include`, they apply to the whole
/// service. A jump beyond the last line is a refusal. Tests compare this with the libpam that is installed.
package struct StackOutcomes {
  /// What pam_uaf returned before the stack ended.
  enum Own: Hashable {
    case notAsked
    /// It returned a result that a stack need not treat as a refusal: "ignore", or the codes for an unreachable server and for
    /// a person who chose to log in differently.
    case excused
    case refused
    case passed
  }

  /// One way in which the stack ends.
  struct Ending: Hashable {
    /// Whether the program that asked gets a success.
    var isSuccess: Bool
    var own: Own
    /// The index of the line that led past pam_uaf's first line; nil if that line was reached.
    var passing: Int?
    /// The index of the first line that turned the outcome into a refusal; nil if none did.
    var refusing: Int?
    /// Whether a line that certainly asks for something and checks it has accepted after pam_uaf refused.
    var isVouchedFor = false
    /// Whether one of the ``StackOutcomes/noted`` lines was asked before pam_uaf accepted.
    var isNoted = false
  }

  /// The lines, with included ones in their places.
  let entries: [StackEntry]
  /// pam_uaf's first line.
  fileprivate let first: Int?
  /// The indices of the lines that ``Ending/isNoted`` is about.
  fileprivate var noted: Set<Int> = []
  /// The number of a line that is skipped as if it had no effect; a jump still counts it.
  fileprivate var silent: Int?

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
    /// The substack level of the line before.
    var level = 0
    var impression = Impression.none
    /// The state at the start of each level.
    var begun = [Impression.none]
    var ending = Ending(isSuccess: false, own: .notAsked)
  }

  /// Every way in which the lines can end.
  ///
  /// - Parameter results: what the module of a line may answer, as names of pam.conf(5).
  func endings(_ results: (PAMLine) -> [String]) -> Set<Ending> { endings { _, line in results(line) } }

  /// Every way in which the lines can end.
  ///
  /// - Parameter results: what the module of a line may answer; it also gets the index of the line in ``entries``.
  func endings(_ results: (Int, PAMLine) -> [String]) -> Set<Ending> {
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
      let isPassed = entry.isSubstack || state.index == silent
      let next = isPassed ? [passed(state)] : results(state.index, entry.line).map { after($0, entry, state) }
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

  /// The state after a result of a line.
  private func after(_ result: String, _ entry: StackEntry, _ state: State) -> State {
    var next = state
    if next.ending.own != .passed, noted.contains(state.index) { next.ending.isNoted = true }
    if entry.line.asksOwnModule { next.ending.own = Self.own(next.ending.own, result) }
    if next.ending.own == .refused, ModuleResults.isAcceptance(result), ModuleResults.vouches(entry.line) {
      next.ending.isVouchedFor = true
    }
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

  /// The lines that are skipped after a success of a line.
  func leftOut(bySuccessOf index: Int) -> Range<Int> {
    var state = State()
    state.index = index
    return index + 1..<max(index + 1, after("success", entries[index], state).index)
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

  /// pam_uaf's results for a wrong entry, for a locked account, and for a caller who interferes with it.
  private static let refusals: Set<String> = [
    "auth_err", "maxtries", "perm_denied", "system_err", "conv_err", "abort",
  ]
}

/// A line of a service as libpam lists it.
package struct StackEntry: Equatable {
  /// The line's content.
  package let line: PAMLine
  /// The number of substacks around it.
  let level: Int
  /// Whether it is the head of a substack, whose lines follow.
  let isSubstack: Bool
  /// The file that contains it, and its line number there, from 1.
  package let place: StackLinePlace

  /// The line's place, with the name of its module if libpam cannot load it.
  func place(unlessLoaded isLoaded: (PAMLine) -> Bool) -> StackLinePlace {
    var place = place
    if line.isWellFormed, !isLoaded(line) { place.unloaded = line.module }
    return place
  }
}

/// The place of a line.
package struct StackLinePlace: Equatable {
  /// The file.
  package let path: String
  /// From 1.
  package let line: Int
  /// The file that the line includes, if libpam cannot read it.
  var unread: String?
  /// The line's module, if it refuses because libpam cannot load it.
  var unloaded: String?

  /// Whether the line is in a stack of `uafctl pam enable`.
  var isOfReadyStack: Bool { path.split(separator: "/").last?.hasPrefix(PAMService.prefix) ?? false }
}

/// The place at which a stack lets people in without the right password.
package struct PasswordGap: Equatable {
  /// The effect of the line.
  package enum Kind {
    /// A wrong password gets past it.
    case wrong
    /// It leads people to the passcode although nothing has asked them for the password.
    case notAsked
  }

  /// The line.
  package let place: StackLinePlace
  package let kind: Kind
  /// Whether the line asks for something, so that it should refuse a wrong answer.
  let asks: Bool

  init(_ place: StackLinePlace, _ kind: Kind, asks: Bool = true) {
    self.place = place
    self.kind = kind
    self.asks = asks
  }

  /// The same gap at a different line.
  func at(_ place: StackLinePlace) -> PasswordGap { PasswordGap(place, kind, asks: asks) }

  /// The reason why a service with this gap is not enabled.
  package var error: StackError {
    switch kind {
    case .wrong: .wrongPassword(path: place.path, line: place.line, asks: asks)
    case .notAsked: .noPassword(path: place.path, line: place.line)
    }
  }
}

/// The effect of a service's `auth` lines: whether people can bypass pam_uaf, and whether a password is still enough to log in.
package struct StackReading {
  private let outcomes: StackOutcomes
  private let service: String

  private var entries: [StackEntry] { outcomes.entries }

  /// The reading of the `auth` lines of `service`; see ``PAMDirectory/entries(of:in:)``.
  package init(_ entries: [StackEntry], of service: String) {
    outcomes = StackOutcomes(entries)
    self.service = service
  }

  // MARK: Past pam_uaf

  /// The line that lets people in before pam_uaf is asked; nil if there is none.
  ///
  /// Lines that are meant to bypass pam_uaf do not count: in su that of pam_rootok, which lets in only root, and that for the
  /// rescue group, if another line asks the group for the password.
  package var passing: StackEntry? { leadingPast ?? lettingAnybodyIn }

  /// The line before pam_uaf that leads people past it; nil if there is none.
  package var leadingPast: StackEntry? {
    outcomes.endings(withoutMeantOnes).filter { $0.isSuccess && $0.own == .notAsked }.compactMap(\.passing).min()
      .map { entries[$0] }
  }

  /// The results that anybody may cause, without those by which root or the rescue group is meant to bypass pam_uaf.
  private func withoutMeantOnes(_ line: PAMLine) -> [String] {
    ModuleResults.possible(line).filter { $0 != "success" || !ModuleResults.isMeantToPass(line, in: service) }
  }

  /// The line that lets in a person who is asked for nothing, by pam_uaf or by any other line; nil if there is none.
  package var lettingAnybodyIn: StackEntry? { rootLettingAnybodyIn ?? lettingInUnasked }

  /// The line of pam_rootok that lets in a person who knows no secret, in a program that runs as root for everybody; nil if
  /// there is none.
  private var rootLettingAnybodyIn: StackEntry? {
    guard !ModuleResults.isRootsOwn(service),
      let answering = entries.first(where: { $0.line.moduleName == ModuleResults.rootModule })
    else { return nil }
    let letsIn = [true, false].contains { asRescuer in
      outcomes.endings { line in
        ModuleResults.asks(line)
          ? ["auth_err"] : ModuleResults.ofRightPassword(line, asRescuer: asRescuer, in: service)
      }.contains(where: \.isSuccess)
    }
    return letsIn ? answering : nil
  }

  /// The line that leads people past pam_uaf, and past every line that asks; nil if there is none.
  ///
  /// If it takes several lines to do so, such as one of the ready stack and one of common-auth, this is the last of them that
  /// leads past a line that asks.
  private var lettingInUnasked: StackEntry? {
    guard let passing = unasked().compactMap(\.passing).min() else { return nil }
    let needed = entries.indices.filter { unasked(withoutSuccessOf: $0).isEmpty }
    // The line of a ready stack leads only past pam_uaf.
    let pastOthers = needed.last { index in
      outcomes.leftOut(bySuccessOf: index).contains { ModuleResults.asks(entries[$0].line) }
    }
    // The line at which a jump ends is not at fault.
    let last = needed.last { entries[$0].line.moduleName != "pam_permit.so" }
    let found = pastOthers ?? last ?? passing
    // The lines of a ready stack are correct, and before the stack is installed, they are in no file that could be named. So
    // the line to which they lead is at fault.
    guard entries[found].place.isOfReadyStack else { return entries[found] }
    let own = entries.indices.filter { !entries[$0].place.isOfReadyStack && !entries[$0].isSubstack }
    let accepting = own.last { entries[$0].line.moduleName == "pam_permit.so" }
    return entries[own.last { ModuleResults.asks(entries[$0].line) } ?? accepting ?? own.last ?? found]
  }

  /// The endings that let in a person who knows no secret, without calling pam_uaf; those that let in only root do not count.
  private func unasked(withoutSuccessOf left: Int? = nil) -> Set<StackOutcomes.Ending> {
    outcomes.endings { index, line in
      ModuleResults.ofNothing(line).filter {
        $0 != "success" || index != left && !ModuleResults.isRoots(line, in: service)
      }
    }.filter { $0.isSuccess && $0.own == .notAsked }
  }

  /// Whether people can log in without pam_uaf being asked.
  ///
  /// Lines that let in only root do not count, and neither do those that lead the rescue group to a password.
  var letsInWithoutAsking: Bool {
    outcomes.endings(withoutMeantOnes).contains { $0.isSuccess && $0.own == .notAsked } || !unasked().isEmpty
  }

  /// Whether everybody that no condition keeps out gets in without being asked for anything.
  var asksNobody: Bool {
    outcomes.endings { line in
      if ModuleResults.asks(line) { return ["auth_err"] }
      if ModuleResults.isCondition(line) { return [line.action(of: "auth_err").refuses ? "success" : "auth_err"] }
      return ModuleResults.ofRightPassword(line, asRescuer: false, in: service)
    }.contains { $0.isSuccess && $0.own == .notAsked }
  }

  /// Whether members of the rescue group bypass pam_uaf and get in with a password.
  package var leadsRescuersPast: Bool {
    way(asRescuer: true) == .open && entries.contains { $0.line.isForRescuers(in: service) }
  }

  // MARK: A refusal of pam_uaf

  /// The effect of a refusal by pam_uaf.
  package enum Refusal {
    /// Nobody can log in after it.
    case refuses
    /// A line that certainly asks for something, and checks it, lets people in after it.
    case leavesToOthers
    /// People can log in after it although no line after it is certain to ask for anything.
    ///
    /// Lines before pam_uaf do not count, even if they ask for a password: the password with a wrong passcode would then be
    /// enough.
    case letsIn
  }

  /// The effect of a refusal, whatever the other lines answer.
  package var refusal: Refusal {
    // A module that asks for a password does not answer "ignore" to a wrong password.
    let endings = outcomes.endings { line in
      ModuleResults.possible(line).filter { result in
        switch result {
        case "ignore": ModuleResults.mayStandAside(line)
        case "success": !ModuleResults.isRoots(line, in: service)
        default: true
        }
      }
    }
    let refused = endings.filter { $0.isSuccess && $0.own == .refused }
    if refused.isEmpty { return .refuses }
    return refused.contains { !$0.isVouchedFor } ? .letsIn : .leavesToOthers
  }

  // MARK: A wrong password

  /// The place at which a person with the passcode, or one who bypasses pam_uaf, gets in without the right password; nil if there
  /// is none.
  ///
  /// If the right password leads past pam_uaf, the password is a separate way in, which is not examined here.
  ///
  /// - Parameter isSecondFactor: whether the stack is meant to ask for a password first. If so, an unknown module counts as one
  ///   that checks the password, and it is also a gap if a person who is asked for no password gets in with the passcode alone.
  package func passwordGap(isSecondFactor: Bool) -> PasswordGap? {
    if let line = lettingWrongPasswordIn(isSecondFactor: isSecondFactor) {
      return PasswordGap(line.place, .wrong, asks: ModuleResults.asks(line.line))
    }
    return isSecondFactor ? leadingToPasscodeAlone.map { PasswordGap($0.place, .notAsked) } : nil
  }

  /// Whether, judged by its lines, the stack is meant to ask for a password first; for a stack without a record of its
  /// template.
  ///
  /// It is if no line after pam_uaf asks for anything and, in addition, either the success of a line that asks before pam_uaf
  /// leads to pam_uaf, or a line leads only the rescue group past pam_uaf. Otherwise the stack may be meant to ask for the
  /// passcode instead of the password.
  var looksLikeSecondFactor: Bool {
    guard let own = outcomes.first else { return false }
    let asking = asking
    guard asking.allSatisfy({ $0 < own }) else { return false }
    return asking.contains { leadsToOwnModule(bySuccessOf: $0, among: asking) }
      || entries.contains { $0.line.isForRescuers(in: service) }
  }

  /// The line that leads people to pam_uaf past every line that asks; pam_uaf's own line if no line before it asks.
  private var leadingToPasscodeAlone: StackEntry? {
    guard let own = outcomes.first, isPasscodeEnough() else { return nil }
    return entries[entries.indices.first { $0 < own && !isPasscodeEnough(without: $0) } ?? own]
  }

  /// Whether the passcode lets in a person whom no line before pam_uaf asked for anything.
  private func isPasscodeEnough(without silent: Int? = nil) -> Bool {
    var outcomes = outcomes
    outcomes.noted = Set(asking)
    outcomes.silent = silent
    return outcomes.endings { _, line in answersOfPasscode(line) }.contains { ending in
      ending.isSuccess && !ending.isNoted && (ending.own == .passed || ending.own == .excused)
    }
  }

  /// The line that lets a wrong password pass, so that people still get in; nil if there is none.
  private func lettingWrongPasswordIn(isSecondFactor: Bool) -> StackEntry? {
    guard let own = outcomes.first else { return nil }
    let asking = asking
    let checking = asking.filter { index in
      let line = entries[index].line
      guard ModuleResults.vouches(line) || isSecondFactor else { return false }
      return index > own || leadsToOwnModule(bySuccessOf: index, among: asking)
    }
    let passwords = checking.filter { $0 < own && ModuleResults.checksPassword(entries[$0].line) }
    guard letsWrongIn(checking) || matterNothing(passwords, among: asking) else { return nil }
    // The line without which a wrong password would be refused, such as a jump over pam_deny. The line at which such a jump
    // ends is not at fault.
    let culprit = entries.indices.first { index in
      let entry = entries[index]
      let isSuspect =
        !checking.contains(index) && !entry.line.asksOwnModule && !entry.isSubstack
        && !entry.place.isOfReadyStack
        && (entry.line.moduleName != "pam_permit.so" || entry.line.action(of: "success") == .reset)
      return isSuspect && letsWrongIn(checking) && !letsWrongIn(checking, without: index)
    }
    return (culprit ?? passwords.last ?? checking.last).map { entries[$0] }
  }

  /// The indices of the lines that ask for something.
  private var asking: [Int] { entries.indices.filter { ModuleResults.asks(entries[$0].line) } }

  /// Whether a right answer to a line still leads to pam_uaf; otherwise the line is a separate way in.
  private func leadsToOwnModule(bySuccessOf index: Int, among asking: [Int]) -> Bool {
    var outcomes = outcomes
    outcomes.noted = [index]
    return outcomes.endings { other, line in
      if other == index { return ["success"] }
      return asking.contains(other) ? ["success", "auth_err"] : answersOfPasscode(line)
    }.contains { $0.isNoted && $0.own != .notAsked }
  }

  /// Whether a person gets in although every line that asks has refused, including one of `checking`.
  private func letsWrongIn(_ checking: [Int], without silent: Int? = nil) -> Bool {
    var outcomes = outcomes
    outcomes.noted = Set(checking)
    outcomes.silent = silent
    return outcomes.endings { _, line in answersOfPasscode(line) }.contains { $0.isSuccess && $0.isNoted }
  }

  /// Whether the password makes no difference to a person with the passcode, whatever the answers to other lines are.
  ///
  /// - Parameter first: the lines before pam_uaf that check the password.
  private func matterNothing(_ first: [Int], among asking: [Int]) -> Bool {
    let passwords = asking.filter { ModuleResults.checksPassword(entries[$0].line) }
    let others = asking.filter { !passwords.contains($0) }
    // No real stack has more, and each doubles the work.
    guard !first.isEmpty, others.count <= 5 else { return false }
    var outcomes = outcomes
    outcomes.noted = Set(first)
    var isOpen = false
    for answers in 0..<(1 << others.count) {
      let agreeing = Set(others.indices.filter { answers & 1 << $0 != 0 }.map { others[$0] })
      func letsIn(_ right: [Int]) -> Bool {
        outcomes.endings { index, line in
          agreeing.contains(index) || right.contains(index) ? ["success"] : answersOfPasscode(line)
        }.contains { $0.isSuccess && $0.isNoted && $0.own == .passed }
      }
      guard letsIn(passwords) == letsIn([]) else { return false }
      isOpen = isOpen || letsIn([])
    }
    return isOpen
  }

  /// The results that are possible for a person who has only the passcode, or who may continue because the server cannot be
  /// reached.
  private func answersOfPasscode(_ line: PAMLine) -> [String] {
    if line.asksOwnModule, line.isWellFormed {
      return ["success", "authinfo_unavail", "cred_unavail"] + (line.passesUnregistered ? ["ignore"] : [])
    }
    return ModuleResults.ofNothing(line).filter { $0 != "success" || !ModuleResults.isRoots(line, in: service) }
  }

  // MARK: A right password

  /// The effect of the right password of a person who has no passcode.
  package enum Way: Equatable {
    case open
    /// No line asks for anything, or pam_uaf does.
    case none
    /// The line that refuses.
    case refused(StackLinePlace)
  }

  /// The effect of a right password if pam_uaf refuses everybody.
  ///
  /// - Parameters:
  ///   - asRescuer: whether the person is a member of the rescue group.
  ///   - isLoaded: whether libpam can load a line's module.
  package func way(asRescuer: Bool, isLoaded: (PAMLine) -> Bool = { _ in true }) -> Way {
    guard entries.contains(where: { ModuleResults.authenticates($0.line) || $0.place.unread != nil }) else {
      return .none
    }
    let endings = outcomes.endings { line in
      isLoaded(line) ? ModuleResults.ofRightPassword(line, asRescuer: asRescuer, in: service) : ["module_unknown"]
    }
    if endings.contains(where: { $0.own != .notAsked }) { return .none }
    // If no line refuses, none has accepted either, and libpam refuses: this names the last line.
    guard let line = endings.filter({ !$0.isSuccess }).map({ $0.refusing ?? entries.count - 1 }).min() else {
      return .open
    }
    // The line at which a jump over a refusal begins is at fault, and not the refusal.
    let unloaded = entries.first { !$0.isSubstack && $0.line.isWellFormed && !isLoaded($0.line) }
    if let unloaded, way(asRescuer: asRescuer) == .open { return .refused(unloaded.place(unlessLoaded: isLoaded)) }
    return .refused(entries[line].place(unlessLoaded: isLoaded))
  }
}
