import UAFMessages

/// How many keys of one model are registered.
package struct ModelCount: Equatable, Sendable {
  package let aaid: AAID
  /// Those that are not revoked.
  package let keys: Int
  package let revokedKeys: Int

  package init(aaid: AAID, keys: Int, revokedKeys: Int) {
    self.aaid = aaid
    self.keys = keys
    self.revokedKeys = revokedKeys
  }
}
