import Authenticator
import FidoResults
import SecretMemory
import TerminalPrompts
import UAFWire

/// A graphical front end: challenges as lines of JSON on standard output, its answers as lines of standard input.
struct JSONPerson: Person, ~Copyable {
  private let input: LineInput
  private let lines: JSONLines
  /// Whether the front end answers several challenges at once: it shows a form.
  private let answersTogether: Bool
  /// The answer to the question that the core asks next, which the front end has given with the one before.
  private var answerAhead: AnswerAhead?

  init(input: LineInput, lines: JSONLines, answersTogether: Bool = false) {
    (self.input, self.lines, self.answersTogether) = (input, lines, answersTogether)
  }

  var checks: Set<Check> { Set(Check.allCases) }

  /// Whether an answer waits for its question.
  var hasAnswerAhead: Bool { answerAhead != nil }

  /// A line that is no answer cancels, so that nothing is sent by mistake.
  ///
  /// A *resume* that nothing waits for is passed over, as the core does with one.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    // Used for this question or for none: what does not answer it is wiped here.
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
      // SAFETY: nothing is written; what is behind the first answer is wiped.
      unsafe entered.refill { _ in first }
      return .value(entered)
    case .deny: return .denied
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

  /// After an error no answer that was given before it may be used.
  mutating func hear(_ text: String, isError: Bool) {
    if isError { answerAhead = nil }
    lines.message(text, isError: isError)
  }

  /// What the next line says; the answers' bytes are put into `entered`.
  ///
  /// - Returns: nil if it is no answer; that is reported.
  private func next(
    _ form: JSONAnswerReader.Form, into entered: inout Secret
  ) throws(ToolError) -> JSONAnswerReader.Answer? {
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
    // SAFETY: the reader writes inside the buffer; what is not part of an answer is wiped.
    unsafe entered.refill { buffer in
      answer = line.withBytes { unsafe JSONAnswerReader.read($0, as: form, into: buffer) }
      return switch answer {
      case .value(let count): count
      case .values(let counts): counts.reduce(0, +)
      case .cancel, .resume, .deny, nil: 0
      }
    }
    if answer == nil { report(.lineIsNoAnswer) }
    return answer
  }

  /// Says why the conversation is cancelled.
  private func report(_ why: ToolText) { lines.message(why.text(in: lines.language), isError: true) }
}

/// The second of two answers that were given at once, until the core asks for it.
private struct AnswerAhead: ~Copyable {
  let value: Secret
  private let question: Prompt

  /// Takes the answer to `question` out of what was entered: all behind the first `count` bytes.
  ///
  /// - Throws: ``ToolError/outOfMemory``.
  init(to question: Prompt, behind count: Int, of entered: borrowing Secret) throws(ToolError) {
    let value = entered.withBytes { try? Secret(copying: $0.extracting(droppingFirst: count)) }
    guard let value else { throw .outOfMemory }
    self.value = value
    self.question = question
  }

  /// Whether `prompt` is the question that was answered, whatever its words are.
  ///
  /// The digits that shuffled keys stand for are known only once that keypad was shown.
  func answers(_ prompt: Prompt) -> Bool {
    prompt.step == question.step && prompt.check == question.check && prompt.errorMessage == nil
      && !KeypadText.isPart(of: prompt.text)
  }
}

extension Prompt {
  /// The question for a new value once more, as the core asks it after this one; nil where nobody can answer that beforehand.
  ///
  /// - Parameter language: the language of its words where the core's are not known.
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
