import AuthenticatorTypes
import FidoResults
import SecretMemory
import TerminalPrompts
import UAFMessages
import UAFWire
import Wording

/// A graphical front end.
///
/// It gets challenges as lines of JSON on standard output, and answers them with lines on standard input.
struct JSONPerson: Person, ~Copyable {
  private let input: LineInput
  private let lines: JSONLines
  /// Whether the front end shows a form and answers several challenges at the same time.
  private let answersTogether: Bool
  /// Whether this is an approval, which can be denied.
  private let isApproval: Bool
  /// Whether the brace that begins the front end's next line was already read.
  private var hasBegun: Bool
  /// The answer to the core's next prompt, which the front end has given together with the previous one.
  private var answerAhead: AnswerAhead?

  init(
    input: LineInput, lines: JSONLines, answersTogether: Bool = false, isApproval: Bool = false, hasBegun: Bool = false
  ) {
    (self.input, self.lines, self.answersTogether) = (input, lines, answersTogether)
    (self.isApproval, self.hasBegun) = (isApproval, hasBegun)
  }

  var checks: Set<Check> { Set(Check.allCases) }

  /// Whether an answer was given in advance and still waits for its prompt.
  var hasAnswerAhead: Bool { answerAhead != nil }

  /// Asks the front end.
  ///
  /// A line that is not an answer cancels, so that nothing is sent by mistake.
  ///
  /// As in the core, a *resume* without a paused login is ignored.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    // The answer that was given in advance is used for this prompt or not at all: if it does not fit, it is wiped here.
    if let ahead = answerAhead.take(), ahead.answers(prompt) { return .value(ahead.value) }
    let further = answersTogether ? prompt.repetition(orIn: lines.language) : nil
    let form: JSONAnswerReader.Form = answersTogether ? .all(further == nil ? 1 : 2) : .one
    if answersTogether { lines.challenges([prompt, further].compactMap(\.self)) } else { lines.challenge(prompt) }
    guard var entered = try? Secret(capacity: form.count * WireLimit.answer) else { throw .outOfMemory }
    var answer = try next(form, into: &entered)
    while answer == .resume { answer = try next(form, into: &entered) }
    switch answer {
    case .value: return .value(entered)
    case .values(let counts):
      let first = counts.first ?? 0
      if let further { answerAhead = try AnswerAhead(to: further, behind: first, of: entered) }
      // SAFETY: nothing is written; everything after the first answer is wiped.
      unsafe entered.refill { _ in first }
      return .value(entered)
    case .deny where isApproval: return .denied
    case .deny:
      report(.nothingToDeny)
      return .cancelled
    case .cancel, .resume, nil: return .cancelled
    }
  }

  mutating func isReady() throws(ToolError) -> Bool {
    answerAhead = nil
    lines.ready()
    let form: JSONAnswerReader.Form = answersTogether ? .all(1) : .one
    guard var entered = try? Secret(capacity: WireLimit.answer) else { throw .outOfMemory }
    switch try next(form, into: &entered) {
    case .resume: return true
    case .cancel, nil: return false
    case .value, .values, .deny:
      report(.nothingAskedYet)
      return false
    }
  }

  /// Writes a text for the front end.
  ///
  /// After an error, an answer that was given in advance must not be used any more.
  mutating func hear(_ text: String, isError: Bool) {
    if isError { answerAhead = nil }
    lines.message(text, isError: isError)
  }

  /// Reads the next line, and puts the bytes of its answers into `entered`.
  ///
  /// - Returns: nil if the line is not an answer; this has then been reported.
  private mutating func next(
    _ form: JSONAnswerReader.Form, into entered: inout Secret
  ) throws(ToolError) -> JSONAnswerReader.Answer? {
    defer { hasBegun = false }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try input.next(capacity: JSONAnswerReader.maximumLineCount(form) + 1)
    }
    switch consume line {
    case .bytes(let line): return read(line, as: form, into: &entered)
    case .unusable: report(.lineHoldsNUL)
    case .end: report(.noFurtherLine)
    }
    return nil
  }

  private func read(
    _ line: borrowing Secret, as form: JSONAnswerReader.Form, into entered: inout Secret
  ) -> JSONAnswerReader.Answer? {
    var answer: JSONAnswerReader.Answer?
    let hasBegun = hasBegun
    // SAFETY: the reader writes inside the buffer; everything that is not part of an answer is wiped.
    unsafe entered.refill { buffer in
      answer = line.withBytes { unsafe JSONAnswerReader.read($0, as: form, hasBegun: hasBegun, into: buffer) }
      return switch answer {
      case .value(let count): count
      case .values(let counts): counts.reduce(0, +)
      case .cancel, .resume, .deny, nil: 0
      }
    }
    if answer == nil { report(.lineIsNoAnswer) }
    return answer
  }

  /// Reports to the front end why the conversation is cancelled.
  private func report(_ why: ToolText) { lines.message(why.text(in: lines.language), isError: true) }
}

