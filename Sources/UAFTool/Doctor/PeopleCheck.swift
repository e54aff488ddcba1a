/// Everybody who is registered on this machine: whose state is damaged, and who is locked.
struct PeopleCheck {
  let surroundings: Surroundings
  /// Root's own configuration; nil for the machine's.
  let configuration: String?
  /// The state folder.
  let folder: String

  func findings() -> [Finding] {
    guard surroundings.caller.isRoot else { return [.skipped(PeopleText.closed)] }
    let survey: AccountSurvey
    do throws(ToolError) {
      survey = try AccountSurvey(folder, configuration: configuration, in: surroundings)
    } catch {
      return [.skipped(PeopleText.unasked(error))]
    }
    var findings = survey.refused.map { Finding.failure(.accountDamaged, PeopleText.refused($0)) }
    findings += survey.nobodys.map { .warning(.accountUnknown, PeopleText.nobodys(file: $0)) }
    if !survey.locked.isEmpty {
      let text = PeopleText.locked(
        survey.locked.map { "\($0.name) (\($0.authenticators.map(\.type).joined(separator: ", ")))" },
        of: survey.standing.count)
      let isEverybody = survey.shutOut == survey.standing.count
      findings.append(isEverybody ? .failure(.accountsLocked, text) : .warning(.accountsLocked, text))
    }
    if !survey.waiting.isEmpty { findings.append(.warning(.lockOptions, PeopleText.waiting(survey.waiting))) }
    return findings.isEmpty ? [.ok(PeopleText.fine(count: survey.standing.count))] : findings
  }
}
