import Glibc

/// The two outputs: results, and everything that is not one.
struct Output {
  let results: CInt
  let notes: CInt

  /// Writes a result.
  func result(_ text: String) { write(text + "\n", to: results) }

  /// Writes a line that is not a result, with the program's name before it.
  func note(_ text: String) { write("uafctl: \(text)\n", to: notes) }

  /// Writes a line beside a note, or a question of a conversation without a terminal.
  func question(_ text: String) { write(text + "\n", to: notes) }

  /// Nothing sensible can be done where an output is gone.
  private func write(_ text: String, to descriptor: CInt) {
    _ = DescriptorWriter.write(Array(text.utf8), to: descriptor)
  }
}
