import AuthenticatorTypes
import FidoResults
import Synchronization
import UAFCrypto
import UAFMessages
import UAFService

/// Shows, previews and saves the policies of accounts.
package struct PolicyAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// The saved policy that is in force; nil if none was saved, in which case everybody may use each model by itself.
  ///
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func current(by caller: Caller) async throws -> PolicyVersion? {
    try caller.require(.read)
    return try await environment.read { try $0.policyVersions.version($0.policyVersions.lastNumber()) }
  }

  /// A saved policy by its number.
  ///
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func version(_ number: Int64, by caller: Caller) async throws -> PolicyVersion {
    try caller.require(.read)
    guard let version = try await environment.read({ try $0.policyVersions.version(number) }) else {
      throw AdministrationRefusal.unknown("policy", name: String(number))
    }
    return version
  }

  /// The saved policies, the newest first.
  ///
  /// - Parameters:
  ///   - cursor: the position after which the page begins; nil for the first page.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func versions(after cursor: String?, limit: Int = PageLimit.standard, by caller: Caller) async throws -> Page<
    PolicyVersion
  > {
    try caller.require(.read)
    try PageLimit.check(limit)
    guard let before = cursor.map({ Int64($0) }) ?? .max else {
      throw AdministrationRefusal.invalid(field: "after", .notAPolicyNumber)
    }
    let rows = try await environment.read { try $0.policyVersions.versions(before: before, limit: limit + 1) }
    return Page(rows, limit: limit) { String($0.number) }
  }

  /// Finds out which accounts a policy would affect, without changing anything.
  ///
  /// It reads every account with a key, which takes some seconds for a million accounts. Only one preview runs at a time.
  ///
  /// - Throws: ``AdministrationRefusal``, also for a text that is not a policy; `StoreFailure`.
  package func preview(_ text: String, by caller: Caller) async throws -> PolicyPreview {
    try caller.require(.read)
    return try await environment.previews.run { try await compared(text) }
  }

  private func compared(_ text: String) async throws -> PolicyPreview {
    if let hidden = Text.firstHidden(in: text, keepsLines: true) {
      throw AdministrationRefusal.invalid(field: "policy", .hidden(character: hidden))
    }
    let draft = try parsed(text)
    let saved = try await environment.read { [environment] records in
      (
        present: try MappedGroups(environment, records).savedPolicies(),
        mapped: try records.groupMappings.policyMembers(among: nil),
        url: try records.settings.value(of: .publicURL)
      )
    }
    // A policy in force that cannot be used is ignored: it must be possible to save the next one.
    let present = saved.present.flatMap { try? $0.mapping(saved.mapped) }
    var comparison = PolicyComparison(
      present: present, draft: try Self.mapped(draft, saved.mapped), publicURL: saved.url)
    for group in draft.groups {
      let names = group.accounts.sorted()
      let missing = try await environment.read { records in try names.filter { try !records.accounts.exists($0) }
      }
      for name in missing { comparison.addMissing(name) }
    }
    return try await PolicyImpact(environment).counted(comparison, publicURL: saved.url)
  }

  /// Saves a policy, which is in force at all servers of the store within two seconds.
  ///
  /// In the same transaction, codes for accounts of its group `privileged` are closed if somebody issued them who must not
  /// issue codes for such accounts.
  ///
  /// - Parameters:
  ///   - text: the policy in JSON.
  ///   - reason: why the policy is saved, for people who read the history; 1 to 500 bytes.
  ///   - last: the number of the policy on which it is based; 0 if there was none.
  ///   - accepted: how many accounts it may lock out, according to its preview.
  /// - Returns: the saved policy.
  /// - Throws: ``AdministrationRefusal``, also if a different policy has been saved since, or if this one would lock out more
  ///   accounts, or the last administrator; `StoreFailure`.
  package func save(
    _ text: String, reason: String, after last: Int64, lockingOut accepted: Int, by caller: Caller
  ) async throws -> PolicyVersion {
    let permitted = try await checked(text, reason: reason, after: last, lockingOut: accepted, by: caller)
    let version = PolicyVersion(
      number: last + 1, savedAt: environment.now(), actor: caller.actor.text, reason: reason, text: text)
    let event = try event(version, caller)
    let draft = try parsed(text)
    let isSaved = try await environment.change(.nobodys, by: permitted) { [environment] records in
      try Self.requireUsable(draft, by: caller, in: records, environment)
      guard try records.policyVersions.add(version) else { return false }
      try records.audit.append([event])
      try EarlierAuthority(environment: environment, records: records, caller: caller)
        .closeLesserCodes(of: draft.members(of: AccountGroup.privileged) ?? [])
      return true
    }
    guard isSaved else { throw Self.isReplaced(last) }
    return version
  }

  /// Throws if ``save(_:reason:after:lockingOut:by:)`` would refuse the policy now; changes nothing.
  ///
  /// - Throws: the errors of that method.
  package func check(
    _ text: String, reason: String, after last: Int64, lockingOut accepted: Int, by caller: Caller
  ) async throws {
    _ = try await checked(text, reason: reason, after: last, lockingOut: accepted, by: caller)
  }

  private func checked(
    _ text: String, reason: String, after last: Int64, lockingOut accepted: Int, by caller: Caller
  ) async throws -> PermittedCaller {
    let permitted = try caller.require(.managePolicies)
    try ReasonText.check(reason)
    guard !reason.isEmpty else { throw AdministrationRefusal.invalid(field: "reason", .noReason) }
    guard (0..<Int64.max).contains(last) else {
      throw AdministrationRefusal.invalid(field: "after", .notAPolicyNumber)
    }
    let preview = try await preview(text, by: caller)
    guard preview.lockedOut <= accepted else { throw AdministrationRefusal.conflict(.lockOut(preview)) }
    guard try await environment.read({ try $0.policyVersions.lastNumber() }) == last else {
      throw Self.isReplaced(last)
    }
    let draft = try parsed(text)
    try await environment.read { [environment] records in
      try Self.requireUsable(draft, by: caller, in: records, environment)
    }
    return permitted
  }

  /// The policies of a draft with their mapped members.
  private static func mapped(
    _ draft: AccountPolicies, _ members: [String: Set<String>]
  ) throws(AdministrationRefusal) -> AccountPolicies {
    do { return try draft.mapping(members) } catch { throw .conflict(.mappedPolicyGroup(error.name)) }
  }

  /// Refuses a policy that lacks a mapped group; and one under which no administrator could sign in, unless the caller is at the
  /// server itself.
  private static func requireUsable(
    _ draft: AccountPolicies, by caller: Caller, in records: any StoreTransaction,
    _ environment: AdministrationEnvironment
  ) throws {
    let names = try records.administrators.all().map(\.name)
    let draft = try mapped(draft, records.groupMappings.policyMembers(among: names))
    let (passkeys, now) = (try environment.usablePasskeys(in: records), environment.now())
    guard !caller.isAtServer, try records.hasUsableAdministrator(passkeys: passkeys, now: now) else { return }
    guard try records.hasUsableAdministrator(meeting: draft, passkeys: passkeys, now: now) else {
      throw AdministrationRefusal.lastAdministrator
    }
  }

  private static func isReplaced(_ number: Int64) -> AdministrationRefusal {
    .conflict(.policyReplaced(number))
  }

  /// Whether servers use a policy file instead of the saved policies, according to the server of this store that was started
  /// last.
  ///
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func isOverruledByFile(by caller: Caller) async throws -> Bool {
    try caller.require(.read)
    return try await environment.read { try $0.settings.value(of: .policyFile) == "yes" }
  }

  private func parsed(_ text: String) throws(AdministrationRefusal) -> AccountPolicies {
    do {
      return try PolicyParser(models: environment.models).policies(Array(text.utf8))
    } catch { throw .invalid(field: "policy", .malformed(error)) }
  }

  private func event(_ version: PolicyVersion, _ caller: Caller) throws -> AuditEntry {
    let hash = Base64URL.encode(try SHA256.hash(Array(version.text.utf8)))
    let detail: JSONObject = [
      "number": .integer(version.number), "sha256": .string(hash), "reason": .string(version.reason),
    ]
    return environment.event(.policy, by: caller, detail: JSONValue.object(detail).text)
  }
}

