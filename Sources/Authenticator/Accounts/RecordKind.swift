/// What a record of an account's file is.
enum RecordKind: String, CaseIterable {
  /// Whose file it is; one, without a name.
  case identity
  /// That something was registered here once; one, without a name.
  case tombstone
  /// A secret that is set: one for each authenticator type.
  case authenticator
  /// Its attempts: one for each authenticator type.
  case ledger
  /// Which type was used last; at most one, without a name.
  case lastUsed
  /// What the server answered last, for logins without it; at most one, without a name.
  case lastAnswer
  /// In which state the server said that the account is; at most one, without a name.
  case standing
  /// By what the server knows this machine; at most one, without a name.
  case machine
  /// Which prints the fingerprint was registered with; at most one, without a name.
  case fingerprint
  /// Which unlock of the helpdesk was used last, and the wrong codes; at most one, without a name.
  case unlock
  /// Further names that the account goes by; at most one, without a name.
  case names
  /// A UAF key, by KeyID.
  case key
}
