import Testing
import UAFService

@testable import UAFAdministration

/// From the entries of a directory to its people.
struct DirectoryPeopleTests {
  private static let attributes =
    #"{"id":"entryUUID","name":"uid","displayName":["displayName","cn"],"mail":"mail","department":"ou"}"#

  private static func settings(_ changes: [String: String?] = [:]) throws -> DirectorySettings {
    try DirectorySettings(
      parsing: DirectorySettingsTests.text(["attributes": attributes].merging(changes) { _, new in new }))
  }

  private static func entry(_ name: String, id: String? = nil, _ more: [String: [String]] = [:]) -> DirectoryEntry {
    var values = ["entryuuid": [id ?? "id-\(name)"], "uid": [name]].merging(more) { _, new in new }
    values = values.filter { !$0.value.isEmpty }
    return DirectoryEntry(
      dn: "uid=\(name),ou=people,dc=example,dc=org", values: values.mapValues { $0.map { Array($0.utf8) } })
  }

  private static func read(
    _ entries: [DirectoryEntry], groups: [DirectoryEntry] = [], _ settings: DirectorySettings
  ) throws -> DirectorySnapshot {
    var people = DirectoryPeople(settings)
    for group in groups { try people.add(group: group) }
    for entry in entries { try people.add(person: entry) }
    return try people.finished()
  }