/// The accounts that a new policy would affect.
package struct PolicyPreview: Equatable, Sendable {
  /// The most names that are listed.
  package static let mostNames = 20

  /// The number of accounts with a usable key.
  package internal(set) var withKeys = 0
  /// The number of accounts whose accepted authenticators would change.
  package internal(set) var changed = 0
  /// Whether the policy in force can be used with the models that this server knows.
  ///
  /// If it cannot, every account with a key counts as able to log in now, since a different server may know the missing models.
  package internal(set) var isPresentUsable = true
  /// The number of accounts that can log in now but could not under the new policy.
  package internal(set) var lockedOut = 0
  /// The first of these accounts, in byte order.
  package internal(set) var names: [String] = []
  /// The number of accounts whose keys meet neither policy.
  package internal(set) var lockedOutAlready = 0
  /// The number of names in groups of the draft for which there is no account; they may be mistyped.
  package internal(set) var missing = 0
  /// The first of those names.
  package internal(set) var missingNames: [String] = []

  /// Makes the preview of a store without accounts.
  package init() {}

  /// The names of the accounts that would be locked out, with three dots if there are more.
  package var namesText: String { names.joined(separator: ", ") + (lockedOut > names.count ? ", ..." : "") }
  /// Whether nobody at all could log in under the new policy, although somebody can now.
  package var locksEverybodyOut: Bool { lockedOut > 0 && lockedOut + lockedOutAlready == withKeys }
}

