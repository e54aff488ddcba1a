import Authenticator
import Doctor
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFWire

/// Tries one value against the rules for passcodes, and prints what is wrong with it.
struct ValueTrial {
  private let context: ToolContext
  private let source: PolicySource
  private let rules: TrialRules

  /// - Throws: ``ToolError/configuration(_:)`` where the server's policy does not go with the file.
  init(_ source: PolicySource, in context: ToolContext) throws(ToolError) {
    self.context = context
    self.source = source
    rules = try TrialRules(source, core: StatusQuery(in: context, configuration: source.path))
  }

  /// Asks for a value and prints each problem with it in its own line.
  ///
  /// - Returns: whether it would be accepted, or that the server's policy could not be tried and might refuse it.
  /// - Throws: ``ToolError``: `noValue`, `terminalFailed`, `outOfMemory`.
  func run() throws(ToolError) -> ToolExit {
    let problems = try problems()
    for problem in problems { context.output.result(line(problem)) }
    if let untried = rules.untried {
      context.failure(PolicyTrialText.untried(untried))
    } else if problems.isEmpty {
      context.note(ToolText.meetsRules)
    }
    if context.caller.isRoot { tellWaiting() }
    guard problems.isEmpty else { return .refused }
    return rules.untried == nil ? .success : .unreachable
  }

  private func line(_ found: TrialRules.Problem) -> String {
    let origin = found.policy.map { " " + ToolText.ofPolicy($0).text(in: context.language) } ?? ""
    return "\(found.problem.key): \(found.problem.message(in: context.language))\(origin)"
  }

  /// Prints for root the accounts for which the lock options would have no effect yet (3015).
  private func tellWaiting() {
    let folder = source.configuration.state.directory
    do throws(StatusFailure) {
      let survey = try AccountSurvey(
        folder, of: context.installation.registered(folder), accounts: context.caller.accounts,
        core: StatusQuery(in: context, configuration: source.path))
      if !survey.waiting.isEmpty { context.failure(PeopleText.waiting(survey.waiting)) }
    } catch {
      context.failure(PeopleText.unasked(error))
    }
  }

  private func problems() throws(ToolError) -> [TrialRules.Problem] {
    if let terminal = context.terminal {
      let person = TerminalPerson(terminal, in: context)
      let form = EntryForm(display: person.hiddenDisplay, capacity: WireLimit.answer)
      switch try person.ask(ToolText.valueQuestion.text(in: context.language), form) {
      case .value(let value): return value.withBytes { rules.problems($0) }
      case .cancelled: throw .noValue
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: context.input).next(capacity: WireLimit.answer)
    }
    switch consume line {
    case .bytes(let value): return value.withBytes { rules.problems($0) }
    // The policy says about a NUL what it says about every control character.
    case .unusable: return rules.problems([0 as UInt8].span)
    case .end: throw .noValue
    }
  }
}
