import Glibc
import HostSystem

/// Asks for patterns on the grid.
package struct PatternPrompt: ~Copyable {
  private let terminal: CInt
  /// The last pattern, to show what was wrong with it.
  private var lastStroke: PatternStroke?

  /// - Parameter terminal: the terminal's descriptor, which stays the caller's.
  package init(_ terminal: CInt) { self.terminal = terminal }

  /// The pattern that is drawn; nil where the window is too small for the grid.
  ///
  /// The question stays on the first screen, the grid does not.
  ///
  /// - Throws: ``TerminalError``.
  package mutating func draw(
    _ question: PatternQuestion, _ style: PatternStyle
  ) throws(TerminalError) -> TerminalEntry? {
    var screen = try PatternScreen(
      terminal, style: style, question: question.text, mistake: question.mistake, help: question.help)
    guard screen.fits(AlternateScreen.size(of: terminal)) else { return nil }
    var wrong = question.isRepeated ? lastStroke.take() : nil
    lastStroke = nil
    while true {
      let outcome = try read(on: &screen, style.layout, wrong: wrong.take())
      switch consume outcome {
      case .interrupted(let number): raise(number)
      case .stroke(let stroke):
        _ = DescriptorWriter.write(Array((question.text + "\n").utf8), to: terminal)
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
  ) throws(TerminalError) -> PatternOutcome {
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