/// Counts the accounts that a new policy would affect, one after the other.
struct PolicyComparison {
  /// The policy in force; nil if this server cannot use it.
  let present: AccountPolicies?
  let draft: AccountPolicies
  private let passkeys: PasskeyReach
  private(set) var preview = PolicyPreview()

  /// - Parameter publicURL: the server's base URL, on which it depends which passkeys can be used; nil if it is not known.
  init(present: AccountPolicies?, draft: AccountPolicies, publicURL: String? = nil) {
    self.present = present
    self.draft = draft
    passkeys = PasskeyReach(publicURL: publicURL, policies: nil)
    preview.isPresentUsable = present != nil
  }

  /// Counts one account.
  ///
  /// - Parameter kinds: its usable passkeys.
  mutating func add(_ account: AccountModels, _ kinds: Set<PasskeyKind> = []) {
    let name = account.username
    preview.withKeys += 1
    if present?.accepted(for: name) != draft.accepted(for: name)
      || present?.passkeys(for: name) != draft.passkeys(for: name)
    {
      preview.changed += 1
    }
    guard !lets(account, kinds, in: draft) else { return }
    // If this server cannot use the policy in force, a different server may: so nobody counts as locked out already.
    if let present, !lets(account, kinds, in: present) {
      preview.lockedOutAlready += 1
      return
    }
    preview.lockedOut += 1
    // Accounts with passkeys alone come after all others.
    let place = preview.names.firstIndex { name.utf8.lexicographicallyPrecedes($0.utf8) } ?? preview.names.endIndex
    preview.names.insert(name, at: place)
    if preview.names.count > PolicyPreview.mostNames { preview.names.removeLast() }
  }

  private func lets(_ account: AccountModels, _ kinds: Set<PasskeyKind>, in policies: AccountPolicies) -> Bool {
    policies.accepted(for: account.username).areMet(by: account)
      || passkeys.allows(account.username, kinds, under: policies)
  }

  /// Records that a group of the draft names an account that does not exist.
  mutating func addMissing(_ username: String) {
    preview.missing += 1
    if preview.missingNames.count < PolicyPreview.mostNames { preview.missingNames.append(username) }
  }
}

/// Lets only one preview of a policy run at a time, because each reads every account.
package final class PreviewGate: Sendable {
  private let isBusy = Mutex(false)

  package init() {}

  /// Runs a preview.
  ///
  /// - Throws: the errors of `preview`; ``AdministrationRefusal/conflict(_:)`` while a different preview runs.
  func run<Value>(_ preview: () async throws -> Value) async throws -> Value {
    let isFree = isBusy.withLock { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else {
      throw AdministrationRefusal.conflict(.previewUnderWay)
    }
    defer { isBusy.withLock { $0 = false } }
    return try await preview()
  }
}
