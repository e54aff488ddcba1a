import Synchronization
import UAFMessages
import UAFService

/// The accounts of the group `privileged` of the policy that was saved last, as a transaction sees it.
///
/// A server takes a saved policy some time after it was committed. In between somebody could still reach accounts that have
/// become privileged, so what changes them asks the store.
final class SavedPrivileged: Sendable {
  private let known = Mutex<(number: Int64, names: Set<String>)>((0, []))

  /// Whether an account is in that group; where servers take a file of policies in place of the saved ones, none is.
  func contains(_ username: String, in records: any StoreTransaction) throws -> Bool {
    try names(in: records).contains(username)
  }

  /// The accounts of that group.
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
