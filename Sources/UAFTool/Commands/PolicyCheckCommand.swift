import ArgumentParser
import Authenticator
import FidoResults
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFWire

/// `uafctl policy check`.
struct PolicyCheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tries a value against the rules for passcodes, without setting it.",
    discussion: """
      The value is asked for on the terminal without showing it, or is the first line of standard input. The exit status \
      is 0 if it would be accepted; 1 if not, with one line for each problem that begins with the rule's key; 2 or \
      more for anything else, such as a configuration that cannot be used. Nothing is stored or sent, and root is not needed: \
      whoever is not root may try a file of his own. Root is told, too, for whom the lock options of the \
      file do not hold yet because of wrong entries.
      """)

  @ParentCommand var parent: PolicyCommand
  @ParentCommand var program: Uafctl

  @Option(
    name: .customLong("conf"), help: ArgumentHelp("Configuration file; root's or your own.", valueName: "file"),
    completion: .file())
  var file: String?

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let path = try ConfigurationOption.path(file ?? parent.conf.file ?? program.conf.file, in: surroundings)
    let configuration = try PolicySource.configuration(path, in: surroundings)
    let problems = try check(configuration.passcode.policy, in: surroundings)
    for problem in problems {
      surroundings.output.result("\(problem.key): \(problem.message(in: surroundings.language))")
    }
    if problems.isEmpty { surroundings.note(ToolText.meetsRules) }
    if surroundings.caller.isRoot { tellWaiting(path, configuration, in: surroundings) }
    return problems.isEmpty ? .success : .refused
  }

  /// Tells root for whom the lock options of this configuration would not hold yet (3015).
  private func tellWaiting(_ path: String?, _ configuration: Configuration, in surroundings: Surroundings) {
    do throws(ToolError) {
      let survey = try AccountSurvey(configuration.state.directory, configuration: path, in: surroundings)
      if !survey.waiting.isEmpty { surroundings.failure(PeopleText.waiting(survey.waiting)) }
    } catch {
      surroundings.failure(PeopleText.unasked(error))
    }
  }

  private func check(_ policy: PasscodePolicy, in surroundings: Surroundings) throws(ToolError) -> [PasscodeProblem] {
    if let terminal = surroundings.terminal {
      let person = TerminalPerson(terminal, in: surroundings)
      let form = EntryForm(display: person.hiddenDisplay, capacity: WireLimit.answer)
      switch try person.ask(ToolText.valueQuestion.text(in: surroundings.language), form) {
      case .value(let value): return value.withBytes { policy.check($0) }
      case .cancelled: throw .noValue
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: surroundings.input).next(capacity: WireLimit.answer)
    }
    switch consume line {
    case .bytes(let value): return value.withBytes { policy.check($0) }
    // The policy says about a NUL what it says about every control character.
    case .unusable: return policy.check([0 as UInt8].span)
    case .end: throw .noValue
    }
  }
}
