import NIOHTTP1
import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFServer
@testable import UAFService

/// Groups of SCIM, with the store in each engine.
@Suite(.onEachStore) struct SCIMGroupTests {
  private let client: SCIMClient

  init() async throws { client = try await SCIMClient() }

  /// The names of a group's members.
  private func members(_ id: String) async throws -> [String] {
    let group = try await client.ask(.GET, "/Groups/\(id)").json
    #expect(group["members"] != nil)
    var names: [String] = []
    for member in group.objects("members") {
      let user = try await client.ask(.GET, "/Users/\(member.text("value") ?? "")").json
      names.append(try #require(user.text("userName")))
    }
    return names
  }

  @Test func `a group is created, found, replaced and deleted, and its members stay`() async throws {
    let (mina, jun) = (try await client.add("mina"), try await client.add("jun"))
    let id = try await client.addGroup("Labs", [mina])
    let shown = try await client.ask(.GET, "/Users/\(mina)").json.objects("groups")
    #expect(shown.map { $0.text("value") } == [id] && shown.map { $0.text("display") } == ["Labs"])
    let replaced = try await client.ask(
      .PUT, "/Groups/\(id)",
      #"{\#(SCIMClient.groupSchema),"displayName":"연구소","externalId":"x","members":[{"value":"\#(jun)","type":"User"}]}"#
    )
    #expect(replaced.status == .ok && replaced.json.text("displayName") == "연구소")
    #expect(try await members(id) == ["jun"])
    let renamed = try await client.ask(.PUT, "/Groups/\(id)", #"{\#(SCIMClient.groupSchema),"displayName":"labs"}"#)
    #expect(renamed.json["members"] == .array([]))
    #expect(try await client.ask(.DELETE, "/Groups/\(id)").status == .noContent)
    #expect(try await client.ask(.GET, "/Groups/\(id)").status == .notFound)
    #expect(try await client.ask(.GET, "/Users/\(jun)").json["groups"] == nil)
    #expect(
      try await client.rows().map(\.kind) == [
        .accountCreation, .accountCreation, .groupCreation, .accountChange, .groupChange, .groupChange, .accountChange,
        .accountChange, .groupChange, .groupChange, .accountChange, .groupRemoval,
      ])
  }

  @Test func `members are added and removed in each of the forms that identity providers send`() async throws {
    let (mina, jun) = (try await client.add("mina"), try await client.add("jun"))
    let id = try await client.addGroup("Labs")
    let steps: [(operation: String, members: [String])] = [
      (#"{"op":"add","path":"members","value":[{"value":"\#(mina)"}]}"#, ["mina"]),
      (#"{"op":"Add","path":"members","value":{"value":"\#(jun)","display":"x"}}"#, ["mina", "jun"]),
      (#"{"op":"add","path":"members","value":[{"value":"\#(jun)"}]}"#, ["mina", "jun"]),
      (#"{"op":"remove","path":"members[value eq \"\#(mina)\"]"}"#, ["jun"]),
      (#"{"op":"Remove","path":"members","value":[{"value":"\#(jun)"}]}"#, []),
      (#"{"op":"Remove","path":"members","value":[{"value":"\#(jun)"}]}"#, []),
      (#"{"op":"replace","path":"members","value":[{"value":"\#(jun)"},{"value":"\#(mina)"}]}"#, ["mina", "jun"]),
      (#"{"op":"replace","value":{"id":"\#(id)","displayName":"Renamed"}}"#, ["mina", "jun"]),
      (#"{"op":"replace","value":{"members":[{"value":"\#(mina)"}]}}"#, ["mina"]),
      (#"{"op":"remove","path":"members"}"#, []),
    ]
    for step in steps {
      #expect(try await client.patch("/Groups/\(id)", step.operation).status == .ok)
      #expect(try await members(id) == step.members)
    }
    #expect(try await client.names("/Groups", #"displayName eq "renamed""#, "displayName") == ["Renamed"])
  }

  @Test func `a PATCH is refused for a member who does not exist, and for one whom the group does not have`()
    async throws
  {
    let (mina, jun) = (try await client.add("mina"), try await client.add("jun"))
    let id = try await client.addGroup("Labs", [mina])
    let refused = [
      (#"{"op":"add","path":"members","value":[{"value":"99-000000000000"}]}"#, "invalidValue"),
      (#"{"op":"add","path":"members","value":[{"value":"mina"}]}"#, "invalidValue"),
      (#"{"op":"add","path":"members","value":[{"display":"mina"}]}"#, "invalidValue"),
      (#"{"op":"add","path":"members","value":[{"value":"\#(id)","type":"Group"}]}"#, "invalidValue"),
      (#"{"op":"remove","path":"members[value eq \"\#(jun)\"]"}"#, "noTarget"),
      (#"{"op":"replace","path":"members[value eq \"\#(mina)\"]","value":{"value":"\#(jun)"}}"#, "mutability"),
      (#"{"op":"replace","path":"members.value","value":"\#(jun)"}"#, "invalidPath"),
      (#"{"op":"remove","path":"displayName"}"#, "mutability"),
      (#"{"op":"replace","path":"displayName","value":"a|b"}"#, "invalidValue"),
      (#"{"op":"replace","path":"id","value":"7"}"#, "mutability"),
      (#"{"op":"add","path":"roles","value":"administrator"}"#, "invalidPath"),
    ]
    for (operation, kind) in refused {
      let add = #"{"op":"add","path":"members","value":[{"value":"\#(jun)"}]}"#
      let operations = operation.contains("remove") ? [operation, add] : [add, operation]
      let answer = try await client.patch("/Groups/\(id)", operations[0], operations[1])
      #expect(answer.status == .badRequest && answer.scimType == kind, "\(operation)")
      #expect(try await members(id) == ["mina"])
    }
  }

  @Test func `groups are found by name, id and member, and shown without members`() async throws {
    let (mina, jun) = (try await client.add("mina"), try await client.add("jun"))
    let (labs, shop) = (try await client.addGroup("Labs", [mina, jun]), try await client.addGroup("Shop", [jun]))
    func found(_ filter: String) async throws -> [String] {
      try await client.names("/Groups", filter, "displayName")
    }
    #expect(try await found(#"members.value eq "\#(jun)""#) == ["Labs", "Shop"])
    #expect(try await found(#"members[value eq "\#(mina)"]"#) == ["Labs"])
    #expect(try await found(#"id eq "\#(shop)" and members eq "\#(mina)""#) == [])
    #expect(try await found(#"id eq "\#(labs)" and members eq "\#(mina)""#) == ["Labs"])
    #expect(try await found(#"displayName co "a" or displayName eq "shop""#) == ["Labs", "Shop"])
    let page = try await client.ask(.GET, "/Groups?excludedAttributes=members&startIndex=2&count=5").json
    #expect(page["totalResults"] == .integer(2))
    let shown = try #require(page.objects("Resources").first)
    #expect(shown.text("id") == shop && shown["members"] == nil)
    let whole = try await client.ask(.GET, "/Groups/\(shop)")
    if case .object(let meta)? = shown["meta"] { #expect(meta.text("version") == whole.header("ETag")) }
    let refused = try await client.ask(.GET, "/Groups?filter=members.value+sw+%221%22")
    #expect(refused.scimType == "invalidFilter")
  }

  @Test func `a group is refused with a name that is taken in any case, and a version that is gone`() async throws {
    let id = try await client.addGroup("Labs")
    let tag = try #require(try await client.ask(.GET, "/Groups/\(id)").header("ETag"))
    let taken = try await client.ask(.POST, "/Groups", #"{\#(SCIMClient.groupSchema),"displayName":"LABS"}"#)
    #expect(taken.status == .conflict && taken.scimType == "uniqueness")
    let mina = try await client.add("mina")
    let operation = #"{"op":"add","path":"members","value":[{"value":"\#(mina)"}]}"#
    #expect(try await client.patch("/Groups/\(id)", operation, headers: ["If-Match": "\"x\", \(tag)"]).status == .ok)
    #expect(
      try await client.patch("/Groups/\(id)", operation, headers: ["If-Match": tag]).status == .preconditionFailed)
    #expect(try await client.ask(.DELETE, "/Groups/\(id)", headers: ["If-Match": tag]).status == .preconditionFailed)
    #expect(try await members(id) == ["mina"])
  }

  @Test func `a group keeps its external ID, is found by it, and loses it with a PUT that lacks it`() async throws {
    let made = try await client.ask(
      .POST, "/Groups", #"{\#(SCIMClient.groupSchema),"displayName":"Labs","externalId":" 00g1 "}"#)
    #expect(made.status == .created && made.json.text("externalId") == "00g1")
    #expect(try await client.names("/Groups", #"externalId eq "00g1""#, "displayName") == ["Labs"])
    #expect(try await client.names("/Groups", #"externalId eq "00G1""#, "displayName") == [])
    let replace = #"{"op":"replace","path":"externalId","value":"00g2"}"#
    #expect(try await client.patch("/Groups/\(made.id)", replace).json.text("externalId") == "00g2")
    #expect(
      try await client.patch("/Groups/\(made.id)", #"{"op":"remove","path":"externalId"}"#).json["externalId"] == nil)
    #expect(try await client.patch("/Groups/\(made.id)", #"{"op":"add","value":{"externalId":"00g3"}}"#).status == .ok)
    #expect(try await client.ask(.GET, "/Groups").json.objects("Resources").map { $0.text("externalId") } == ["00g3"])
    let mina = try await client.add("mina")
    _ = try await client.patch("/Groups/\(made.id)", #"{"op":"add","path":"members","value":[{"value":"\#(mina)"}]}"#)
    let filter = PathText.encoded(#"members eq "\#(mina)" and externalId pr"#)
    #expect(try await client.ask(.GET, "/Groups?filter=\(filter)").json["totalResults"] == .integer(1))
    let put = try await client.ask(.PUT, "/Groups/\(made.id)", #"{\#(SCIMClient.groupSchema),"displayName":"Labs"}"#)
    #expect(put.status == .ok && put.json["externalId"] == nil)
  }

  @Test func `a group is refused with an external ID that a different group has, or that is too long`() async throws {
    func post(_ name: String, _ id: String) async throws -> SCIMClient.Answer {
      try await client.ask(
        .POST, "/Groups", #"{\#(SCIMClient.groupSchema),"displayName":"\#(name)","externalId":"\#(id)"}"#)
    }
    #expect(try await post("Labs", "00g1").status == .created)
    let taken = try await post("Shop", "00g1")
    #expect(taken.status == .conflict && taken.scimType == "uniqueness")
    #expect(try await post("Shop", String(repeating: "x", count: 129)).scimType == "invalidValue")
    #expect(try await post("Shop", "a\\u202eb").scimType == "invalidValue")
    #expect(try await client.ask(.GET, "/Groups").json["totalResults"] == .integer(1))
  }

  @Test func `a mapped group keeps its name and its external ID, takes members, and is deleted with its mapping`()
    async throws
  {
    let mina = try await client.add("mina")
    let id = try await client.addGroup("Staff")
    try await client.server.store.write {
      try $0.groupMappings.set("two", role: nil, for: Int64(id) ?? 0, by: "", now: 1)
    }
    let add = #"{"op":"add","path":"members","value":[{"value":"\#(mina)"}]}"#
    let rename = #"{"op":"replace","path":"displayName","value":"Other"}"#
    let refused = try await client.patch("/Groups/\(id)", add, rename)
    #expect(refused.status == .badRequest && refused.scimType == "mutability")
    #expect(try await members(id) == [])
    #expect(try await client.patch("/Groups/\(id)", add).status == .ok)
    #expect(try await client.patch("/Groups/\(id)", #"{"op":"add","path":"externalId","value":"1"}"#).status == .ok)
    let other = try await client.patch("/Groups/\(id)", #"{"op":"replace","path":"externalId","value":"2"}"#)
    #expect(other.scimType == "mutability")
    #expect(try await client.ask(.DELETE, "/Groups/\(id)").status == .noContent)
    #expect(try await client.rows().suffix(2).map(\.kind) == [.groupMappingRemoval, .groupRemoval])
    _ = try await client.addGroup("Staff", [mina])
    #expect(try await client.server.store.read { try $0.groupMappings.all() } == [])
  }

  @Test(arguments: ["administrator", "administrators", "operator", "privileged"])
  func `a group gives nobody a role, whatever its name is`(name: String) async throws {
    let mina = try await client.add("mina", #","roles":[{"value":"administrator"}]"#)
    _ = try await client.addGroup(name, [mina])
    let (administrators, profile) = try await client.server.store.read {
      (try $0.administrators.all(), try $0.profiles.profiles(of: ["mina"])["mina"])
    }
    #expect(administrators.isEmpty && profile?.groups == [name])
    let answer = try await client.patch("/Users/\(mina)", #"{"op":"replace","path":"active","value":false}"#)
    #expect(answer.status == .ok)
  }

  private static func large(_ count: Int) -> ProvisionedGroup {
    ProvisionedGroup(
      id: "1", name: "All", externalID: nil, members: (0..<count).map { .init(id: "\($0)-0", username: "p\($0)") })
  }

  private static func patch(_ paths: [String]) throws -> SCIMPatch {
    let operations = paths.map { JSONValue.object(["op": .string("remove"), "path": .string($0)]) }
    return try SCIMPatch([
      "schemas": .array([.string("urn:ietf:params:scim:api:messages:2.0:PatchOp")]), "Operations": .array(operations),
    ])
  }

  @Test func `members are removed by their ids from a large group without a look at the others`() throws {
    let count = 3_000
    var group = SCIMGroup(changing: Self.large(count))
    // 9,000,000 comparisons, if each looked at each member.
    try group.perform(Self.patch((1..<count).map { #"members[value eq "\#($0)-0"]"# }))
    #expect(group.draft.members == ["0-0"])
  }

  @Test func `a filter that looks at too many members is refused as tooMany before it looks`() throws {
    let filter = "members[" + Array(repeating: "type sw \"v\"", count: 64).joined(separator: " or ") + "]"
    var group = SCIMGroup(changing: Self.large(16_000))
    #expect { try group.perform(Self.patch([filter])) } throws: { ($0 as? SCIMError)?.kind == .tooMany }
    // The members that each of several operations looks at count together: 16 times 64 comparisons with some 1,000 members.
    let further = Array(repeating: "type pr", count: 63).joined(separator: " and ")
    let paths = (0..<17).map { "members[value sw \"\($0)-0\" and \(further)]" }
    var several = SCIMGroup(changing: Self.large(1_000))
    #expect { try several.perform(Self.patch(paths)) } throws: { ($0 as? SCIMError)?.kind == .tooMany }
    var fewer = SCIMGroup(changing: Self.large(1_000))
    try fewer.perform(Self.patch(Array(paths.prefix(15))))
    #expect(fewer.draft.members.count == 985)
  }

  @Test func `a filter finds members by more than their ids`() throws {
    for (filter, left) in [
      (#"value eq "1-0" or value eq "2-0""#, ["0-0"]), (#"value eq "1-0" and type eq "user""#, ["0-0", "2-0"]),
      (#"not (value sw "1")"#, ["1-0"]), (#"type eq "User""#, []),
    ] {
      var group = SCIMGroup(changing: Self.large(3))
      try group.perform(Self.patch(["members[\(filter)]"]))
      #expect(group.draft.members.sorted() == left)
    }
    var group = SCIMGroup(changing: Self.large(3))
    #expect { try group.perform(Self.patch([#"members[value eq "1-0" and type eq "Group"]"#])) } throws: {
      ($0 as? SCIMError)?.kind == .noTarget
    }
  }
}
