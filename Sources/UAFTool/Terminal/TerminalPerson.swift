import Glibc
import UAFWire

/// A person at a terminal.
struct TerminalPerson: Person {
  let terminal: CInt
  let output: Output

  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    if let mistake = prompt.separateMistake { hear(mistake, isError: true) }
    return try ask(ShownText.lines(prompt.text), echo: prompt.echo, capacity: WireLimit.answer)
  }

  func hear(_ text: String, isError: Bool) { output.note(ShownText.lines(text)) }

  /// Shows `text` and reads one entry of at most `capacity` bytes.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  func ask(_ text: String, echo: Bool, capacity: Int) throws(ToolError) -> Entry {
    while true {
      switch try read(text, echo: echo, capacity: capacity) {
      case .entry(let entry): return entry
      // The terminal is as it was by now, and so are the signals.
      case .interrupted(let number): raise(number)
      }
    }
  }

  private enum Outcome: ~Copyable {
    case entry(Entry)
    /// A signal is to have its effect; if the program lives on, the question is asked anew.
    case interrupted(CInt)
  }

  private func read(_ text: String, echo: Bool, capacity: Int) throws(ToolError) -> Outcome {
    let signals = try SignalWatch()
    let silence = try SilentTerminal(terminal)
    var editor = try LineEditor(keys: silence.keys, capacity: capacity)
    show(text)
    while true {
      switch try wait(signals) {
      case .signal(SIGINT):
        show("\n")
        return .entry(.cancelled)
      case .signal(SIGCONT):
        return .interrupted(SIGCONT)
      case .signal(let number):
        show("\n")
        return .interrupted(number)
      case .end:
        return .entry(.cancelled)
      case .key(let byte):
        let action = editor.received(byte)
        if echo { self.echo(action) }
        switch action {
        case .done:
          show("\n")
          return .entry(.value(editor.finish()))
        case .cancelled:
          show("\n")
          return .entry(.cancelled)
        case .suspended:
          show("\n")
          return .interrupted(SIGTSTP)
        case .refused: show("\u{7}")
        case .none, .inserted, .erased: break
        }
      }
    }
  }

  private enum Event {
    case key(UInt8)
    case signal(CInt)
    case end
  }

  private func wait(_ signals: borrowing SignalWatch) throws(ToolError) -> Event {
    while true {
      if let number = signals.next() { return .signal(number) }
      var entries = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
      ]
      // SAFETY: two entries are passed and two are announced.
      let ready = unsafe poll(&entries, 2, -1)
      guard ready > 0 else {
        guard errno == EINTR else { throw .terminalFailed(errno) }
        continue
      }
      guard entries[1].revents != 0 else { continue }
      var byte: UInt8 = 0
      // SAFETY: room for one byte.
      let count = unsafe Glibc.read(terminal, &byte, 1)
      if count == 1 { return .key(byte) }
      // A terminal that was hung up reads as an end, or as EIO.
      if count == 0 || errno != EINTR { return .end }
    }
  }

  private func echo(_ action: LineEditor.Action) {
    switch action {
    case .inserted(let byte): _ = DescriptorWriter.write([byte], to: terminal)
    case .erased(let count): show(String(repeating: "\u{8} \u{8}", count: count))
    default: break
    }
  }

  private func show(_ text: String) { _ = DescriptorWriter.write(Array(text.utf8), to: terminal) }
}
