/// What a change of a service's `auth` lines takes out of force: a line that kept somebody out who has the right password.
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

  /// The answers by which such a line keeps somebody out.
  private static let refusals = ["auth_err", "perm_denied"]

  /// The first line whose refusal is one of the service today, and none any more for whom pam_uaf lets in; nil if there is none.
  var line: StackEntry? {
    // Where nobody gets in, nothing is lost.
    guard before.endings(ModuleResults.possible).contains(where: \.isSuccess) else { return nil }
    return before.entries.first { entry in
      ModuleResults.restricts(entry.line)
        && Self.refusals.contains { refusal in
          !endings(of: before, where: entry.line, says: refusal).contains(where: \.isSuccess)
            && endings(of: after, where: entry.line, says: refusal).contains { $0.isSuccess && $0.own == .passed }
        }
    }
  }

  /// The endings in which a line refuses, and every other may answer anything; the same line elsewhere answers the same.
  private func endings(
    of outcomes: StackOutcomes, where line: PAMLine, says refusal: String
  ) -> Set<StackOutcomes.Ending> {
    outcomes.endings { $0 == line ? [refusal] : ModuleResults.possible($0) }
  }
}
