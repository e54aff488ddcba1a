import Testing
import UAFService

@testable import UAFAdministration

/// What a run changes, computed from a directory and a store.
struct DirectoryPlanTests {
  private let corp: DirectorySource

  init() throws { corp = try #require(DirectorySource("corp")) }

  private func person(_ name: String, id: String? = nil, _ texts: [ProfileField: String] = [:], groups: [String]? = nil)
    throws -> DirectoryPerson
  {
    let id = "ldap:corp:\(id ?? name)"
    let change = try ProfileChange(texts.merging([.externalID: id]) { _, new in new }, groups: groups)
    return DirectoryPerson(dn: "uid=\(name)", externalID: id, username: name, change: change)
  }

  private func account(
    _ name: String, id: String? = nil, of source: String = "ldap:corp:", disabledBy: String? = nil,
    isAdministrator: Bool = false, _ profile: AccountProfile = AccountProfile()
  ) -> KnownAccount {
    var profile = profile
    profile.externalID = source + (id ?? name)
    return KnownAccount(
      username: name, profile: profile, disabledBy: disabledBy, isAdministrator: isAdministrator)
  }

  private func plan(
    _ people: [DirectoryPerson], _ accounts: [KnownAccount], unusable: [UnusableEntry] = [],
    limit: DisableLimit = .standard, most: Int? = nil
  ) -> DirectoryPlan {
    DirectoryPlan(corp, DirectorySnapshot(people: people, unusable: unusable), accounts, limit: limit, most: most)
  }

  private func told(_ plan: DirectoryPlan) -> [String] { plan.steps.map { "\($0.action.rawValue) \($0.username)" } }

  @Test func `new people are added with everything that the directory says`() throws {
    let plan = plan([try person("mina", [.displayName: "김미나", .mail: ""], groups: ["B", "a"])], [])
    #expect(told(plan) == ["add mina"] && plan.steps.first?.externalID == "ldap:corp:mina")
    #expect(
      plan.steps.first?.change.applied(to: AccountProfile())
        == AccountProfile(displayName: "김미나", externalID: "ldap:corp:mina", groups: ["a", "B"]))
  }

  @Test func `nothing is done for people who are in the store as they are in the directory`() throws {
    let profile = AccountProfile(displayName: "김미나", department: "By hand", groups: ["연구소", "Sales"])
    let mina = try person("mina", [.displayName: "김미나", .mail: ""], groups: ["sales", "연구소"])
    #expect(plan([mina], [account("mina", profile)]).steps == [])
  }

  @Test func `a change has only what is different`() throws {
    let profile = AccountProfile(displayName: "Mina", mail: "old@example.org", groups: ["A"])
    let mina = try person("mina", [.displayName: "Mina", .mail: "", .department: "Labs"], groups: ["A"])
    let plan = plan([mina], [account("mina", profile)])
    #expect(told(plan) == ["change mina"])
    #expect(plan.steps.first?.change.texts == [.mail: nil, .department: "Labs"])
    #expect(plan.steps.first?.change.groups == nil)
  }

  @Test func `somebody who is gone is disabled, once`() throws {
    let accounts = [account("gone"), account("before", disabledBy: "directory corp"), account("mina")]
    #expect(told(plan([try person("mina")], accounts)) == ["disable gone"])
  }

  @Test func `somebody who comes back is enabled only if the directory's absence was the reason`() throws {
    let accounts = [
      account("a", disabledBy: "directory corp"), account("b", disabledBy: "command-line uid 0"),
      account("c", disabledBy: "directory other"), account("d", disabledBy: ""),
    ]
    #expect(told(plan(try ["a", "b", "c", "d"].map { try person($0) }, accounts)) == ["enable a"])
  }

  @Test func `accounts that were not made for the directory are never touched`() throws {
    let accounts = [
      KnownAccount(username: "hand", profile: AccountProfile(displayName: "By hand")),
      account("scim", of: ""), account("other", of: "ldap:corp2:"), account("near", of: "ldap:corp"),
    ]
    let plan = plan([try person("hand", [.displayName: "Other"]), try person("mina")], accounts)
    #expect(told(plan) == ["add mina"])
    #expect(plan.unusable.map(\.problem) == [.otherAccount("hand", externalID: "ldap:corp:hand")])
    #expect(plan.unusable.first?.problem.description.contains("ldap:corp:hand") == true)
  }