/// The second of two answers that were given together, kept until the core shows the prompt for it.
private struct AnswerAhead: ~Copyable {
  let value: Secret
  private let question: Prompt

  /// Takes the answer to `question` from the entry, as everything after the first `count` bytes.
  ///
  /// - Throws: ``ToolError/outOfMemory``.
  init(to question: Prompt, behind count: Int, of entered: borrowing Secret) throws(ToolError) {
    let value = entered.withBytes { try? Secret(copying: $0.extracting(droppingFirst: count)) }
    guard let value else { throw .outOfMemory }
    self.value = value
    self.question = question
  }

  /// Whether `prompt` is the one that was answered in advance, even if its text differs.
  ///
  /// With a shuffled keypad nothing can be answered in advance: which digits the keys mean is known only once that keypad is
  /// shown.
  func answers(_ prompt: Prompt) -> Bool {
    prompt.step == question.step && prompt.check == question.check && prompt.errorMessage == nil
      && !KeypadText.isPart(of: prompt.text)
  }
}

extension Prompt {
  /// The prompt that asks for a new passcode or pattern a second time, as the core will show it after this one; nil if it
  /// cannot be answered in advance.
  ///
  /// - Parameter language: the language of its text, if the language of the core's texts is not known.
  fileprivate func repetition(orIn language: Language) -> Prompt? {
    let kinds = AuthenticatorType.allCases.filter { $0.isTyped && $0.entry.check == check.rawValue }.map(\.kind)
    guard step == .new, let kind = kinds.first, !KeypadText.isPart(of: text) else { return nil }
    let question = text.split(separator: "\n").last.map(String.init) ?? ""
    var prompt = self
    prompt.step = .newAgain
    prompt.text =
      PromptText.newValueAgain(after: question, among: kinds, length: entryLength.map(Int.init))
      ?? PromptText.newValueAgain(kind).text(in: language)
    (prompt.remainingAttempts, prompt.errorMessage) = (nil, nil)
    return prompt
  }
}

/// A call of the core that ends with one line of JSON, whatever its result.
///
/// A graphical front end may conduct it.
struct JSONCall {
  private let context: ToolContext
  private let isAskedInJSON: Bool
  private let answersTogether: Bool

  /// - Parameters:
  ///   - isAskedInJSON: whether a front end answers. A code is then also read as a line of standard input, and never at a
  ///     terminal.
  ///   - answersTogether: whether that front end answers several challenges at the same time.
  init(in context: ToolContext, isAskedInJSON: Bool, answersTogether: Bool) {
    var context = context
    if isAskedInJSON { (context.terminal, context.speaksJSON) = (nil, true) }
    self.context = context
    self.isAskedInJSON = isAskedInJSON
    self.answersTogether = answersTogether
  }

  /// Makes the request with `request`, and runs the conversation about it over the call that `call` makes.
  ///
  /// - Parameter result: the result that the command reports for an error; nil for the error's own result.
  func run(
    _ request: (ToolContext) throws(ToolError) -> Request, over call: (ToolContext) throws(ToolError) -> CoreCall,
    failing result: (ToolError) -> FidoResult? = { _ in nil }
  ) -> ToolExit {
    let lines = JSONLines(in: context)
    do throws(ToolError) {
      let request = try request(context)
      let finished = try run(request, over: call(context), lines)
      lines.finished(finished, wantsToken: request.wantsToken)
      return ConversationEnd(finished).exit(of: request)
    } catch {
      lines.failure(error, as: result(error))
      return error.exit
    }
  }

