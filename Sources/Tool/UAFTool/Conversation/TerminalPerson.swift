import FidoResults
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFWire
import Wording

/// A person at a terminal.
struct TerminalPerson: Person, ~Copyable {
  let terminal: CInt
  let context: ToolContext
  /// The path that root gave with `--conf`.
  let configuration: String?
  /// The grid for patterns.
  ///
  /// It remembers the last pattern of this call, and shows it again if it was wrong.
  private var grid: PatternPrompt
  /// The terminal, muted during and after an entry that is complete without Enter: further keys are dropped.
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
      length: lengthWithoutEnter(prompt), followsFull: followsFull,
      isPasted: prompt.check == .code, pauseMilliseconds: context.quietMilliseconds)
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

  /// The length at which an entry is accepted without Enter; nil if root has not configured that.
  ///
  /// A PIN always has a fixed length. But if it were always accepted without Enter, a person who is not used to that would type
  /// on into the next prompt.
  private func lengthWithoutEnter(_ prompt: Prompt) -> Int? {
    guard let length = prompt.entryLength, settings.takesFullEntries else { return nil }
    return Int(length)
  }

  /// Returns the entry, and leaves the terminal muted if the entry was complete without Enter.
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

  /// Waits for Enter.
  ///
  /// Text that is typed before it is neither shown nor used, because it may be a passcode that was typed too early.
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

  /// How the entry of a passcode is shown.
  var hiddenDisplay: EntryForm.Display { context.display.isDumb ? .hidden : .masked }

  /// Shows `text` and reads one entry for it.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  func ask(_ text: String, _ form: EntryForm) throws(ToolError) -> TerminalEntry {
    let rows = TextRows.flowing(text, columns: AlternateScreen.size(of: terminal).columns)
    return try ToolError.atTerminal { () throws(TerminalError) in try LinePrompt(terminal).ask(rows, form) }
  }

  /// Shows the grid on a terminal that can show it; on any other, reads the pattern as digits without echo.
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

  /// Lets the person draw a pattern; returns nil if the window is too small for the grid.
  private mutating func draw(
    _ question: PatternQuestion, _ style: PatternStyle
  ) throws(ToolError) -> TerminalEntry? {
    do throws(TerminalError) { return try grid.draw(question, style) } catch { throw ToolError(error) }
  }
}

/// A script: prompts go to standard error, and each answer is one line of standard input.
struct LinePerson: Person {
  let input: LineInput
  let output: Output
  var language = Language.english

  /// A choice from a list is not among them: the first line of the list may be a different authenticator tomorrow.
  var checks: Set<Check> { [.passcode, .pattern, .code, .keyring] }

  /// A line too long to be sent is cut.
  ///
  /// What is left is still longer than any passcode, so the core reports that it is too long.
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

  /// Whether it is already known that standard input has no further line.
  var hasEnded: Bool { input.hasEnded }
}

/// A person who gave a code on standard input, for example through a pipe.
///
/// If nothing follows the code there, a person at the terminal of the session is asked for the rest: the pipe has only the
/// code, and the new passcode comes from the person. If a script sends its answers as further lines, it is treated like any
/// other script.
struct CodeGiver: Person, ~Copyable {
  private var lines: LinePerson
  private var terminal: TerminalPerson?
  /// Whether further lines of standard input are the answers: because one was, or because there is no terminal.
  private var keepsToLines = false
  private let context: ToolContext
  private let configuration: String?

  init(_ lines: LinePerson, in context: ToolContext, configuration: String?) {
    (self.lines, self.context, self.configuration) = (lines, context, configuration)
  }

  var checks: Set<Check> { lines.hasEnded ? Set(Check.allCases) : lines.checks }

  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    if !keepsToLines, terminal == nil, lines.hasEnded { try openTerminal() }
    if let entry = try terminal?.answer(prompt) { return entry }
    let entry = try lines.answer(prompt)
    guard case .value(let value) = consume entry else { return .cancelled }
    // No passcode or pattern is blank. In a letter a blank line follows the code, and the text after it must not become a
    // passcode.
    let isBlank = value.withBytes { bytes in bytes.indices.allSatisfy { [0x20, 0x09, 0x0D].contains(bytes[$0]) } }
    guard keepsToLines || !isBlank else { throw .payload(.blankBehindCode) }
    keepsToLines = true
    return .value(value)
  }

  mutating func isReady() throws(ToolError) -> Bool { try lines.isReady() }

  func hear(_ text: String, isError: Bool) { lines.hear(text, isError: isError) }

  private mutating func openTerminal() throws(ToolError) {
    guard let (descriptor, display) = context.sessionTerminal() else { throw .noTerminal }
    var context = context
    (context.terminal, context.display) = (descriptor, display)
    terminal = TerminalPerson(descriptor, in: context, configuration: configuration)
  }
}

/// The settings in root's configuration for entries at a terminal, as far as the caller may read them.
struct TerminalSettings {
  /// `[pattern.appearance]`.
  var appearance: PatternAppearance
  /// Whether a pattern is asked for in words instead of on a grid.
  var isAccessible: Bool
  /// Whether an entry that has its full length is accepted without Enter.
  var takesFullEntries: Bool

  /// Reads the settings from the configuration.
  ///
  /// If the configuration cannot be read or is wrong, the defaults apply, and the core reports the error.
  ///
  /// - Parameter path: the path that root gave with `--conf`; nil for this machine's configuration.
  init(_ path: String?, in context: ToolContext) {
    let installation = context.installation
    let configuration =
      (try? Configuration.load(
        path: path, defaultPath: installation.configurationPath, requiredOwner: installation.owner)) ?? Configuration()
    appearance = configuration.pattern.appearance
    takesFullEntries = configuration.passcode.autoSubmit
    isAccessible = configuration.settings(for: "uafctl").prompt.accessible
  }
}

extension Check {
  /// Whether an answer to this check can be drawn on a grid instead of typed.
  var isDrawn: Bool {
    switch self {
    case .pattern: true
    case .passcode, .choice, .code, .keyring, .unknown: false
    }
  }
}

extension PatternStyle {
  /// The style that `[pattern.appearance]` configures, as far as the terminal can show it.
  init(_ appearance: PatternAppearance, isUTF8: Bool, usesColours: Bool) {
    self.init(
      nodes: (appearance.nodeDefault, appearance.nodeSelected, appearance.nodeMismatch),
      nodeSize: appearance.nodeSize, isHeavy: appearance.lineWidth == .heavy,
      colours: (appearance.lineColor, appearance.mismatchLineColor), isUTF8: isUTF8, usesColours: usesColours)
  }
}
