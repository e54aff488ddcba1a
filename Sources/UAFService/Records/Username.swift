/// The rule for account names.
package enum Username {
  /// Printable ASCII without white space, 1 to 128 characters: what can be compared, logged and typed.
  package static func isValid(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
