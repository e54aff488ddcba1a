/// What `uaf-server devices` says of a machine of an account; its own statement, not a proof.
struct AccountDevice: Equatable, Sendable {
  let name: String?
  let model: String?
  let system: String?
  let keys: Int
  let revokedKeys: Int
  /// The latest registration, in seconds since 1970.
  let registeredAt: Int64
  /// The latest login or confirmed text, in seconds since 1970.
  let lastUsedAt: Int64?
}
