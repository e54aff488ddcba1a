/// What the `auth` lines of a service come to: whether somebody gets past pam_uaf, and whether a password still lets somebody in.
package struct StackReading {
  private let outcomes: StackOutcomes

  private var entries: [StackEntry] { outcomes.entries }

  /// The reading of a service's `auth` lines; see ``PAMDirectory/entries(of:in:)``.
  package init(_ entries: [StackEntry]) { outcomes = StackOutcomes(entries) }

  // MARK: Past pam_uaf

  /// The line that lets somebody in before pam_uaf is asked; nil if there is none.
  ///
  /// Root's way past it in su (a success of pam_rootok) and that of the rescue group do not count.
  package var passing: StackEntry? {
    let endings = outcomes.endings { line in
      ModuleResults.possible(line).filter { $0 != "success" || !ModuleResults.isMeantToPass(line) }
    }
    return endings.filter { $0.isSuccess && $0.own == .notAsked }.compactMap(\.passing).min().map { entries[$0] }
  }

  /// Whether members of the rescue group are led past pam_uaf, to a password that lets them in.
  package var leadsRescuersPast: Bool { way(asRescuer: true) == .open && entries.contains { $0.line.isForRescuers } }

  // MARK: A refusal of pam_uaf

  /// What a refusal of pam_uaf leads to.
  package enum Refusal {
    /// Nobody gets in after it.
    case refuses
    /// Another line that asks for something lets somebody in.
    case leavesToOthers
    /// Somebody gets in who was asked for nothing else.
    case letsIn
  }

  /// What a refusal leads to, whatever the other lines say.
  package var refusal: Refusal {
    // A module that asks for a password does not answer "ignore" to a wrong one.
    let endings = outcomes.endings { line in
      ModuleResults.possible(line).filter { $0 != "ignore" || !ModuleResults.authenticates(line) }
    }
    let refused = endings.filter { $0.isSuccess && $0.own == .refused }
    if refused.isEmpty { return .refuses }
    return refused.contains { !$0.isAuthenticated } ? .letsIn : .leavesToOthers
  }

  // MARK: A right password

  /// What becomes of the right password of somebody who does not have a passcode.
  package enum Way: Equatable {
    case open
    /// Nothing is asked, or pam_uaf is.
    case none
    /// The line that refuses.
    case refused(StackLinePlace)
  }

  /// The way of a right password, where pam_uaf refuses everybody.
  ///
  /// - Parameters:
  ///   - asRescuer: whether it is that of a member of the rescue group.
  ///   - isThere: whether a module is where libpam looks for it.
  package func way(asRescuer: Bool, isThere: (PAMLine) -> Bool = { _ in true }) -> Way {
    guard entries.contains(where: { ModuleResults.authenticates($0.line) }) else { return .none }
    let endings = outcomes.endings { line in
      isThere(line) ? ModuleResults.ofRightPassword(line, asRescuer: asRescuer) : ["module_unknown"]
    }
    if endings.contains(where: { $0.own != .notAsked }) { return .none }
    // Where no line refuses, none has accepted either, and libpam refuses: the last line is named.
    guard let line = endings.filter({ !$0.isSuccess }).map({ $0.refusing ?? entries.count - 1 }).min() else {
      return .open
    }
    return .refused(entries[line].place)
  }
}
