import UAFWire

/// A text that the person confirms with the value, as `--transaction` gives it.
enum TransactionArgument {
  /// Its bytes, as a conversation carries them.
  ///
  /// An empty text is refused: a script whose variable is empty would take a login without a text for a confirmation.
  ///
  /// - Throws: ``ToolError/badArgument(_:)``.
  static func bytes(of text: String) throws(ToolError) -> [UInt8] {
    guard (1...WireLimit.transaction).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw .badArgument(.transactionLength)
    }
    return Array(text.utf8)
  }
}
