/// What the store knows of an account and a challenge at one moment.
package struct LoginRecords: Sendable {
  /// Whether the challenge was answered with success before; false where none was asked for.
  package let isUsed: Bool
  /// The keys of the account, oldest first, revoked ones included.
  package let keys: [StoredKey]

  package init(isUsed: Bool, keys: [StoredKey]) {
    self.isUsed = isUsed
    self.keys = keys
  }
}
