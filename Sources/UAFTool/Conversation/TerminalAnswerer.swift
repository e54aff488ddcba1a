import PAMStacks
import SecretMemory
import TerminalPrompts
import UAFWire

/// The administrator at the terminal, who logs in while a stack is tried.
struct TerminalAnswerer: StackAnswerer {
  private let terminal: CInt
  private let surroundings: Surroundings

  /// Nil without a terminal.
  init?(in surroundings: Surroundings) {
    guard let terminal = surroundings.terminal else { return nil }
    self.terminal = terminal
    self.surroundings = surroundings
  }

  func answer(_ question: String, isShown: Bool) -> Secret? {
    let person = TerminalPerson(terminal, in: surroundings)
    let form = EntryForm(display: isShown ? .shown : person.hiddenDisplay, capacity: WireLimit.answer, length: nil)
    guard let entry = try? person.ask(question, form), case .value(let value) = consume entry else { return nil }
    return value
  }

  func hear(_ text: String) { surroundings.output.note(text) }
}
