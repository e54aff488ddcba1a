import SecretMemory
import UAFWire

/// Answers the core's question for a recovery key with words that uafctl has; nobody is asked.
struct RecoveryPerson: Person, ~Copyable {
  private let words: Secret
  private let output: Output
  /// Whether the core has asked.
  private(set) var wasAsked = false

  /// - Parameter words: no bytes where there are none.
  init(_ words: consuming Secret, telling output: Output) {
    self.words = words
    self.output = output
  }

  var checks: Set<Check> { [.code] }

  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    wasAsked = true
    let copy = words.withBytes { span in try? Secret(copying: span) }
    guard let copy else { throw .outOfMemory }
    return .value(copy)
  }

  mutating func isReady() throws(ToolError) -> Bool { true }

  func hear(_ text: String, isError: Bool) { output.note(text) }
}
