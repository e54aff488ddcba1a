import UAFWire

extension Prompt {
  /// What was wrong with the last entry, unless the question itself says so.
  var separateMistake: String? { errorMessage.flatMap { text.contains($0) ? nil : $0 } }
}
