import FidoResults
import UAFMessages
import UAFWire
import Wording

/// What a graphical front end reads: one JSON object a line (docs/json-conversation.md).
struct JSONLines {
  let output: Output
  let language: Language

  init(in context: ToolContext) { (output, language) = (context.output, context.language) }

  /// A question, which has to be answered or cancelled before anything else happens.
  func challenge(_ prompt: Prompt) {
    var line: JSONObject = ["type": .string("challenge")]
    Self.describe(prompt, in: &line)
    write(line)
  }

  /// Questions that one line answers, in this order.
  func challenges(_ prompts: [Prompt]) {
    let all = prompts.map { prompt in
      var challenge = JSONObject()
      Self.describe(prompt, in: &challenge)
      return JSONValue.object(challenge)
    }
    write(["type": .string("challenges"), "challenges": .array(all)])
  }

  private static func describe(_ prompt: Prompt, in challenge: inout JSONObject) {
    challenge.set("check", .string(prompt.check.rawValue))
    challenge.set("step", .string(name(prompt.step)))
    challenge.set("echo", .bool(prompt.echo))
    challenge.set("text", .string(ShownText.lines(prompt.text)))
    // Always there, so that a front end need not tell a member that is missing from one that says nothing.
    challenge.set("remainingAttempts", prompt.remainingAttempts.map { .integer(Int64($0)) } ?? .null)
    challenge.set("errorMessage", prompt.errorMessage.map { .string(ShownText.lines($0)) } ?? .null)
    challenge.set("reason", prompt.reason.map { .string(ShownText.lines($0)) })
    challenge.set("entryLength", prompt.entryLength.map { .integer(Int64($0)) })
    guard !prompt.options.isEmpty else { return }
    challenge.set("options", .array(prompt.options.map { .string(ShownText.line($0)) }))
  }

  /// The first question can be asked: to be resumed or cancelled.
  func ready() {
    let result = FidoResult.ready
    write([
      "type": .string("ready"), "result": .integer(Int64(result.code)), "name": .string(result.name),
    ])
  }

  /// Something that needs no answer.
  func message(_ text: String, isError: Bool) {
    write(["type": .string(isError ? "error" : "info"), "text": .string(ShownText.lines(text))])
  }

  /// The last line, as the core said it.
  func finished(_ finished: Finished, wantsToken: Bool) {
    let result = FidoResult(code: finished.result)
    let isSuccess = finished.pamCode == 0
    var line = last(result, isSuccess: isSuccess)
    line.set("pamCode", .integer(Int64(finished.pamCode)))
    if isSuccess {
      line.set("text", .string(ShownText.lines(finished.text ?? result.text(in: language))))
    } else {
      let told = ConversationEnd(finished).told(in: language)
      line.set("text", .string(told.text))
      line.set("nextStep", told.nextStep.map(JSONValue.string))
    }
    if isSuccess, wantsToken { line.set("token", finished.token.map { .string(ShownText.verbatim($0)) }) }
    write(line)
  }

  /// Prints how a conversation failed, as one object or in lines; returns the exit status.
  static func tellFailure(_ finished: Finished, asJSON: Bool, in context: ToolContext) -> ToolExit {
    let end = ConversationEnd(finished)
    guard asJSON else { return end.tellFailure(in: context) }
    JSONLines(in: context).finished(finished, wantsToken: false)
    return end.failureExit
  }

  /// The last line of what was done here.
  func done(_ text: String) {
    var line = last(.success, isSuccess: true)
    line.set("pamCode", .integer(0))
    line.set("text", .string(text))
    write(line)
  }

  /// The last line if the core sent no result, or a wrong one.
  ///
  /// - Parameter result: what the command makes of the error; nil for what the error itself says.
  func failure(_ error: ToolError, as result: FidoResult? = nil) {
    var line = last(result ?? error.result, isSuccess: false)
    line.set("text", .string(error.text(in: language).what))
    line.set("nextStep", error.text(in: language).remedy.map(JSONValue.string))
    write(line)
  }

  private func last(_ result: FidoResult, isSuccess: Bool) -> JSONObject {
    [
      "type": .string(isSuccess ? "success" : "failure"), "result": .integer(Int64(result.code)),
      "name": .string(result.name),
    ]
  }

  private func write(_ line: JSONObject) { output.result(JSONValue.object(line).text) }

  private static func name(_ step: PromptStep) -> String {
    switch step {
    case .current: "current"
    case .new: "new"
    case .newAgain: "newAgain"
    }
  }
}
