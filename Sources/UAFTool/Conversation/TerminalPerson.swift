import FidoResults
import TerminalPrompts
import UAFWire
import Wording

/// A person at a terminal.
struct TerminalPerson: Person, ~Copyable {
  let terminal: CInt
  let context: ToolContext
  /// Root's `--conf`.
  let configuration: String?
  /// The grid, which remembers the last pattern of this call, to show what was wrong with it.
  private var grid: PatternPrompt
  /// The terminal while an entry that is complete without Enter is asked for, and after one: typing on goes nowhere.
  private var muted: MutedTerminal?

  init(_ terminal: CInt, in context: ToolContext, configuration: String? = nil) {
    self.terminal = terminal
    grid = PatternPrompt(terminal)
    self.context = context
    self.configuration = configuration
  }

  var checks: Set<Check> { Set(Check.allCases) }

  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    let followsFull = muted != nil
    muted?.discard()
    if let mistake = prompt.separateMistake { hear(mistake, isError: true) }
    guard prompt.echo || !prompt.check.isDrawn else {
      muted = nil
      return try drawPattern(prompt)
    }
    let form = EntryForm(
      display: display(of: prompt), capacity: WireLimit.answer,
      length: lengthWithoutEnter(prompt), followsFull: followsFull)
    if form.length != nil, muted == nil {
      muted = try ToolError.atTerminal { () throws(TerminalError) in
        try MutedTerminal(terminal, quietMilliseconds: context.quietMilliseconds)
      }
    }
    muted?.discardsRest = false
    let entry = try ask(ShownText.lines(prompt.text), form)
    return settle(entry, form)
  }

  private var settings: TerminalSettings { TerminalSettings(configuration, in: context) }

  /// The length at which an entry is taken without Enter; nil where root has not asked for that.
  ///
  /// A PIN has a fixed length in any case, and a person who is not used to that would type on into the next question.
  private func lengthWithoutEnter(_ prompt: Prompt) -> Int? {
    guard let length = prompt.entryLength, settings.takesFullEntries else { return nil }
    return Int(length)
  }

  /// Leaves the terminal muted after an entry that was complete without Enter.
  private mutating func settle(_ entry: consuming TerminalEntry, _ form: EntryForm) -> Entry {
    switch consume entry {
    case .cancelled:
      muted = nil
      return .cancelled
    case .value(let value):
      if let length = form.length, value.withBytes({ LineEditor.characterCount($0) == length }) {
        muted?.discardsRest = true
      } else {
        muted = nil
      }
      return .value(value)
    }
  }

  /// What is typed before Enter is neither shown nor used: it may be a passcode that was typed too early.
  mutating func isReady() throws(ToolError) -> Bool {
    switch try ask(
      PromptText.ready.text(in: context.language), EntryForm(display: .hidden, capacity: WireLimit.answer))
    {
    case .value: return true
    case .cancelled: return false
    }
  }

  func hear(_ text: String, isError: Bool) { context.output.note(ShownText.lines(text)) }

  private func display(of prompt: Prompt) -> EntryForm.Display {
    if prompt.echo { return .shown }
    return prompt.check == .choice ? .number(digits: String(max(prompt.options.count, 1)).count) : hiddenDisplay
  }

  /// How a secret entry is shown.
  var hiddenDisplay: EntryForm.Display { context.display.isDumb ? .hidden : .masked }

  /// Shows `text` and reads one entry.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  func ask(_ text: String, _ form: EntryForm) throws(ToolError) -> TerminalEntry {
    let rows = TextRows.flowing(text, columns: AlternateScreen.size(of: terminal).columns)
    return try ToolError.atTerminal { () throws(TerminalError) in try LinePrompt(terminal).ask(rows, form) }
  }

  /// The grid on a terminal that can show it, digits without echo on any other.
  private mutating func drawPattern(_ prompt: Prompt) throws(ToolError) -> Entry {
    let display = settings
    let style = PatternStyle(
      display.appearance, isUTF8: context.display.isUTF8, usesColours: context.display.usesColours)
    let question = PatternQuestion(
      text: ShownText.lines(prompt.text), mistake: prompt.separateMistake.map(ShownText.lines),
      help: PromptText.patternGrid.text(in: context.language), isRepeated: prompt.errorMessage != nil)
    if !context.display.isDumb, !display.isAccessible, let entry = try draw(question, style) {
      return Entry(entry)
    }
    let keys = PromptText.patternKeys.text(in: context.language)
    return Entry(
      try ask("\(keys)\n\(question.text)", EntryForm(display: .hidden, capacity: WireLimit.answer)))
  }

  /// Nil where the window is too small.
  private mutating func draw(
    _ question: PatternQuestion, _ style: PatternStyle
  ) throws(ToolError) -> TerminalEntry? {
    do throws(TerminalError) { return try grid.draw(question, style) } catch { throw ToolError(error) }
  }
}
