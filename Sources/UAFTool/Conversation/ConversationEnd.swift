import FidoResults
import UAFWire
import Wording

/// How a conversation with the core ended, and how that is reported.
struct ConversationEnd {
  private let finished: Finished

  init(_ finished: Finished) { self.finished = finished }

  /// What the core said and, in its further lines, what can be done about it.
  ///
  /// Nothing is added to the core's text, because a result alone does not say why. Without a text, the meaning of the result is
  /// shown.
  func told(in language: Language) -> (text: String, nextStep: String?) {
    let lines = ShownText.lines(finished.text ?? "").split(separator: "\n").map(String.init)
    guard let first = lines.first else {
      let result = FidoResult(code: finished.result)
      return (result.text(in: language), result.nextStep(in: language))
    }
    return (first, lines.count > 1 ? lines.dropFirst().joined(separator: " ") : nil)
  }

  /// The exit status without success.
  ///
  /// A fault of the machine has another status than a refusal, for scripts.
  var failureExit: ToolExit {
    if finished.result == FidoResult.clientMismatch.code { return .unreachable }
    return CInt(finished.pamCode) == PAMCode.serviceError.rawValue ? .usage : .refused
  }

  /// The exit status: of a denial, whether it was denied; of anything else, whether it succeeded.
  func exit(of request: Request) -> ToolExit {
    if request.denies { return isDenied ? .success : failureExit }
    return finished.pamCode == 0 ? .success : failureExit
  }

  private var isDenied: Bool { finished.result == FidoResult.userCancel.code }

  /// Prints the core's text or, without one, what its result means; returns the exit status.
  func tellFailure(in context: ToolContext) -> ToolExit {
    let told = told(in: context.language)
    context.failure("\(told.text) [\(finished.result)]", hint: told.nextStep)
    return failureExit
  }

  /// Prints that it was done, and prints the token if wanted.
  ///
  /// - Parameter isInCoresWords: whether the core's words are printed, as they are where a value was changed or reset.
  func tellSuccess(
    as done: ToolText, orAsCore isInCoresWords: Bool = false, wantsToken: Bool = false, in context: ToolContext
  ) -> ToolExit {
    let text = finished.result == 0 && !isInCoresWords ? "" : ShownText.lines(finished.text ?? "")
    context.output.note(text.isEmpty ? done.text(in: context.language) : text)
    guard wantsToken else { return .success }
    if let token = finished.token {
      context.output.result(ShownText.verbatim(token))
    } else {
      context.note(ToolText.noToken)
    }
    return .success
  }

  /// Prints that the approval was denied, as the person wanted.
  ///
  /// A denial is never a success of an authentication.
  func tellDenial(in context: ToolContext) -> ToolExit {
    guard isDenied else { return tellFailure(in: context) }
    context.note(ToolText.denied)
    return .success
  }
}
