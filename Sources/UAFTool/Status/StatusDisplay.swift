import Doctor
import UAFWire
import Wording

/// What `uafctl status` prints of the core's answer, and its exit status.
struct StatusDisplay {
  let context: ToolContext

  /// Prints the state of the account.
  ///
  /// - Parameter asJSON: whether the core's document is printed as it is.
  /// - Throws: ``ToolError/core(_:)``.
  func show(_ finished: Finished, asJSON: Bool) throws(ToolError) -> ToolExit {
    guard finished.result == 0 else { return JSONLines.tellFailure(finished, asJSON: asJSON, in: context) }
    let document = try finished.statusDocument()
    context.output.result(
      asJSON
        ? ShownText.verbatim(finished.document ?? "") : StatusReport(language: context.language).text(document))
    return .success
  }

  /// Answers a question about one authenticator with the exit status: 0 yes, 1 no, 2 for anything else.
  ///
  /// - Parameters:
  ///   - name: the authenticator's type or AAID.
  ///   - ask: asks the core.
  func answer(
    _ question: StatusQuestion, about name: String, by ask: () throws(ToolError) -> Finished
  ) -> ToolExit {
    do throws(ToolError) {
      return try answer(question, about: name, as: try ask())
    } catch {
      context.failure(error)
      return .usage
    }
  }

  private func answer(
    _ question: StatusQuestion, about name: String, as finished: Finished
  ) throws(ToolError) -> ToolExit {
    guard finished.result == 0 else {
      _ = ConversationEnd(finished).tellFailure(in: context)
      return .usage
    }
    let document = try finished.statusDocument()
    guard let found = document.authenticators.first(where: { $0.isCalled(name) }) else {
      guard AuthenticatorName.isPossible(name) else { throw .badArgument(.noSuchType(name)) }
      context.result(StatusText.notEnabled(ShownText.line(name)))
      return .refused
    }
    context.output.result(StatusReport(language: context.language).line(found))
    return question.holds(of: found) ? .success : .refused
  }
}
