/// What is wrong with the text of a policy.
package struct PolicyProblem: Error, Equatable {
  /// Names the wrong member, in printable ASCII.
  package let reason: String
}
