import Authenticator
import Doctor
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFWire

/// Tries one value against the rules for passcodes, and prints what is wrong with it.
struct ValueTrial {
  let context: ToolContext
  /// The rules, and the state folder for which root reads more.
  let configuration: Configuration
  /// The configuration's file; nil for the machine's.
  let path: String?

  /// Asks for a value and prints each problem with it in its own line.
  ///
  /// - Returns: whether it would be accepted.
  /// - Throws: ``ToolError``: `noValue`, `terminalFailed`, `outOfMemory`.
  func run() throws(ToolError) -> ToolExit {
    let problems = try problems()
    for problem in problems {
      context.output.result("\(problem.key): \(problem.message(in: context.language))")
    }
    if problems.isEmpty { context.note(ToolText.meetsRules) }
    if context.caller.isRoot { tellWaiting() }
    return problems.isEmpty ? .success : .refused
  }

  /// Prints for root the accounts for which the lock options would have no effect yet (3015).
  private func tellWaiting() {
    let folder = configuration.state.directory
    do throws(StatusFailure) {
      let survey = try AccountSurvey(
        folder, of: context.installation.registered(folder), accounts: context.caller.accounts,
        core: StatusQuery(in: context, configuration: path))
      if !survey.waiting.isEmpty { context.failure(PeopleText.waiting(survey.waiting)) }
    } catch {
      context.failure(PeopleText.unasked(error))
    }
  }

  private func problems() throws(ToolError) -> [PasscodeProblem] {
    let policy = configuration.passcode.policy
    if let terminal = context.terminal {
      let person = TerminalPerson(terminal, in: context)
      let form = EntryForm(display: person.hiddenDisplay, capacity: WireLimit.answer)
      switch try person.ask(ToolText.valueQuestion.text(in: context.language), form) {
      case .value(let value): return value.withBytes { policy.check($0) }
      case .cancelled: throw .noValue
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: context.input).next(capacity: WireLimit.answer)
    }
    switch consume line {
    case .bytes(let value): return value.withBytes { policy.check($0) }
    // The policy says about a NUL what it says about every control character.
    case .unusable: return policy.check([0 as UInt8].span)
    case .end: throw .noValue
    }
  }
}
