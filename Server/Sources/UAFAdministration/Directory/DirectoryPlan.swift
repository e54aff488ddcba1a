import UAFService

/// What one run changes in the store, so that it has the people of a directory: computed from both, without input or output.
///
/// The directory alone decides about the accounts that were made for its entries, and about no other account.
package struct DirectoryPlan: Equatable, Sendable {
  /// In the order in which they are carried out; accounts are disabled last.
  package let steps: [DirectoryStep]
  /// The entries of the directory that are left out; their accounts stay as they are.
  package let unusable: [UnusableEntry]
  /// People who are gone, and have a role at this server.
  ///
  /// They stay: an administrator takes the role, or disables them.
  package let administrators: [String]
  /// People of the directory about whom something would change, and who have a role at this server.
  ///
  /// Nothing changes about them: whoever writes to the directory must not decide about administrators.
  package let keptAdministrators: [String]
  /// How many accounts may be disabled at once.
  package let mostDisabled: Int

  /// - Parameters:
  ///   - accounts: all accounts of the store.
  ///   - most: how many accounts may be disabled at once; nil for the limit.
  package init(
    _ source: DirectorySource, _ directory: DirectorySnapshot, _ accounts: [KnownAccount], limit: DisableLimit,
    most: Int? = nil
  ) {
    let byName = Dictionary(accounts.map { ($0.username, $0) }) { first, _ in first }
    let ours = accounts.filter { $0.profile.externalID?.hasPrefix(source.prefix) == true }
    let byID = Dictionary(ours.map { ($0.profile.externalID ?? "", $0) }) { first, _ in first }
    var (steps, unusable, kept) = ([DirectoryStep](), directory.unusable, [String]())
    for person in directory.people.sorted(by: { $0.username < $1.username }) {
      guard let account = byID[person.externalID] else {
        if byName[person.username] == nil {
          steps.append(DirectoryStep(.add, person))
        } else {
          unusable.append(UnusableEntry(person, .otherAccount(person.username, externalID: person.externalID)))
        }
        continue
      }
      guard account.username == person.username else {
        unusable.append(UnusableEntry(person, .renamed(account: account.username, to: person.username)))
        continue
      }
      let change = person.change.beyond(account.profile)
      let comesBack = account.disabledBy == source.actor.text
      guard !account.isAdministrator else {
        if comesBack || !change.isEmpty { kept.append(account.username) }
        continue
      }
      if !change.isEmpty { steps.append(DirectoryStep(.change, person, change)) }
      if comesBack { steps.append(DirectoryStep(.enable, person, .nothing)) }
    }
    let present = Set(directory.people.map(\.externalID) + directory.unusable.map(\.externalID))
    let gone = ours.filter { $0.disabledBy == nil && !present.contains($0.profile.externalID ?? "") }
    let disabled = gone.filter { !$0.isAdministrator }.sorted { $0.username < $1.username }
    self.steps =
      steps
      + disabled.map { account in
        DirectoryStep(
          action: .disable, username: account.username, externalID: account.profile.externalID ?? "", change: .nothing)
      }
    self.unusable = unusable.sorted { $0.dn < $1.dn }
    keptAdministrators = kept
    administrators = gone.filter(\.isAdministrator).map(\.username).sorted()
    mostDisabled = most ?? limit.most(of: ours.count { $0.disabledBy == nil })
  }

  /// How many accounts it disables.
  package var disabling: Int { count(.disable) }

  package func count(_ action: DirectoryStep.Action) -> Int { steps.count { $0.action == action } }

  /// Whether it disables more accounts than it may, so that none of its steps is carried out.
  package var isOverLimit: Bool { disabling > mostDisabled }
}

/// An account of the store, as far as a plan needs it.
package struct KnownAccount: Equatable, Sendable {
  package let username: String
  package let profile: AccountProfile
  /// Who disabled the account, in the form of ``AuditActor/text``; nil if it is not disabled.
  ///
  /// A lock does not count.
  package let disabledBy: String?
  /// Whether the account's person has a role.
  package let isAdministrator: Bool

  package init(username: String, profile: AccountProfile, disabledBy: String? = nil, isAdministrator: Bool = false) {
    self.username = username
    self.profile = profile
    self.disabledBy = disabledBy
    self.isAdministrator = isAdministrator
  }
}

/// One change of one account.
package struct DirectoryStep: Equatable, Sendable {
  /// The raw value is its name in the API and on the command line.
  package enum Action: String, CaseIterable, Sendable {
    case add
    case change
    case enable
    case disable
  }

  package let action: Action
  package let username: String
  package let externalID: String
  /// What changes of the profile; nothing for an account that is enabled or disabled.
  package let change: ProfileChange

  package init(action: Action, username: String, externalID: String, change: ProfileChange) {
    self.action = action
    self.username = username
    self.externalID = externalID
    self.change = change
  }

  fileprivate init(_ action: Action, _ person: DirectoryPerson, _ change: ProfileChange? = nil) {
    self.init(
      action: action, username: person.username, externalID: person.externalID,
      change: change ?? person.change.beyond(AccountProfile()))
  }
}

extension UnusableEntry {
  fileprivate init(_ person: DirectoryPerson, _ problem: EntryProblem) {
    self.init(dn: person.dn, externalID: person.externalID, problem: problem)
  }
}
