import SecretMemory

/// Somebody who answers libpam's questions while a stack is tried.
package protocol StackAnswerer {
  /// The entry to a question; nil where there is none, which ends the trial.
  ///
  /// - Parameters:
  ///   - question: libpam's text without anything that steers a terminal.
  ///   - isShown: whether the entry may be seen.
  func answer(_ question: String, isShown: Bool) -> Secret?
  /// Shows a message that needs no answer; cleaned as the questions are.
  func hear(_ text: String)
}