  private func run(_ request: Request, over call: CoreCall, _ lines: JSONLines) throws(ToolError) -> Finished {
    guard isAskedInJSON else { return try call.run(request) }
    var person = JSONPerson(
      input: LineInput(descriptor: context.input), lines: lines, answersTogether: answersTogether,
      isApproval: request.operation == .authenticate && request.code != nil,
      hasBegun: request.inputRead == .linesAndBrace)
    return try call.run(request, with: &person)
  }
}

/// The output for a graphical front end: one JSON object in each line (docs/json-conversation.md).
struct JSONLines {
  let output: Output
  let language: Language

  init(in context: ToolContext) { (output, language) = (context.output, context.language) }

  /// Writes a challenge, which must be answered or cancelled before anything else happens.
  func challenge(_ prompt: Prompt) {
    var line: JSONObject = ["type": .string("challenge")]
    describe(prompt, in: &line)
    write(line)
  }

  /// Writes several challenges, which the front end answers in this order with one line.
  func challenges(_ prompts: [Prompt]) {
    let all = prompts.map { prompt in
      var challenge = JSONObject()
      describe(prompt, in: &challenge)
      return JSONValue.object(challenge)
    }
    write(["type": .string("challenges"), "challenges": .array(all)])
  }

  private func describe(_ prompt: Prompt, in challenge: inout JSONObject) {
    challenge.set("check", .string(prompt.check.rawValue))
    challenge.set("step", .string(Self.name(prompt.step)))
    challenge.set("echo", .bool(prompt.echo))
    challenge.set("text", .string(ShownText.lines(prompt.wholeText(in: language))))
    // These members are always present, so that a front end need not distinguish a missing one from null.
    challenge.set("remainingAttempts", prompt.remainingAttempts.map { .integer(Int64($0)) } ?? .null)
    challenge.set("errorMessage", prompt.errorMessage.map { .string(ShownText.lines($0)) } ?? .null)
    challenge.set("reason", prompt.reason.map { .string(ShownText.lines($0)) })
    challenge.set("entryLength", prompt.entryLength.map { .integer(Int64($0)) })
    guard !prompt.options.isEmpty else { return }
    challenge.set("options", .array(prompt.options.map { .string(ShownText.line($0)) }))
  }

  /// Writes that the first challenge can be shown.
  ///
  /// The front end then resumes or cancels.
  func ready() {
    let result = FidoResult.ready
    write([
      "type": .string("ready"), "result": .integer(Int64(result.code)), "name": .string(result.name),
    ])
  }

  /// Writes a message that needs no answer.
  func message(_ text: String, isError: Bool) {
    write(["type": .string(isError ? "error" : "info"), "text": .string(ShownText.lines(text))])
  }

  /// Writes the last line, with the core's result.
  func finished(_ finished: Finished, wantsToken: Bool) {
    let result = FidoResult(code: finished.result)
    let isSuccess = finished.pamCode == 0
    var line = last(result, isSuccess: isSuccess)
    line.set("pamCode", .integer(Int64(finished.pamCode)))
    if isSuccess {
      line.set("text", .string(ShownText.lines(finished.text ?? result.text(in: language))))
      if finished.staleValue { line.set("nextStep", .string(ToolText.changeStaleValue.text(in: language))) }
    } else {
      let told = ConversationEnd(finished).told(in: language)
      line.set("text", .string(told.text))
      line.set("nextStep", told.nextStep.map(JSONValue.string))
    }
    if isSuccess, wantsToken { line.set("token", finished.token.map { .string(ShownText.verbatim($0)) }) }
    write(line)
  }

  /// Prints how a conversation failed, as one JSON object or as lines of text; returns the exit status.
  static func tellFailure(_ finished: Finished, asJSON: Bool, in context: ToolContext) -> ToolExit {
    let end = ConversationEnd(finished)
    guard asJSON else { return end.tellFailure(in: context) }
    JSONLines(in: context).finished(finished, wantsToken: false)
    return end.failureExit
  }

  /// Writes the last line for work that uafctl has done itself.
  func done(_ text: String) {
    var line = last(.success, isSuccess: true)
    line.set("pamCode", .integer(0))
    line.set("text", .string(text))
    write(line)
  }

  /// Writes the last line if the core sent no result, or a wrong one.
  ///
  /// - Parameter result: the result that the command reports for the error; nil for the error's own result.
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
