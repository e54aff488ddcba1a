import FidoResults
import UAFWire

/// Asks the core how an account stands, and nobody for anything.
struct StatusQuery {
  let surroundings: Surroundings
  /// Root's own configuration; nil for the machine's.
  let configuration: String?

  /// The core's last word about an account; a refusal is one, too.
  ///
  /// - Parameter user: the account's name, root's to choose; nil for the caller's own.
  /// - Throws: ``ToolError`` where the core cannot be asked, or can answer nobody: that is no fault of one account.
  func ask(_ user: String? = nil) throws(ToolError) -> Finished {
    var request = Request(.status)
    request.user = user
    let begin = try surroundings.caller.begin(request, configuration: configuration)
    let core = try surroundings.core.connect(startsOwn: configuration != nil)
    let finished = Result { () throws(ToolError) in
      var conversation = try Conversation()
      var nobody = Nobody()
      return try conversation.hold(begin, over: core.socket, with: &nobody)
    }
    core.close()
    let end = try finished.get()
    guard end.result != FidoResult.cannotUse.code else {
      throw .coreUnable(end.text.map(ConfigurationProblem.refused) ?? .result(end.result))
    }
    return end
  }

  /// Whoever is asked for nothing.
  private struct Nobody: Person {
    var checks: Set<Check> { [] }
    mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry { .cancelled }
    mutating func isReady() throws(ToolError) -> Bool { false }
    func hear(_ text: String, isError: Bool) {}
  }
}
