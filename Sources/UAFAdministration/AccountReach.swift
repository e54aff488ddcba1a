import Synchronization
import UAFMessages
import UAFService

/// Which accounts a caller reaches.
struct AccountReach {
  private let environment: AdministrationEnvironment

  init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Refuses a name that no account can have.
  static func check(_ username: String) throws(AdministrationRefusal) {
    guard Username.isValid(username) else {
      throw .invalid(field: "account", reason: "must be 1 to 128 printable ASCII characters without white space")
    }
  }

  /// Refuses accounts that the caller's role does not reach: those of the group `privileged`, and administrators'.
  ///
  /// Whoever gives out a code for an administrator's account could become that administrator, and whoever blocks or enables
  /// one decides who administers.
  func check(_ names: [String], by caller: Caller, in records: any StoreTransaction) throws {
    guard !caller.role.reachesPrivileged, !names.isEmpty else { return }
    guard let name = try privileged(among: names, in: records).min() else { return }
    throw AdministrationRefusal.privileged(account: name)
  }

  /// Those of some names that are of the group `privileged`, or administrators.
  func privileged(among names: [String], in records: any StoreTransaction) throws -> Set<String> {
    let administrators = Set(try records.administrators.all().map(\.name))
    let saved = try environment.savedPrivileged.names(in: records)
    return try Set(
      names.filter { name in
        try administrators.contains(name) || saved.contains(name)
          || environment.group(name) == AccountGroup.privileged
      })
  }

  /// Whether an account is one of the group `privileged`, or an administrator's.
  func isPrivileged(_ username: String, in records: any StoreTransaction) throws -> Bool {
    try !privileged(among: [username], in: records).isEmpty
  }
}

/// The accounts of the group `privileged` of the policy that was saved last, as a transaction sees it.
///
/// A server takes a saved policy some time after it was committed. In between somebody could still reach accounts that have
/// become privileged, so what changes them asks the store.
final class SavedPrivileged: Sendable {
  private let known = Mutex<(number: Int64, names: Set<String>)>((0, []))

  /// The accounts of that group; none where servers take a file of policies in place of the saved ones.
  func names(in records: any StoreTransaction) throws -> Set<String> {
    guard try records.settings.value(of: .policyFile) != "yes" else { return [] }
    let number = try records.policyVersions.lastNumber()
    if let names = known.withLock({ $0.number == number ? $0.names : nil }) { return names }
    let names = Self.names(try records.policyVersions.version(number)?.text ?? "")
    known.withLock { $0 = (number, names) }
    return names
  }

  /// The accounts of that group in a policy's text, even if the text names models that this server does not know.
  static func names(_ text: String) -> Set<String> {
    guard case .object(let policy)? = try? JSONValue(parsing: Array(text.utf8)),
      case .object(let groups)? = policy["groups"], case .object(let group)? = groups[AccountGroup.privileged],
      case .array(let accounts)? = group["accounts"]
    else { return [] }
    return Set(accounts.compactMap { if case .string(let name) = $0 { name } else { nil } })
  }
}