  @Test func `an account that was handed over is changed by its external ID`() throws {
    #expect(told(plan([try person("hand", [.mail: "a@b"])], [account("hand")])) == ["change hand"])
  }

  @Test func `an account keeps its name if the directory changes it, and is not disabled`() throws {
    let plan = plan([try person("new", id: "1")], [account("old", id: "1")])
    #expect(plan.steps == [] && plan.unusable.map(\.problem) == [.renamed(account: "old", to: "new")])
  }

  @Test func `a name that somebody new has does not get the account of the person who is gone`() throws {
    let plan = plan([try person("mina", id: "2")], [account("mina", id: "1")])
    #expect(told(plan) == ["disable mina"])
    #expect(plan.unusable.map(\.problem) == [.otherAccount("mina", externalID: "ldap:corp:2")])
  }

  @Test func `a person whose entry cannot be used is not gone`() throws {
    let bad = UnusableEntry(dn: "uid=mina", externalID: "ldap:corp:mina", problem: .noValue("uid"))
    let plan = plan([try person("jun")], [account("mina"), account("jun")], unusable: [bad])
    #expect(plan.steps == [] && plan.unusable == [bad])
  }

  @Test func `somebody with a role is never disabled, and is named`() throws {
    let accounts = [account("boss", isAdministrator: true), account("gone"), account("mina")]
    let plan = plan([try person("mina")], accounts)
    #expect(told(plan) == ["disable gone"] && plan.administrators == ["boss"])
  }

  @Test func `nothing changes about somebody with a role, and they are named`() throws {
    let accounts = [
      account("boss", isAdministrator: true), account("same", isAdministrator: true),
      account("back", disabledBy: "directory corp", isAdministrator: true),
    ]
    let people = [try person("boss", [.displayName: "Boss"]), try person("same"), try person("back")]
    let plan = plan(people, accounts)
    #expect(plan.steps == [] && plan.keptAdministrators == ["back", "boss"] && plan.administrators == [])
  }

  @Test(arguments: [(10, false), (11, true)])
  func `one more account than the limit is over it, of a small directory`(gone: Int, isOver: Bool) throws {
    let accounts = (0..<gone).map { account("gone\($0)") } + [account("mina")]
    let plan = plan([try person("mina")], accounts)
    #expect(plan.disabling == gone && plan.mostDisabled == 10 && plan.isOverLimit == isOver)
  }

  @Test func `the limit is a part of the accounts that are not disabled`() throws {
    let accounts =
      (0..<300).map { account("p\($0)") } + (0..<500).map { account("old\($0)", disabledBy: "directory corp") }
    let plan = plan(try (16..<300).map { try person("p\($0)") }, accounts)
    #expect(plan.mostDisabled == 15 && plan.disabling == 16 && plan.isOverLimit)
  }

  @Test func `who runs it may allow more accounts, or fewer`() throws {
    let accounts = (0..<20).map { account("gone\($0)") } + [account("mina")]
    let people = [try person("mina")]
    #expect(!plan(people, accounts, most: 20).isOverLimit)
    #expect(plan(people, accounts, most: 19).isOverLimit)
    #expect(plan(people, [account("gone"), account("mina")], most: 0).isOverLimit)
  }

  @Test func `a second run after the first has nothing to do`() throws {
    let people = try (0..<50).map { try person("p\($0)", [.displayName: "사람 \($0)"], groups: ["그룹"]) }
    let first = plan(people, [account("gone")])
    let after =
      first.steps.filter { $0.action == .add }.map {
        KnownAccount(username: $0.username, profile: $0.change.applied(to: AccountProfile()))
      } + [account("gone", disabledBy: "directory corp")]
    #expect(first.steps.count == 51 && plan(people, after).steps == [])
  }
}
