/// A text that waits to be confirmed.
package struct Approval: Equatable, Sendable {
  package let id: Int64
  /// As it is shown, and as it is signed.
  package let shown: String

  package init(id: Int64, shown: String) {
    self.id = id
    self.shown = shown
  }
}
