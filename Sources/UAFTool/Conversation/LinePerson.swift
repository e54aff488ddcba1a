import FidoResults
import SecretMemory
import TerminalPrompts
import UAFWire
import Wording

/// A script: questions go to standard error, and each answer is one line of standard input.
struct LinePerson: Person {
  let input: LineInput
  let output: Output
  var language = Language.english

  /// A script is not asked to choose: the first line of a list may be another one tomorrow.
  var checks: Set<Check> { [.passcode, .pattern, .code] }

  /// A line too long to be sent is cut: what is left is still longer than any value that can be set, and the core says so.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    if let mistake = prompt.separateMistake { hear(mistake, isError: true) }
    output.question(ShownText.lines(prompt.text))
    switch try next(capacity: WireLimit.answer) {
    case .bytes(let value): return .value(value)
    case .unusable:
      output.note(ToolText.lineHoldsNUL.text(in: language))
      return .cancelled
    case .end:
      output.note(ToolText.noFurtherLine.text(in: language))
      return .cancelled
    }
  }

  mutating func isReady() throws(ToolError) -> Bool {
    output.question(ToolText.readyQuestion.text(in: language))
    guard case .bytes(let line) = try next(capacity: 1) else { return false }
    return line.count == 0
  }

  private func next(capacity: Int) throws(ToolError) -> LineInput.Line {
    try ToolError.atTerminal { () throws(TerminalError) in try input.next(capacity: capacity) }
  }

  func hear(_ text: String, isError: Bool) { output.note(ShownText.lines(text)) }
}
