/// A signed head of the audit as it is stored; whether its signature holds is not checked.
package struct StoredHead: Equatable, Sendable {
  /// The row that it signs.
  package let number: Int64
  package let token: String

  package init(number: Int64, token: String) {
    self.number = number
    self.token = token
  }
}
