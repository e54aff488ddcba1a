// Purpose of this target: how a person at a terminal is asked: lines, stars, digits, the grid, and the state of the terminal
// meanwhile. It may import the C library, HostSystem for what is written, and SecretMemory for what is entered. It knows neither
// who asks nor what the entry is used for.

import Glibc
import SecretMemory

/// Asks for entries at a terminal, one line or so many characters each.
package struct LinePrompt {
  private let terminal: CInt

  /// - Parameter terminal: the terminal's descriptor, which stays the caller's.
  package init(_ terminal: CInt) { self.terminal = terminal }

  /// Shows `text` and reads one entry.
  ///
  /// - Throws: ``TerminalError``.
  package func ask(_ text: String, _ form: EntryForm) throws(TerminalError) -> TerminalEntry {
    while true {
      switch try read(text, form) {
      case .entry(let entry): return entry
      // The terminal is as it was by now, and so are the signals.
      case .interrupted(let number): raise(number)
      }
    }
  }

  private func read(_ text: String, _ form: EntryForm) throws(TerminalError) -> TerminalOutcome {
    var session = try TerminalSession(terminal)
    var editor = try LineEditor(keys: session.keys, capacity: form.capacity, length: form.length)
    session.show(text)
    var isFirst = true
    while true {
      let action: LineEditor.Action
      switch try session.next() {
      case .signal(SIGWINCH): continue
      case .signal(SIGCONT): return .interrupted(SIGCONT)
      case .signal(SIGINT): action = .cancelled
      case .signal(let number):
        session.show("\n")
        return .interrupted(number)
      case .end: return .entry(.cancelled)
      // Many people press Enter even after an entry that was complete without it.
      case .key(.byte(0x0A)) where isFirst && form.followsFull, .key(.byte(0x0D)) where isFirst && form.followsFull:
        action = .none
      case .key(.byte(let byte)): action = editor.received(byte)
      case .key: action = .refused
      }
      isFirst = false
      Self.show(action, as: Self.display(of: editor, after: action, form.display), on: session)
      switch action {
      case .inserted where editor.isFull, .done:
        session.show("\n")
        return .entry(.value(editor.finish()))
      case .cancelled:
        session.show("\n")
        return .entry(.cancelled)
      case .suspended:
        session.show("\n")
        return .interrupted(SIGTSTP)
      case .none, .inserted, .erased, .refused: break
      }
    }
  }

  /// A number is seen as long as the entry is one.
  private static func display(
    of editor: borrowing LineEditor, after action: LineEditor.Action, _ display: EntryForm.Display
  ) -> EntryForm.Display {
    guard case .number(let digits) = display else { return display }
    // A digit and a mask take one cell each, so both are taken back alike.
    if case .erased = action { return .masked }
    return editor.isNumber(of: digits) ? .shown : .masked
  }

  /// Shows the change of the entry, as far as it may be seen.
  private static func show(
    _ action: LineEditor.Action, as display: EntryForm.Display, on session: borrowing TerminalSession
  ) {
    switch (action, display) {
    case (.refused, _): session.show("\u{7}")
    case (.inserted(let byte), .shown): session.show(byte)
    // Once for each character, however many bytes it has.
    case (.inserted(let byte), .masked): if LineEditor.isStart(byte) { session.show(EntryForm.mask) }
    case (.erased(_, let columns), .shown): session.show(takingBack(columns))
    case (.erased(let characters, _), .masked): session.show(takingBack(characters))
    default: break
    }
  }

  private static func takingBack(_ columns: Int) -> String { String(repeating: "\u{8} \u{8}", count: columns) }
}
