// Purpose of this target: prompts for a person at a terminal (lines, stars, digits, the grid), and the state of the terminal
// during a prompt. It may import the C library, HostSystem for output, and SecretMemory for entries. It knows neither who asks
// for an entry nor what it is used for.

import Glibc
import SecretMemory

/// Reads entries at a terminal.
///
/// Each is one line, or a fixed number of characters.
package struct LinePrompt {
  private let terminal: CInt

  /// - Parameter terminal: the terminal's descriptor, which still belongs to the caller.
  package init(_ terminal: CInt) { self.terminal = terminal }

  /// Shows `text` and reads one entry.
  ///
  /// - Throws: ``TerminalError``.
  package func ask(_ text: String, _ form: EntryForm) throws(TerminalError) -> TerminalEntry {
    while true {
      switch try read(text, form) {
      case .entry(let entry): return entry
      // By now the terminal and the signals are restored.
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
      // Many people press Enter even after an entry that was complete without it, so an Enter at the beginning is dropped.
      case .key(.byte(0x0A)) where isFirst && form.followsFull, .key(.byte(0x0D)) where isFirst && form.followsFull:
        action = .none
      case .key(.byte(0x0A)) where form.isPasted && session.hasMore(within: form.pauseMilliseconds),
        .key(.byte(0x0D)) where form.isPasted && session.hasMore(within: form.pauseMilliseconds):
        action = editor.endedLine()
      case .key(.byte(let byte)): action = editor.received(byte == 0x09 && form.isPasted ? 0x20 : byte)
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

  /// How the entry is shown after `action`.
  ///
  /// With `number`, it is shown as typed while it can be the number, and masked otherwise.
  private static func display(
    of editor: borrowing LineEditor, after action: LineEditor.Action, _ display: EntryForm.Display
  ) -> EntryForm.Display {
    guard case .number(let digits) = display else { return display }
    // A digit and a mask take one cell each, so both are erased in the same way.
    if case .erased = action { return .masked }
    return editor.isNumber(of: digits) ? .shown : .masked
  }

  /// Shows a change of the entry, as far as `display` allows.
  private static func show(
    _ action: LineEditor.Action, as display: EntryForm.Display, on session: borrowing TerminalSession
  ) {
    switch (action, display) {
    case (.refused, _): session.show("\u{7}")
    case (.inserted(let byte), .shown): session.show(byte == 0x0A ? 0x20 : byte)
    // One mask for each character, however many bytes it has.
    case (.inserted(let byte), .masked): if LineEditor.isStart(byte) { session.show(EntryForm.mask) }
    case (.erased(_, let columns), .shown): session.show(takingBack(columns))
    case (.erased(let characters, _), .masked): session.show(takingBack(characters))
    default: break
    }
  }

  private static func takingBack(_ columns: Int) -> String { String(repeating: "\u{8} \u{8}", count: columns) }
}

/// Lines of an input that is not a terminal.
///
/// They are read byte by byte, so that nothing after a line is read, and no part of a line stays in a buffer.
package struct LineInput {
  /// The result of reading a line.
  package enum Line: ~Copyable {
    /// The bytes before the line's end; those that did not fit were dropped.
    case bytes(Secret)
    /// The line has a NUL, which no entry may have.
    case unusable
    /// The input has no further line.
    case end
  }

  private let descriptor: CInt

  /// The lines of a descriptor, which still belongs to the caller.
  package init(descriptor: CInt) { self.descriptor = descriptor }

  /// Whether it is already known that no further line comes.
  ///
  /// For a pipe this is known once its writers have closed it, and for a file at its end. For any other input it is known only
  /// after reading.
  package var hasEnded: Bool {
    var state = stat()
    // SAFETY: `state` is a stat.
    if unsafe fstat(descriptor, &state) == 0, state.st_mode & S_IFMT == S_IFREG {
      return lseek(descriptor, 0, SEEK_CUR) >= state.st_size
    }
    let events = events(withinMilliseconds: 0)
    return events != 0 && events & Int16(POLLIN) == 0
  }

  /// Whether something can be read within that time, even if that is only the end of the input.
  package func hasMore(withinMilliseconds milliseconds: CInt) -> Bool {
    events(withinMilliseconds: milliseconds) != 0
  }

  /// Which events of the input poll(2) reports within that time; 0 if there are none.
  private func events(withinMilliseconds milliseconds: CInt) -> Int16 {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry is passed, and the count is one.
    return unsafe poll(&entry, 1, milliseconds) > 0 ? entry.revents : 0
  }

  /// The next line.
  ///
  /// The end of the input also ends a line, if there is anything before it.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  package func next(capacity: Int) throws(TerminalError) -> Line {
    // One byte more than the capacity, so that a line that is too long can be recognised; no byte of an entry is ever outside
    // this memory.
    guard var line = try? Secret(capacity: capacity + 1) else { throw .outOfMemory }
    var total = 0
    var hasNUL = false
    var ended = false
    // SAFETY: at most `capacity` + 1 bytes are written, all inside the buffer.
    unsafe line.refill { buffer in
      while true {
        // SAFETY: `total` is at most `capacity`, which is the last position.
        let place = unsafe buffer.baseAddress.map { unsafe $0 + total }
        let count = unsafe read(descriptor, place, 1)
        if count < 0, errno == EINTR { continue }
        ended = count != 1
        if ended { return total }
        let byte = unsafe buffer[total]
        if byte == 0x0A { return total }
        if byte == 0 { hasNUL = true }
        total = min(total + 1, capacity)
      }
    }
    if ended, total == 0 { return .end }
    return hasNUL ? .unusable : .bytes(line)
  }
}

/// How an entry is read at a terminal.
package struct EntryForm: Equatable {
  /// How an entry is shown.
  package enum Display: Equatable {
    /// Nothing of the entry is shown.
    case hidden
    /// One ``mask`` for each character.
    case masked
    /// The entry itself is shown.
    case shown
    /// The first digits of the entry as typed, at most this many, and ``mask`` for everything else: for a number in a list.
    ///
    /// A person who overlooks the list may enter a passcode here.
    case number(digits: Int)
  }

  /// How the entry is shown.
  package var display: Display
  /// The most bytes that are accepted.
  package var capacity: Int
  /// The entry is complete at this many characters, without Enter; nil if only Enter completes it.
  package var length: Int?
  /// Whether the prompt follows an entry that was complete without Enter.
  ///
  /// An Enter at the beginning then belongs to that entry.
  package var followsFull = false
  /// Whether the entry is pasted rather than typed.
  ///
  /// A tab then counts as a space, as between a name and a code. An Enter ends the entry only if nothing follows it without a
  /// pause: so a code that a mail program has wrapped is read as a whole, and no line of it is left for the shell.
  package var isPasted = false
  /// The pause after an Enter that ends a pasted entry.
  package var pauseMilliseconds: CInt = 300

  /// A form with room for `capacity` bytes.
  ///
  /// The entry is complete at `length` characters or, if that is nil, at Enter.
  package init(
    display: Display, capacity: Int, length: Int? = nil, followsFull: Bool = false, isPasted: Bool = false,
    pauseMilliseconds: CInt = 300
  ) {
    self.display = display
    self.capacity = capacity
    self.length = length
    self.followsFull = followsFull
    self.isPasted = isPasted
    self.pauseMilliseconds = pauseMilliseconds
  }

  /// An ASCII character, which is one cell wide in every locale and font.
  static let mask = "*"
}

/// The result of a prompt at a terminal.
package enum TerminalEntry: ~Copyable {
  /// The entry, which may be empty.
  case value(Secret)
  /// The person gave up, or the terminal cannot be used for an entry.
  case cancelled
}

/// The result of showing a prompt once.
enum TerminalOutcome: ~Copyable {
  case entry(TerminalEntry)
  /// A signal must take effect now. If the program continues after it, the prompt is shown again.
  case interrupted(CInt)
}
