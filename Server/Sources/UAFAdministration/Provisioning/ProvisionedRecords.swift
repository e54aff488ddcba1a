import UAFCrypto
import UAFMessages
import UAFService

/// A person as a provisioning program sees them: an account with its profile.
package struct ProvisionedPerson: Equatable, Sendable {
  /// Never belongs to a different account, even after this one was removed.
  package let id: String
  package let username: String
  /// Seconds since 1970.
  package let createdAt: Int64
  /// Whether the account is not disabled; an account that is locked for some time counts as active.
  package let isActive: Bool
  /// Without the names of groups, which are in ``groups``.
  package let profile: AccountProfile
  /// The groups of the person, in the order of their ids.
  package let groups: [ProvisionedGroup.Reference]
}

/// What a provisioning program says about a person.
package struct PersonDraft: Equatable, Sendable {
  package var username: String
  package var isActive: Bool
  /// A text for each field; an empty text for a field that is cleared.
  package var texts: [ProfileField: String]

  package init(username: String, isActive: Bool = true, texts: [ProfileField: String] = [:]) {
    self.username = username
    self.isActive = isActive
    self.texts = texts
  }

  /// What is said already about a person.
  package init(_ person: ProvisionedPerson) {
    self.init(username: person.username, isActive: person.isActive)
    for field in ProfileField.allCases { texts[field] = person.profile[field] ?? "" }
  }
}

/// A group of people as a provisioning program sees it.
package struct ProvisionedGroup: Equatable, Sendable {
  /// A group without its members.
  package struct Reference: Equatable, Sendable {
    package let id: String
    package let name: String

    init(_ group: NumberedGroup) {
      id = String(group.id)
      name = group.name
    }
  }

  package struct Member: Equatable, Sendable {
    /// The id of a ``ProvisionedPerson``.
    package let id: String
    package let username: String
  }

  /// Never belongs to a different group, even after this one was removed.
  package let id: String
  package let name: String
  /// The ID that the provisioning program has given the group; nil for none.
  package let externalID: String?
  /// In the order in which their accounts were added; none if they were not asked for.
  package let members: [Member]
}

/// What a provisioning program says about a group.
package struct GroupDraft: Equatable, Sendable {
  package var name: String
  /// Empty for none.
  package var externalID: String
  /// The ids of the members.
  package var members: Set<String>

  package init(name: String, externalID: String = "", members: Set<String> = []) {
    self.name = name
    self.externalID = externalID
    self.members = members
  }

  /// What is said already about a group.
  package init(_ group: ProvisionedGroup) {
    self.init(name: group.name, externalID: group.externalID ?? "", members: Set(group.members.map(\.id)))
  }
}

/// Why nothing was changed or found, beside the reasons of ``AdministrationRefusal``.
package enum ProvisioningRefusal: Error, Equatable, Sendable {
  /// The name of an account never changes: keys are bound to it.
  case nameIsFixed
  /// The account was disabled or locked by somebody who does not provision, so provisioning neither enables nor deletes it.
  ///
  /// - Parameter directory: the name of the directory whose sync has disabled it; nil if an administrator has blocked it.
  case blockedByOthers(account: String, directory: String?)
  /// The account belongs to a directory, whose external ID it keeps.
  case keepsDirectoryID(String)
  /// The account belongs to the directory that this external ID names, and is not deleted.
  case ofDirectory(account: String, externalID: String)
  /// No account has this id.
  case unknownMember(String)
  /// The search would have to look at more records than this.
  case tooManyToSearch(Int)
}

/// Which records a search looks at.
///
/// Only records with such a key are read; without a key, all of them.
package enum ProvisionedKey: Equatable, Sendable {
  case none
  case id(String)
  /// The name of an account, or of a group in any case.
  case name(String)
  /// The external ID of a person or a group.
  case externalID(String)
  /// The id of a person who is a member of the groups.
  case member(String)
}

/// Some of the found records.
package struct ProvisionedPage<Record: Sendable>: Sendable {
  package let records: [Record]
  /// How many were found altogether.
  package let total: Int
}

/// The ids of people.
///
/// An engine may give the number of a removed account to a new one. So the id also depends on when the account was added, and
/// on its name.
enum PersonID {
  private static let digestBytes = 6

  /// The number, a dash, and twelve hexadecimal digits.
  static func text(_ account: NumberedAccount) throws -> String {
    let digest = try SHA256.hash(Array("\(account.createdAt) \(account.username)".utf8)).prefix(digestBytes)
    return "\(account.number)-\(Hexadecimal.text(digest))"
  }

  /// The number in an id; nil if the text is no id.
  static func number(_ id: String) -> Int64? {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0]), number > 0, String(number) == parts[0] else { return nil }
    return number
  }
}

/// Reads the records of provisioning programs within a transaction.
struct ProvisionedRecords {
  let records: any StoreTransaction

  init(_ records: any StoreTransaction) { self.records = records }

  /// The account with an id; nil if there is none.
  func account(_ id: String) throws -> NumberedAccount? {
    guard let number = PersonID.number(id), let account = try records.provisioning.account(number),
      try PersonID.text(account) == id
    else { return nil }
    return account
  }

  func person(_ id: String) throws -> ProvisionedPerson? { try account(id).map(Self.person) }

  static func person(_ account: NumberedAccount) throws -> ProvisionedPerson {
    ProvisionedPerson(
      id: try PersonID.text(account), username: account.username, createdAt: account.createdAt,
      isActive: account.block.map { $0.until != nil } ?? true, profile: account.profile,
      groups: account.groups.map(ProvisionedGroup.Reference.init))
  }

  /// The group with an id; nil if there is none.
  func group(_ id: String) throws -> PersonGroup? {
    guard let number = Int64(id), String(number) == id else { return nil }
    return try records.personGroups.group(number)
  }

  func whole(_ group: NumberedGroup, withMembers: Bool = true) throws -> ProvisionedGroup {
    let members = withMembers ? try records.provisioning.members(of: group.id) : []
    return ProvisionedGroup(
      id: String(group.id), name: group.name, externalID: group.externalID,
      members: try members.map { ProvisionedGroup.Member(id: try PersonID.text($0), username: $0.username) })
  }
}

extension NumberedGroup {
  init(_ group: PersonGroup) { self.init(id: group.id, name: group.name, externalID: group.externalID) }
}
