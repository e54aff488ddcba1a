import UAFService

/// Whose accounts an operation changes.
package enum ChangedAccounts: Sendable {
  /// Nobody's: it is about policies, tokens, codes of machines.
  case nobodys
  case of(String)
  case ofAll([String])
  /// Those whose keys are meant.
  case having(KeySelection)

  /// Their names.
  func names(in records: any StoreTransaction) throws -> [String] {
    switch self {
    case .nobodys: []
    case .of(let name): [name]
    case .ofAll(let names): names
    case .having(let keys): try Self.people(of: keys, in: records).sorted()
    }
  }

  /// The accounts whose keys are meant.
  static func people(of keys: KeySelection, in records: any StoreTransaction) throws -> Set<String> {
    switch keys {
    case .all(let username), .one(_, _, let username), .onMachine(_, let username): [username]
    case .machine(let id): Set(try records.machines.keys(on: id, limit: .max).map(\.username))
    }
  }
}
