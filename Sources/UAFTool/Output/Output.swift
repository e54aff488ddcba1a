import Glibc
import HostSystem
import Invocation
import TerminalPrompts

/// The two outputs: one for results, one for everything else.
struct Output {
  private let results: ResultWriter
  private let notes: CInt
  /// How wide the terminal is that notes go to; nil where they go elsewhere.
  private let columns: Int?

  /// Writes to two descriptors, which stay the caller's.
  ///
  /// - Parameter columns: how wide the terminal is that notes go to. Their lines are broken between words then.
  init(results: CInt, notes: CInt, columns: Int? = nil) {
    self.results = ResultWriter(results)
    self.notes = notes
    self.columns = columns
  }

  /// The system's error number, where a result could not be written.
  var failure: CInt? { results.failure }

  /// Writes a result.
  func result(_ text: String) { results.write(line: text) }

  /// Writes a line that is not a result, with the program's name before it.
  func note(_ text: String) { aside("uafctl: \(text)") }

  /// Writes a line beside a note, or a question of a conversation without a terminal.
  func question(_ text: String) { aside(text) }

  /// A failure to write these is ignored: nothing can be done about it.
  private func aside(_ text: String) {
    let text = columns.map { TextRows.flowing(text, columns: $0) } ?? text
    _ = DescriptorWriter.write(Array((text + "\n").utf8), to: notes)
  }
}
