import FidoResults
import UAFWire
import Wording

/// How a conversation that was not a success is told.
enum Outcome {
  /// Says what the core said or, where it said nothing, what its result means; gives the exit status.
  static func tell(_ finished: Finished, in surroundings: Surroundings) -> ToolExit {
    let told = told(finished, in: surroundings.language)
    surroundings.failure("\(told.text) [\(finished.result)]", hint: told.nextStep)
    return exit(finished)
  }

  /// What the core said and, in its further lines, what can be done about it.
  ///
  /// Nothing is added to the core's words, for a result alone does not say why. A result without words tells what it means.
  static func told(_ finished: Finished, in language: Language) -> (text: String, nextStep: String?) {
    let lines = ShownText.lines(finished.text ?? "").split(separator: "\n").map(String.init)
    guard let first = lines.first else {
      let result = FidoResult(code: finished.result)
      return (result.text(in: language), result.nextStep(in: language))
    }
    return (first, lines.count > 1 ? lines.dropFirst().joined(separator: " ") : nil)
  }

  /// Says that it was done, in the core's words where a value was changed or reset, and prints the token if wanted.
  static func tell(
    success finished: Finished, as done: ToolText, wantsToken: Bool = false, in surroundings: Surroundings
  ) -> ToolExit {
    let output = surroundings.output
    let text = finished.result == 0 ? "" : ShownText.lines(finished.text ?? "")
    output.note(text.isEmpty ? done.text(in: surroundings.language) : text)
    guard wantsToken else { return .success }
    if let token = finished.token {
      output.result(ShownText.verbatim(token))
    } else {
      surroundings.note(ToolText.noToken)
    }
    return .success
  }

  /// The exit status of what was no success: what the machine's side got wrong is told apart from a refusal, so that
  /// scripts can.
  static func exit(_ finished: Finished) -> ToolExit {
    if finished.result == FidoResult.clientMismatch.code { return .unreachable }
    return CInt(finished.pamCode) == PAMCode.serviceError.rawValue ? .usage : .refused
  }
}
