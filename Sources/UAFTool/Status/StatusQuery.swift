import Doctor
import FidoResults
import UAFWire

/// Asks the core for the state of an account, and asks no person anything.
struct StatusQuery {
  private let call: CoreCall

  /// - Parameter configuration: root's own configuration; nil for the machine's.
  init(in context: ToolContext, configuration: String?) {
    call = CoreCall(context: context, configuration: configuration)
  }

  /// The core's last word about an account; a refusal is one, too.
  ///
  /// - Parameter user: the account's name, root's to choose; nil for the caller's own.
  /// - Throws: ``ToolError`` where the core cannot be asked, or can answer nobody: that is no fault of one account.
  private func ask(_ user: String?) throws(ToolError) -> Finished {
    var request = Request(.status)
    request.user = user
    var nobody = Nobody()
    let end = try call.hold(request, with: &nobody)
    guard end.result != FidoResult.cannotUse.code else {
      throw .core(.unable(end.text.map(ConfigurationProblem.refused) ?? .result(end.result)))
    }
    return end
  }

  /// Answers no question: *status* asks none.
  private struct Nobody: Person {
    var checks: Set<Check> { [] }
    mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry { .cancelled }
    mutating func isReady() throws(ToolError) -> Bool { false }
    func hear(_ text: String, isError: Bool) {}
  }
}

extension StatusQuery: StatusSource {
  func own() throws(StatusFailure) -> StatusDocument {
    do throws(ToolError) {
      let end = try ask(nil)
      guard end.pamCode == 0 else {
        throw .configuration(end.text.map(ConfigurationProblem.refused) ?? .result(end.result))
      }
      return try end.statusDocument()
    } catch {
      throw StatusFailure(error)
    }
  }

  func status(of account: String) throws(StatusFailure) -> StatusAnswer {
    do throws(ToolError) {
      let end = try ask(account)
      guard end.pamCode == 0 else { return .refused(end.text ?? "result \(end.result)") }
      return .standing(try end.statusDocument())
    } catch {
      throw StatusFailure(error)
    }
  }
}

extension StatusFailure {
  /// What kept the core from being asked.
  fileprivate init(_ error: ToolError) {
    if case .core(.absent) = error { self.init(error, isAbsence: true) } else { self.init(error, isAbsence: false) }
  }
}
