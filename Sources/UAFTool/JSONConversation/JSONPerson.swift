import SecretMemory
import TerminalPrompts
import UAFWire

/// A graphical front end: challenges as lines of JSON on standard output, its answers as lines of standard input.
struct JSONPerson: Person {
  let input: LineInput
  let lines: JSONLines

  var checks: Set<Check> { Set(Check.allCases) }

  /// A line that is no answer cancels, so that nothing is sent by mistake.
  ///
  /// A *resume* that nothing waits for is passed over, as the core does with one.
  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    lines.challenge(prompt)
    guard var value = try? Secret(capacity: WireLimit.answer) else { throw .outOfMemory }
    var answer = try next(into: &value)
    while answer == .resume { answer = try next(into: &value) }
    switch answer {
    case .value: return .value(value)
    case .deny: return .denied
    case .cancel, .resume, nil: return .cancelled
    }
  }

  mutating func isReady() throws(ToolError) -> Bool {
    lines.ready()
    guard var value = try? Secret(capacity: WireLimit.answer) else { throw .outOfMemory }
    switch try next(into: &value) {
    case .resume: return true
    case .cancel, nil: return false
    case .value, .deny:
      _ = cancelled(.nothingAskedYet)
      return false
    }
  }

  func hear(_ text: String, isError: Bool) { lines.message(text, isError: isError) }

  /// What the next line says; an answer's bytes are put into `value`.
  ///
  /// - Returns: nil if it is no answer; that is reported.
  private func next(into value: inout Secret) throws(ToolError) -> JSONAnswerReader.Answer? {
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try input.next(capacity: JSONAnswerReader.maximumLineCount + 1)
    }
    switch consume line {
    case .bytes(let line): return read(line, into: &value)
    case .unusable: _ = cancelled(.lineHoldsNUL)
    case .end: _ = cancelled(.noFurtherLine)
    }
    return nil
  }

  private func read(_ line: borrowing Secret, into value: inout Secret) -> JSONAnswerReader.Answer? {
    var answer: JSONAnswerReader.Answer?
    // SAFETY: the reader writes inside the buffer; what is not part of an answer is wiped.
    unsafe value.refill { buffer in
      answer = line.withBytes { unsafe JSONAnswerReader.read($0, into: buffer) }
      if case .value(let count)? = answer { return count }
      return 0
    }
    if answer == nil { _ = cancelled(.lineIsNoAnswer) }
    return answer
  }

  private func cancelled(_ why: ToolText) -> Entry {
    lines.message(why.text(in: lines.language), isError: true)
    return .cancelled
  }
}
