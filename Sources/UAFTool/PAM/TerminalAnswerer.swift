import PAMStacks
import SecretMemory
import TerminalPrompts
import UAFWire

/// The administrator at the terminal, who logs in while a stack is tried.
struct TerminalAnswerer: StackAnswerer {
  private let terminal: CInt
  private let context: ToolContext

  /// Nil without a terminal.
  init?(in context: ToolContext) {
    guard let terminal = context.terminal else { return nil }
    self.terminal = terminal
    self.context = context
  }

  func answer(_ question: String, isShown: Bool) -> Secret? {
    let person = TerminalPerson(terminal, in: context)
    let form = EntryForm(display: isShown ? .shown : person.hiddenDisplay, capacity: WireLimit.answer, length: nil)
    guard let entry = try? person.ask(question, form), case .value(let value) = consume entry else { return nil }
    return value
  }

  func hear(_ text: String) { context.output.note(text) }
}
