/// One machine of an account, for `uaf-server devices`.
///
/// What a machine says about itself is not verified.
package struct AccountDevice: Equatable, Sendable {
  package let name: String?
  package let model: String?
  package let system: String?
  package let keys: Int
  package let revokedKeys: Int
  /// The latest registration, in seconds since 1970.
  package let registeredAt: Int64
  /// The latest login or confirmed text, in seconds since 1970.
  package let lastUsedAt: Int64?

  package init(
    name: String?, model: String?, system: String?, keys: Int, revokedKeys: Int, registeredAt: Int64, lastUsedAt: Int64?
  ) {
    self.name = name
    self.model = model
    self.system = system
    self.keys = keys
    self.revokedKeys = revokedKeys
    self.registeredAt = registeredAt
    self.lastUsedAt = lastUsedAt
  }
}
