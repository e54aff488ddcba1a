import Glibc

/// What came of asking once at a terminal.
enum TerminalOutcome: ~Copyable {
  case entry(TerminalEntry)
  /// A signal is to have its effect; if the program lives on, the question is asked anew.
  case interrupted(CInt)
}
