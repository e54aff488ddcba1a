import SecretMemory
import UAFWire

/// A graphical front end: challenges as lines of JSON on standard output, its answers as lines of standard input.
struct JSONPerson: Person {
  let input: LineInput
  let lines: JSONLines

  var checks: Set<Check> { Set(Check.allCases) }

  /// Whatever is no answer cancels, so that nothing is ever sent that nobody meant.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    lines.challenge(prompt)
    switch try input.next(capacity: JSONAnswerReader.maximumLineCount + 1) {
    case .bytes(let line): return try entry(line)
    case .unusable: return cancelled(.lineHoldsNUL)
    case .end: return cancelled(.noFurtherLine)
    }
  }

  func hear(_ text: String, isError: Bool) { lines.message(text, isError: isError) }

  private func entry(_ line: borrowing Secret) throws(ToolError) -> Entry {
    guard var value = try? Secret(capacity: WireLimit.answer) else { throw .outOfMemory }
    var answer: JSONAnswerReader.Answer?
    // SAFETY: the reader writes inside the buffer; what is not part of an answer is wiped.
    unsafe value.refill { buffer in
      answer = line.withBytes { unsafe JSONAnswerReader.read($0, into: buffer) }
      if case .value(let count)? = answer { return count }
      return 0
    }
    switch answer {
    case .value: return .value(value)
    case .cancel: return .cancelled
    case nil: return cancelled(.lineIsNoAnswer)
    }
  }

  private func cancelled(_ why: ToolText) -> Entry {
    lines.message(why.text(in: lines.language), isError: true)
    return .cancelled
  }
}
