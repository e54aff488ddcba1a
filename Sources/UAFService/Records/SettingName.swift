/// The names of single values in the store.
package enum SettingName: String, Sendable {
  /// The base URL under which `serve` was last reached.
  case publicURL
  /// How many accounts have keys of which models: JSON of ``KeyShapes``.
  case keyShapes
  /// The id of the secret that decoys are made of.
  case decoySecret
  /// When a backup was restored, in seconds since 1970.
  case restoredAt
}
