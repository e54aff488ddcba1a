import FidoResults
import Glibc
import UAFWire
import Wording

/// A person at a terminal.
struct TerminalPerson: Person, ~Copyable {
  let terminal: CInt
  let surroundings: Surroundings
  /// Root's `--conf`.
  let configuration: String?
  /// The last pattern of this call, to show what was wrong with it.
  var lastStroke: PatternStroke?
  /// The terminal while an entry that is complete without Enter is asked for, and after one: typing on goes nowhere.
  private var muted: MutedTerminal?

  init(_ terminal: CInt, in surroundings: Surroundings, configuration: String? = nil) {
    self.terminal = terminal
    self.surroundings = surroundings
    self.configuration = configuration
  }

  var checks: Set<Check> { Set(Check.allCases) }

  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    let followsFull = muted != nil
    muted?.discard()
    if let mistake = prompt.separateMistake { hear(mistake, isError: true) }
    guard prompt.check != .pattern || prompt.echo else {
      muted = nil
      return try drawPattern(prompt)
    }
    let form = EntryForm(
      display: prompt.echo ? .shown : hiddenDisplay, capacity: WireLimit.answer,
      length: prompt.entryLength.map { Int($0) }, followsFull: followsFull)
    if form.length != nil, muted == nil {
      muted = try MutedTerminal(terminal, quietMilliseconds: surroundings.quietMilliseconds)
    }
    muted?.discardsRest = false
    let entry = try ask(ShownText.lines(prompt.text), form)
    return settle(entry, form)
  }

  /// Leaves the terminal muted after an entry that was complete without Enter.
  private mutating func settle(_ entry: consuming Entry, _ form: EntryForm) -> Entry {
    switch consume entry {
    case .cancelled:
      muted = nil
      return .cancelled
    case .denied:
      muted = nil
      return .denied
    case .value(let value):
      if let length = form.length, value.withBytes({ LineEditor.characterCount($0) == length }) {
        muted?.discardsRest = true
      } else {
        muted = nil
      }
      return .value(value)
    }
  }

  /// Whatever is typed before Enter is not shown, since it may be a passcode that came too early, and not used.
  mutating func isReady() throws(ToolError) -> Bool {
    switch try ask(
      PromptText.ready.text(in: surroundings.language), EntryForm(display: .hidden, capacity: WireLimit.answer))
    {
    case .value: return true
    case .cancelled: return false
    case .denied: return false
    }
  }

  func hear(_ text: String, isError: Bool) { surroundings.output.note(ShownText.lines(text)) }

  /// How an entry is shown that must not be seen.
  var hiddenDisplay: EntryForm.Display { surroundings.display.isDumb ? .hidden : .masked }

  /// Shows `text` and reads one entry.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  func ask(_ text: String, _ form: EntryForm) throws(ToolError) -> Entry {
    while true {
      switch try read(text, form) {
      case .entry(let entry): return entry
      // The terminal is as it was by now, and so are the signals.
      case .interrupted(let number): raise(number)
      }
    }
  }

  private func read(_ text: String, _ form: EntryForm) throws(ToolError) -> TerminalOutcome {
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
      // The Enter that many press behind a full entry all the same.
      case .key(.byte(0x0A)) where isFirst && form.followsFull, .key(.byte(0x0D)) where isFirst && form.followsFull:
        action = .none
      case .key(.byte(let byte)): action = editor.received(byte)
      case .key: action = .refused
      }
      isFirst = false
      Self.show(action, as: form.display, on: session)
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

  /// Shows what became of the entry, as far as it may be seen.
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
