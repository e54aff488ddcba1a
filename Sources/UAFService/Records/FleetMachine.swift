/// One machine of the fleet: whatever has keys under one device id.
///
/// What a machine says about itself is not verified.
package struct FleetMachine: Equatable, Sendable {
  /// The device id.
  package let id: String
  /// As its last registration described it.
  package let name: String?
  package let model: String?
  package let system: String?
  /// How many accounts have or had keys on it.
  package let people: Int
  package let keys: Int
  package let revokedKeys: Int
  /// The latest registration, in seconds since 1970.
  package let registeredAt: Int64
  /// The latest login or confirmed text, in seconds since 1970.
  package let lastUsedAt: Int64?

  package init(
    id: String, name: String?, model: String?, system: String?, people: Int, keys: Int, revokedKeys: Int,
    registeredAt: Int64, lastUsedAt: Int64?
  ) {
    self.id = id
    self.name = name
    self.model = model
    self.system = system
    self.people = people
    self.keys = keys
    self.revokedKeys = revokedKeys
    self.registeredAt = registeredAt
    self.lastUsedAt = lastUsedAt
  }
}
