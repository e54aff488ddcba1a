/// A request that a client may send again without having it done twice.
package struct RepeatableRequest: Equatable, Sendable {
  /// Who has sent it, as the audit names them.
  package let caller: String
  /// SHA-256 of the client's key.
  package let key: [UInt8]
  /// SHA-256 of what is asked for: another request under the same key is refused.
  package let digest: [UInt8]
  /// When it is forgotten, in seconds since 1970.
  package let expiresAt: Int64
  /// What was answered, without what is shown once; nil while it is under way.
  package var answer: String?

  package init(caller: String, key: [UInt8], digest: [UInt8], expiresAt: Int64, answer: String? = nil) {
    self.caller = caller
    self.key = key
    self.digest = digest
    self.expiresAt = expiresAt
    self.answer = answer
  }
}
