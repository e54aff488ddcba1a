import Glibc
import HostSystem

/// The accounts registered on this machine: which are damaged, which are locked, and which the account stage cannot ask about.
struct PeopleCheck {
  let core: any StatusSource
  /// Where names are looked up.
  let accounts: any AccountDirectory
  /// The state folder.
  let folder: String
  /// The numbers of the accounts that have a file in a state folder.
  let registered: (String) -> [uid_t]
  let isRoot: Bool
  /// Whether an account stage asks the server about accounts.
  let asksForStates: () -> Bool

  func findings() -> [Finding] {
    guard isRoot else { return [.skipped(PeopleText.closed)] }
    let survey: AccountSurvey
    do throws(StatusFailure) {
      survey = try AccountSurvey(folder, of: registered(folder), accounts: accounts, core: core)
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
    if !survey.uncounted.isEmpty { findings.append(.warning(.chipCount, PeopleText.uncounted(survey.uncounted))) }
    if !survey.withoutSecret.isEmpty, asksForStates() {
      findings.append(.warning(.accountSecret, PeopleText.withoutSecret(survey.withoutSecret)))
    }
    if !survey.behind.isEmpty { findings.append(.warning(.keyBehind, BehindText(names: survey.behind))) }
    return findings.isEmpty ? [.ok(PeopleText.fine(count: survey.standing.count))] : findings
  }
}
