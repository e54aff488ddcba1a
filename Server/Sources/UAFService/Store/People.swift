/// What an organisation knows about the person of an account, beside the login name.
///
/// The texts are in Unicode's form NFC. None of them is ever empty: a field without a value is nil.
package struct AccountProfile: Equatable, Sendable {
  package var displayName: String?
  package var mail: String?
  package var department: String?
  /// The person's ID in a directory or a personnel system; at most one account has it.
  package var externalID: String?
  /// The names of the person's groups, in the order of ``SearchText/key(_:)``.
  package var groups: [String]

  package init(
    displayName: String? = nil, mail: String? = nil, department: String? = nil, externalID: String? = nil,
    groups: [String] = []
  ) {
    self.displayName = displayName
    self.mail = mail
    self.department = department
    self.externalID = externalID
    self.groups = groups
  }

  /// The value of a field; nil if it has none.
  package subscript(field: ProfileField) -> String? {
    get {
      switch field {
      case .displayName: displayName
      case .mail: mail
      case .department: department
      case .externalID: externalID
      }
    }
    set {
      switch field {
      case .displayName: displayName = newValue
      case .mail: mail = newValue
      case .department: department = newValue
      case .externalID: externalID = newValue
      }
    }
  }
}

/// A field of a profile that is a single text.
///
/// The raw value is its name in the API, in lists, and in the audit.
package enum ProfileField: String, CaseIterable, Sendable {
  case displayName
  case mail
  case department
  case externalID
}

/// A group of people.
///
/// It is a name for people and for searches. By itself it gives nobody a role, and it is no group of a policy, whatever its name
/// is. Only a ``GroupMapping`` gives it an effect.
package struct PersonGroup: Equatable, Sendable {
  /// Never used again, even after the group is removed.
  package let id: Int64
  package let name: String
  package let members: Int
  /// The ID that the organisation's identity provider has given the group; at most one group has it.
  package let externalID: String?

  package init(id: Int64, name: String, members: Int, externalID: String? = nil) {
    self.id = id
    self.name = name
    self.members = members
    self.externalID = externalID
  }
}

/// The profiles of accounts.
package protocol Profiles {
  /// The profiles of those of the names that have an account.
  func profiles(of usernames: [String]) throws -> [String: AccountProfile]

  /// Replaces whole profiles, and keeps the index of the search up to date. Groups that do not exist yet are made.
  ///
  /// Names without an account are ignored. No two accounts may end up with the same external ID.
  ///
  /// - Parameter now: seconds since 1970.
  func set(_ profiles: [String: AccountProfile], now: Int64) throws

  /// The names of the accounts that have some external IDs, by the ID.
  func owners(ofExternalIDs ids: [String]) throws -> [String: String]

  /// Accounts of which a field of the profile, or the login name, contains a text.
  ///
  /// Accounts whose login names begin with the text come first, in the order of the names' bytes; so the one whose name is the
  /// text leads. The others follow in the order in which they were added.
  ///
  /// The index of the search may suggest accounts that do not match, and each suggestion is looked at. So a page may have few
  /// accounts, or none, although a further page follows.
  ///
  /// - Parameters:
  ///   - text: not empty.
  ///   - query: further conditions; `after` and `last` do not apply.
  ///   - place: where the page before ended; nil for the first page.
  ///   - most: how many suggestions are looked at, at least one.
  ///   - now: seconds since 1970.
  func search(
    _ text: SearchText, _ query: AccountQuery, after place: SearchPlace?, lookingAt most: Int,
    now: Int64
  ) throws -> FoundAccounts
}

/// Where a page of a search ends.
package enum SearchPlace: Equatable, Sendable {
  /// After a login name, among those that begin with the text.
  case name(String)
  /// After an account's number, among the other accounts; 0 for their beginning.
  case number(Int64)

  private static let mark = "name:"

  /// The form in which a reader of pages sends it back.
  package var text: String {
    switch self {
    case .name(let name): Self.mark + name
    case .number(let number): String(number)
    }
  }

  /// Reads the text that ``text`` writes; nil for anything else.
  package init?(text: String) {
    if text.hasPrefix(Self.mark) {
      let name = String(text.dropFirst(Self.mark.count))
      guard Username.isValid(name) else { return nil }
      self = .name(name)
    } else {
      guard let number = Int64(text), number >= 0 else { return nil }
      self = .number(number)
    }
  }
}

/// A page of a search.
package struct FoundAccounts: Equatable, Sendable {
  package let accounts: [AccountSummary]
  /// Where the next page begins; nil on the last page.
  package let next: SearchPlace?

  package init(accounts: [AccountSummary], next: SearchPlace?) {
    self.accounts = accounts
    self.next = next
  }
}

/// The groups of people.
package protocol PersonGroups {
  /// Groups in the order of their names.
  ///
  /// - Parameters:
  ///   - name: groups that come after this name; empty for the first page.
  ///   - limit: how many at most.
  func page(after name: String, limit: Int) throws -> [PersonGroup]

  /// The group with an id; nil if there is none.
  func group(_ id: Int64) throws -> PersonGroup?

  /// The group with a name, in whatever case it is written; nil if there is none.
  func group(named name: String) throws -> PersonGroup?

  /// The group with an external ID; nil if there is none.
  func group(externalID: String) throws -> PersonGroup?

  /// Gives a group an external ID, which no other group may have; nil takes it away.
  func setExternalID(_ externalID: String?, of id: Int64) throws

  /// Adds a group without members, with a name that no other group may have.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: the id of the group.
  func add(_ name: String, now: Int64) throws -> Int64

  /// How many groups there are.
  func count() throws -> Int

  /// Gives a group a different name, which no other group may have.
  func rename(_ id: Int64, to name: String) throws

  /// Removes a group and its mapping; its members stay.
  func remove(_ id: Int64) throws
}
