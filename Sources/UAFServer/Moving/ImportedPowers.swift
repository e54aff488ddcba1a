import UAFService

/// Who may administer a store after it was made from an export, which whoever could write to the file may have changed.
struct ImportedPowers: Equatable {
  /// Each with the role in parentheses.
  let administrators: [String]
  /// Those that are not over, each with the role in parentheses.
  let tokens: [String]

  /// - Parameter now: seconds since 1970.
  init(_ records: any StoreTransaction, now: Int64) throws {
    administrators = try records.administrators.all().map { "\($0.name) (\($0.role))" }
    tokens = try records.accessTokens.all().filter { $0.revokedAt == nil && $0.expiresAt > now }.map {
      "\($0.name) (\($0.role))"
    }
  }

  /// What is told to whoever imports.
  var lines: [String] {
    [("administrators", administrators), ("tokens", tokens)].filter { !$0.1.isEmpty }.map { name, list in
      "the file has these \(name); remove those that are not yours: \(list.joined(separator: ", "))"
    }
  }
}
