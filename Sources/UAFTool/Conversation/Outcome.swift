import FidoResults
import UAFWire

/// How a conversation that was not a success is told.
enum Outcome {
  /// Says what the core said or, where it said nothing, what its result means; gives the exit status.
  static func tell(_ finished: Finished, in surroundings: Surroundings) -> ToolExit {
    let result = FidoResult(code: finished.result)
    let language = surroundings.language
    let lines = ShownText.lines(finished.text ?? "").split(separator: "\n").map(String.init)
    let usual = result.nextStep(in: language).flatMap { step in lines.contains { says($0, step) } ? nil : step }
    surroundings.failure(
      "\(lines.first ?? result.text(in: language)) [\(result.code)]",
      hint: lines.count > 1 ? lines.dropFirst().joined(separator: " ") : usual)
    return exit(finished)
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

  /// Whether `line` says what to do already, be it in the middle of a sentence.
  private static func says(_ line: String, _ step: String) -> Bool {
    line.lowercased().contains(step.lowercased().prefix { $0 != "." })
  }

  /// The exit status of what was no success: what the machine's side got wrong is told apart from a refusal, so that
  /// scripts can.
  static func exit(_ finished: Finished) -> ToolExit {
    if finished.result == FidoResult.clientMismatch.code { return .unreachable }
    return CInt(finished.pamCode) == PAMCode.serviceError.rawValue ? .usage : .refused
  }
}
