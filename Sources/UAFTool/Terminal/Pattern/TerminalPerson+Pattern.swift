import FidoResults
import Glibc
import HostSystem
import Invocation
import UAFWire
import Wording

extension TerminalPerson {
  /// The grid on a terminal that can show it, digits without echo on any other.
  mutating func drawPattern(_ prompt: Prompt) throws(ToolError) -> Entry {
    let display = PatternDisplay(configuration, in: surroundings)
    let style = PatternStyle(
      display.appearance, isUTF8: surroundings.display.isUTF8, usesColours: surroundings.display.usesColours)
    let screen = try PatternScreen(
      terminal, style: style, question: ShownText.lines(prompt.text),
      mistake: prompt.separateMistake.map(ShownText.lines),
      help: PromptText.patternGrid.text(in: surroundings.language))
    guard !surroundings.display.isDumb, !display.isAccessible, screen.fits(AlternateScreen.size(of: terminal)) else {
      return try typePattern(prompt)
    }
    return try draw(on: screen, style.layout, isRepeated: prompt.errorMessage != nil, question: prompt.text)
  }

  private func typePattern(_ prompt: Prompt) throws(ToolError) -> Entry {
    let keys = PromptText.patternKeys.text(in: surroundings.language)
    return try ask(
      "\(keys)\n\(ShownText.lines(prompt.text))", EntryForm(display: .hidden, capacity: WireLimit.answer))
  }

  /// The question stays on the first screen, the grid does not.
  private mutating func draw(
    on screen: consuming PatternScreen, _ layout: PatternLayout, isRepeated: Bool, question: String
  ) throws(ToolError) -> Entry {
    var wrong = isRepeated ? lastStroke.take() : nil
    lastStroke = nil
    while true {
      let outcome = try read(on: &screen, layout, wrong: wrong.take())
      switch consume outcome {
      case .interrupted(let number): raise(number)
      case .stroke(let stroke):
        _ = DescriptorWriter.write(Array((ShownText.lines(question) + "\n").utf8), to: terminal)
        lastStroke = try PatternStroke(copying: stroke)
        return .value(stroke.finish())
      case .cancelled: return .cancelled
      }
    }
  }

  private enum PatternOutcome: ~Copyable {
    case stroke(PatternStroke)
    case cancelled
    case interrupted(CInt)
  }

  private func read(
    on screen: inout PatternScreen, _ layout: PatternLayout, wrong: consuming PatternStroke?
  ) throws(ToolError) -> PatternOutcome {
    var session = try TerminalSession(terminal, alternate: true)
    var entry = try PatternEntry(keys: session.keys, wrong: wrong)
    screen.paint(entry, AlternateScreen.size(of: terminal))
    while true {
      let action: PatternEntry.Action
      switch try session.next() {
      case .signal(SIGWINCH): action = .changed
      case .signal(SIGINT), .end: action = .cancelled
      case .signal(let number): return .interrupted(number)
      case .key(let key): action = entry.received(key, layout: layout, origin: screen.origin)
      }
      switch action {
      case .none: break
      case .changed: screen.paint(entry, AlternateScreen.size(of: terminal))
      case .refused: screen.refuse()
      case .done: return .stroke(entry.finish())
      case .cancelled: return .cancelled
      case .suspended: return .interrupted(SIGTSTP)
      }
    }
  }
}
