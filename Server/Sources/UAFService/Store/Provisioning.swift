/// An account with the number that a provisioning program knows it by.
package struct NumberedAccount: Equatable, Sendable {
  /// Accounts are numbered in the order in which they were added.
  ///
  /// The number of a removed account may be given again.
  package let number: Int64
  /// Seconds since 1970.
  package let createdAt: Int64
  package let username: String
  /// The account's block, even if its lock is over.
  package let block: AccountBlock?
  /// Without the names of groups, which are in ``groups``.
  package let profile: AccountProfile
  /// The groups of the person, in the order of their ids.
  package var groups: [NumberedGroup] = []

  package init(
    number: Int64, createdAt: Int64, username: String, block: AccountBlock?, profile: AccountProfile,
    groups: [NumberedGroup] = []
  ) {
    self.number = number
    self.createdAt = createdAt
    self.username = username
    self.block = block
    self.profile = profile
    self.groups = groups
  }
}

/// A group of people, without its members.
package struct NumberedGroup: Equatable, Sendable {
  package let id: Int64
  package let name: String
  /// nil if it has none, and among the groups of an account.
  package let externalID: String?

  package init(id: Int64, name: String, externalID: String? = nil) {
    self.id = id
    self.name = name
    self.externalID = externalID
  }
}

/// Accounts and groups of people in the order of their numbers, for programs that provision them (SCIM 2.0, RFC 7644).
package protocol Provisioning {
  /// How many accounts there are.
  func accountCount() throws -> Int

  /// Accounts in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: accounts with higher numbers.
  ///   - count: how many of these are left out; each is read, so a large number takes long.
  ///   - limit: how many at most.
  func accounts(after number: Int64, skipping count: Int, limit: Int) throws -> [NumberedAccount]

  /// The account with a number; nil if there is none.
  func account(_ number: Int64) throws -> NumberedAccount?

  /// Those of the names that have an account, in the order of their numbers.
  func accounts(named usernames: [String]) throws -> [NumberedAccount]

  /// The members of a group, in the order of their numbers and without their groups.
  func members(of group: Int64) throws -> [NumberedAccount]

  /// Groups in the order of their ids.
  ///
  /// - Parameters:
  ///   - count: how many are left out.
  ///   - limit: how many at most.
  func groups(skipping count: Int, limit: Int) throws -> [NumberedGroup]
}
