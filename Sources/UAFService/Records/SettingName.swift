/// The names of single values in the store.
package enum SettingName: String, Sendable {
  /// The base URL under which `serve` was last reached.
  case publicURL
  /// How many accounts have keys of which models: JSON of ``KeyShapes``.
  case keyShapes
  /// The id of the secret that decoys are made of.
  case decoySecret
  /// Whether `serve` was last started with a file of policies, which goes before the stored ones: `yes` or `no`.
  case policyFile
  /// When a backup was restored, in seconds since 1970.
  case restoredAt
  /// What an import is known by that has not ended: the store is not to be used.
  case unfinishedImport
  /// What the import is known by that made this store.
  case importedAs
  /// That the store was moved away, as ``StoreMove`` writes it: it is not to be used.
  case movedTo
}
