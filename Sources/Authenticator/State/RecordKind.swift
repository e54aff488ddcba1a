/// What a record of an account's file is.
enum RecordKind: String, CaseIterable {
  /// Whose file it is; one, without a name.
  case identity
  /// That something was registered here once; one, without a name.
  case tombstone
  /// A value that is set: one for each authenticator type.
  case authenticator
  /// Its attempts: one for each authenticator type.
  case ledger
  /// A UAF key, by KeyID.
  case key
}
