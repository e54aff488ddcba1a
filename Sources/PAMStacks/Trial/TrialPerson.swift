/// The account that logs in while a stack is tried, and who answers for it.
package struct TrialPerson {
  let name: String
  let answerer: (any StackAnswerer)?

  /// - Parameter answerer: nil where nobody is there to answer: the trial is then refused.
  package init(name: String, answerer: (any StackAnswerer)?) {
    self.name = name
    self.answerer = answerer
  }
}