  @Test func `a person has the directory's ID, and the first attribute that has a value`() throws {
    let mina = Self.entry("mina", ["displayName": [], "cn": ["김미나"], "mail": ["a@b", "c@d"]])
    let directory = try Self.read([mina], Self.settings())
    let person = try #require(directory.people.first)
    #expect(person.username == "mina" && person.externalID == "ldap:corp:id-mina" && directory.unusable.isEmpty)
    let profile = person.change.applied(to: AccountProfile(department: "Old", groups: ["Kept"]))
    #expect(
      profile
        == AccountProfile(displayName: "김미나", mail: "a@b", externalID: "ldap:corp:id-mina", groups: ["Kept"]))
  }

  @Test func `the GUID of Active Directory is written as its tools write it`() throws {
    let settings = try Self.settings([
      "attributes": #"{"id":"objectGUID","name":"sAMAccountName"}"#, "lowerCaseNames": "true",
    ])
    let entry = DirectoryEntry(
      dn: "cn=Kim,dc=a", values: ["objectguid": [Array(0x00...0x0F)], "samaccountname": [Array("Kim.Minsu".utf8)]])
    let person = try #require(try Self.read([entry], settings).people.first)
    #expect(person.externalID == "ldap:corp:03020100-0504-0706-0809-0a0b0c0d0e0f" && person.username == "kim.minsu")
  }

  @Test func `groups of the person count if they are below the DN of the settings`() throws {
    let settings = try Self.settings(["groups": #"{"memberOf":"memberOf","below":"ou=groups,dc=a"}"#])
    let entry = Self.entry(
      "mina", ["memberof": ["CN=연구소,ou=groups,dc=a", "cn=admins,ou=other,dc=a", "cn=A\\2CB,ou=x,OU=Groups,DC=A"]])
    #expect(try Self.read([entry], settings).people.first?.change.groups == ["A,B", "연구소"])
    let odd = Self.entry("jun", ["memberof": ["cn=a|b,ou=groups,dc=a", "cn=연구소,ou=groups,dc=a"]])
    let directory = try Self.read([odd], settings)
    #expect(directory.people.first?.change.groups == ["연구소"])
    #expect(directory.unusableGroups.map(\.dn) == ["cn=a|b,ou=groups,dc=a"])
  }

  @Test func `groups that are searched for name their members by DN or by name`() throws {
    let settings = try Self.settings(["groups": #"{"base":"dc=a","filter":"(a=b)","name":"cn","member":"member"}"#])
    let of = { (dn: String, name: String, members: [String]) in
      DirectoryEntry(dn: dn, values: ["cn": [Array(name.utf8)], "member": members.map { Array($0.utf8) }])
    }
    let groups = [
      of("cn=1", "연구소", ["UID=mina, ou=people,dc=example,dc=org", "uid=gone,dc=a"]), of("cn=2", "Unix", ["mina"]),
      of("cn=3", "bad|name", ["mina"]), of("cn=4", "Other", ["Mina"]),
    ]
    let directory = try Self.read([Self.entry("mina"), Self.entry("jun")], groups: groups, settings)
    #expect(directory.people.map(\.change.groups) == [["Unix", "연구소"], []])
    #expect(directory.unusableGroups.map(\.dn) == ["cn=3"])
    #expect(directory.unusableGroups.first?.problem == .field("groups", .barInGroup))
  }

  @Test func `names of members are compared in any case only if the settings say so`() throws {
    let groups = #"{"base":"dc=a","filter":"(a=b)","name":"cn","member":"memberUid"}"#
    let unix = DirectoryEntry(dn: "cn=1", values: ["cn": [Array("Unix".utf8)], "memberuid": [Array("MINA".utf8)]])
    let people = [Self.entry("Mina")]
    let exact = try Self.read(people, groups: [unix], Self.settings(["groups": groups]))
    #expect(exact.people.map(\.change.groups) == [[]])
    let lower = try Self.read(people, groups: [unix], Self.settings(["groups": groups, "lowerCaseNames": "true"]))
    #expect(lower.people.map(\.change.groups) == [["Unix"]])
  }

  @Test func `refuses more groups than a server has, and more members than are kept`() throws {
    let settings = try Self.settings(["groups": #"{"base":"dc=a","filter":"(a=b)","name":"cn","member":"member"}"#])
    var many = DirectoryPeople(settings)
    for number in 0..<DirectoryPeople.mostGroups {
      try many.add(group: DirectoryEntry(dn: "cn=\(number)", values: ["cn": [Array("\(number)".utf8)]]))
    }
    #expect(throws: DirectoryProblem.tooManyGroups(10_000)) { try many.add(group: DirectoryEntry(dn: "cn=one more")) }
    var large = DirectoryPeople(settings, mostMembers: 3)
    let group = DirectoryEntry(dn: "cn=1", values: ["cn": [[0x61]], "member": [[0x61], [0x62]]])
    try large.add(group: group)
    #expect(throws: DirectoryProblem.tooManyMembers(3)) { try large.add(group: group) }
    #expect(DirectoryPeople.mostMembers == 2_000_000)
  }

  @Test(
    arguments: [
      (["uid": []], EntryProblem.noValue("uid")), (["uid": ["a", "b"]], .severalNames("uid")),
      (["uid": ["kim minsu"]], .badName("kim minsu")), (["uid": ["김미나"]], .badName("김미나")),
      (["mail": ["nomail"]], .field("mail", .notMail)),
      (["cn": ["a\u{202E}b"]], .field("displayName", .hidden(character: "U+202E"))),
      (
        ["ou": [String(repeating: "a", count: 129)]],
        .field("department", .longText(TextLimit(characters: 128, bytes: 512)))
      ),
      (["memberof": ["nodn"]], .notADN("memberOf")),
    ] as [([String: [String]], EntryProblem)])
  func `an entry that cannot be used is left out and named, and its person is not gone`(
    values: [String: [String]], problem: EntryProblem
  ) throws {
    let settings = try Self.settings(["groups": #"{"memberOf":"memberOf","below":"dc=a"}"#])
    let directory = try Self.read([Self.entry("mina", values), Self.entry("jun")], settings)
    #expect(directory.people.map(\.username) == ["jun"])
    let dn = "uid=mina,ou=people,dc=example,dc=org"
    #expect(directory.unusable == [UnusableEntry(dn: dn, externalID: "ldap:corp:id-mina", problem: problem)])
  }

  @Test func `bytes that are no text are refused by the name of their attribute`() throws {
    var values = Self.entry("mina").values
    values["cn"] = [[0xFF, 0xFE]]
    let directory = try Self.read([DirectoryEntry(dn: "uid=mina", values: values)], Self.settings())
    #expect(directory.unusable.map(\.problem) == [.notText("cn")])
  }

  @Test func `two entries with one name are both left out`() throws {
    let entries = [Self.entry("mina", id: "1"), Self.entry("mina", id: "2"), Self.entry("jun")]
    let directory = try Self.read(entries, Self.settings())
    #expect(directory.people.map(\.username) == ["jun"])
    #expect(directory.unusable.map(\.problem) == [.sameName("mina"), .sameName("mina")])
    #expect(Set(directory.unusable.map(\.externalID)) == ["ldap:corp:1", "ldap:corp:2"])
  }

  @Test(arguments: [[], ["a", "b"], ["a b"], [""], [String(repeating: "a", count: 89)], ["미나"]])
  func `refuses the whole answer if a person has no ID, because that person could be taken for gone`(ids: [String])
    throws
  {
    let entry = Self.entry("mina", ["entryuuid": ids])
    #expect(throws: DirectoryProblem.noID(dn: entry.dn, attribute: "entryUUID")) {
      try Self.read([Self.entry("jun"), entry], Self.settings())
    }
  }

  @Test func `refuses the whole answer if two entries have one ID, or if nobody is there`() throws {
    let entries = [Self.entry("mina", id: "1"), Self.entry("jun", id: "1")]
    #expect(throws: DirectoryProblem.sameID(dn: entries[1].dn, other: entries[0].dn)) {
      try Self.read(entries, Self.settings())
    }
    #expect(throws: DirectoryProblem.nobody) { try Self.read([], Self.settings()) }
  }

  @Test func `refuses groups of which only a part has arrived`() throws {
    let settings = try Self.settings(["groups": #"{"base":"dc=a","filter":"(a=b)","name":"cn","member":"Member"}"#])
    let group = DirectoryEntry(dn: "cn=1", values: ["cn": [[0x61]]], incomplete: ["member"])
    #expect(throws: DirectoryProblem.incompleteGroup(dn: "cn=1")) {
      try Self.read([Self.entry("mina")], groups: [group], settings)
    }
    let ofPerson = try Self.settings(["groups": #"{"memberOf":"memberOf","below":"dc=a"}"#])
    var entry = Self.entry("mina")
    entry = DirectoryEntry(dn: entry.dn, values: entry.values, incomplete: ["memberof"])
    #expect(try Self.read([entry], ofPerson).unusable.map(\.problem) == [.incomplete("memberOf")])
  }
}
