import FidoResults
import UAFWire
import Wording

/// How a conversation with the core ended, and how that is reported.
struct ConversationEnd {
  private let finished: Finished

  init(_ finished: Finished) { self.finished = finished }

  /// What the core said and, in its further lines, what can be done about it.
  ///
  /// Nothing is added to the core's words, for a result alone does not say why. A result without words tells what it means.
  func told(in language: Language) -> (text: String, nextStep: String?) {
    let lines = ShownText.lines(finished.text ?? "").split(separator: "\n").map(String.init)
    guard let first = lines.first else {
      let result = FidoResult(code: finished.result)
      return (result.text(in: language), result.nextStep(in: language))
    }
    return (first, lines.count > 1 ? lines.dropFirst().joined(separator: " ") : nil)
  }

  /// The exit status of what was no success: what the machine's side got wrong is told apart from a refusal, so that
  /// scripts can.
  var failureExit: ToolExit {
    if finished.result == FidoResult.clientMismatch.code { return .unreachable }
    return CInt(finished.pamCode) == PAMCode.serviceError.rawValue ? .usage : .refused
  }

  /// Says what the core said or, where it said nothing, what its result means; gives the exit status.
  func tellFailure(in context: ToolContext) -> ToolExit {
    let told = told(in: context.language)
    context.failure("\(told.text) [\(finished.result)]", hint: told.nextStep)
    return failureExit
  }

  /// Says that it was done, in the core's words where a value was changed or reset, and prints the token if wanted.
  func tellSuccess(as done: ToolText, wantsToken: Bool = false, in context: ToolContext) -> ToolExit {
    let text = finished.result == 0 ? "" : ShownText.lines(finished.text ?? "")
    context.output.note(text.isEmpty ? done.text(in: context.language) : text)
    guard wantsToken else { return .success }
    if let token = finished.token {
      context.output.result(ShownText.verbatim(token))
    } else {
      context.note(ToolText.noToken)
    }
    return .success
  }

  /// Says that what was asked for is denied, which is what was wanted.
  ///
  /// A denial is the person's no: never a success of an authentication.
  func tellDenial(in context: ToolContext) -> ToolExit {
    guard finished.result == FidoResult.userCancel.code else { return tellFailure(in: context) }
    context.note(ToolText.denied)
    return .success
  }
}
