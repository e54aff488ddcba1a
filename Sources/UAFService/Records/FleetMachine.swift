/// One machine of the fleet: whatever has keys under one device id, or has joined under it.
///
/// What a machine says about itself is not verified.
package struct FleetMachine: Equatable, Sendable {
  /// The device id.
  package let id: String
  /// As its last registration described it, or its joining if it has no key.
  package let name: String?
  package let model: String?
  package let system: String?
  /// How many accounts have or had keys on it.
  package let people: Int
  package let keys: Int
  package let revokedKeys: Int
  /// The latest registration, in seconds since 1970; nil without a key.
  package let registeredAt: Int64?
  /// The latest login or confirmed text, in seconds since 1970.
  package let lastUsedAt: Int64?
  /// The place that it has taken last with a join code; nil if it never joined.
  package let joined: JoinedMachine?

  package init(
    id: String, name: String?, model: String?, system: String?, people: Int, keys: Int, revokedKeys: Int,
    registeredAt: Int64?, lastUsedAt: Int64?, joined: JoinedMachine? = nil
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
    self.joined = joined
  }

  /// A machine without a key.
  package init(_ joined: JoinedMachine) {
    self.init(
      id: joined.id, name: joined.name, model: joined.model, system: joined.system, people: 0, keys: 0, revokedKeys: 0,
      registeredAt: nil, lastUsedAt: nil, joined: joined)
  }

  /// The same machine with what is known of its joining.
  package func with(_ joined: JoinedMachine?) -> FleetMachine {
    FleetMachine(
      id: id, name: name, model: model, system: system, people: people, keys: keys, revokedKeys: revokedKeys,
      registeredAt: registeredAt, lastUsedAt: lastUsedAt, joined: joined)
  }

  /// The machines of two lists, in the order of their ids' bytes.
  ///
  /// - Parameter limit: how many at most. Each list has the first ones of its kind, up to as many.
  package static func merged(
    _ registered: [FleetMachine], _ joined: [JoinedMachine], limit: Int
  ) -> [FleetMachine] {
    // Not by the texts themselves: Swift takes two spellings of one letter for the same.
    var places = Dictionary(joined.map { (Array($0.id.utf8), $0) }) { first, _ in first }
    var all = registered.map { $0.with(places.removeValue(forKey: Array($0.id.utf8))) }
    all += places.values.map { FleetMachine($0) }
    return Array(all.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }.prefix(limit))
  }
}
