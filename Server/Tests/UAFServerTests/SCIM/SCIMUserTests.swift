import NIOHTTP1
import Testing
import UAFAdministration
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Users of SCIM, with the store in each engine.
@Suite(.onEachStore) struct SCIMUserTests {
  private let client: SCIMClient

  init() async throws { client = try await SCIMClient() }

  private func account(_ name: String) async throws -> AccountSummary? {
    try await client.server.store.read { [now = client.server.now] in try $0.accounts.summary(of: name, now: now) }
  }

  @Test func `a user is created, found, replaced and deleted, each with its row of the audit`() async throws {
    let made = try await client.ask(
      .POST, "/Users",
      #"{\#(SCIMClient.userSchema),"userName":"mina@example.org","externalId":"E-1","displayName":"김미나","#
        + #""name":{"familyName":"김"},"password":"x","emails":[{"value":"b@x","type":"home"},{"value":"a@x","primary":true}],"#
        + #""\#(SCIMClient.enterprise)":{"department":"Labs","employeeNumber":"7"}}"#)
    #expect(made.status == .created && made.header("Content-Type") == "application/scim+json")
    #expect(made.header("Location") == "/scim/v2/Users/\(made.id)")
    #expect(try await client.ask(.GET, "/Users/\(made.id)").json == made.json)
    let profile = try #require(try await account("mina@example.org")?.profile)
    #expect(
      profile
        == AccountProfile(displayName: "김미나", mail: "a@x", department: "Labs", externalID: "E-1"))
    let replaced = try await client.ask(
      .PUT, "/Users/\(made.id)",
      #"{\#(SCIMClient.userSchema),"id":"other","userName":"mina@example.org","externalId":"E-2","active":false}"#)
    #expect(replaced.status == .ok && replaced.json["active"] == .bool(false))
    #expect(try await account("mina@example.org")?.profile == AccountProfile(externalID: "E-2"))
    #expect(try await client.ask(.DELETE, "/Users/\(made.id)").status == .noContent)
    for method in [HTTPMethod.GET, .DELETE] {
      #expect(try await client.ask(method, "/Users/\(made.id)").status == .notFound)
    }
    #expect(
      try await client.rows().map(\.kind) == [
        .accountCreation, .accountChange, .accountChange, .accountDisabled, .accountDeletion,
      ])
  }

  @Test func `an inactive user is disabled, signed out, and left without an open code`() async throws {
    let id = try await client.add("mina")
    try await client.server.enrol("mina")
    let now = client.server.now
    try await client.server.store.write { records in
      try records.consoleSessions.add(
        ConsoleSession(tokenHash: [1], username: "mina", role: "auditor", startedAt: now, lastUsedAt: now), now: now)
    }
    let answer = try await client.patch("/Users/\(id)", #"{"op":"Replace","path":"active","value":"False"}"#)
    #expect(answer.json["active"] == .bool(false))
    let summary = try #require(try await account("mina"))
    #expect(summary.block?.until == nil && summary.block?.actor == "token idp" && !summary.hasOpenCode)
    #expect(try await client.server.store.read { try $0.consoleSessions.session(tokenHash: [1]) } == nil)
    #expect(try await client.rows().map(\.kind) == [.accountCreation, .accountDisabled, .enrolmentClosure])
    _ = try await client.patch("/Users/\(id)", #"{"op":"replace","value":{"active":true}}"#)
    #expect(try await account("mina")?.block == nil)
  }

  @Test func `an account that an administrator has disabled stays so, and its lock is no business of provisioning`()
    async throws
  {
    let id = try await client.add("mina")
    let states = AccountStateAdministration(client.environment)
    try await states.lock("mina", seconds: 60, reason: "lost", by: client.root)
    let body = #"{\#(SCIMClient.userSchema),"userName":"mina","active":true}"#
    #expect(try await client.ask(.PUT, "/Users/\(id)", body).json["active"] == .bool(true))
    #expect(try await account("mina")?.block?.reason == "lost")
    try await states.disable("mina", reason: "stolen", by: client.root)
    // Inactive already: that the provisioning program says so does not make the block its own.
    _ = try await client.patch("/Users/\(id)", #"{"op":"replace","path":"active","value":false}"#)
    let refused = try await client.ask(.PUT, "/Users/\(id)", body)
    #expect(refused.status == .forbidden && refused.json.text("detail")?.contains("administrator") == true)
    #expect(try await account("mina")?.block?.reason == "stolen")
  }

  private func setActive(_ isActive: Bool, _ id: String) async throws -> SCIMClient.Answer {
    try await client.patch("/Users/\(id)", #"{"op":"replace","path":"active","value":\#(isActive)}"#)
  }

  @Test func `a lock of an administrator stands again when provisioning has made its account inactive and active`()
    async throws
  {
    let id = try await client.add("mina")
    let states = AccountStateAdministration(client.environment)
    try await states.lock("mina", seconds: 3600, reason: "lost", by: client.root)
    let lock = try #require(try await account("mina")?.block)
    #expect(try await setActive(false, id).status == .ok)
    let inactive = try #require(try await account("mina")?.block)
    #expect(inactive.until == nil && inactive.actor == "token idp")
    #expect(try await setActive(true, id).status == .ok)
    #expect(try await account("mina")?.block == lock)
    #expect(try await client.rows().last?.detail == #"{"lockedUntil":\#(lock.until ?? 0)}"#)
  }

  @Test func `a lock that ends while its account is inactive does not stand again`() async throws {
    let id = try await client.add("mina")
    try await AccountStateAdministration(client.environment).lock("mina", seconds: 60, reason: "lost", by: client.root)
    _ = try await setActive(false, id)
    client.server.advance(seconds: 60)
    #expect(try await account("mina")?.block?.actor == "token idp")
    _ = try await setActive(true, id)
    #expect(try await account("mina")?.block == nil)
  }

  @Test func `an administrator who enables an inactive account ends the lock beneath as well`() async throws {
    let id = try await client.add("mina")
    let states = AccountStateAdministration(client.environment)
    try await states.lock("mina", seconds: 3600, reason: "lost", by: client.root)
    _ = try await setActive(false, id)
    try await states.enable("mina", by: client.root)
    _ = try await setActive(false, id)
    _ = try await setActive(true, id)
    #expect(try await account("mina")?.block == nil)
  }

  @Test func `an account that a directory has disabled is not enabled, and the refusal names the directory`()
    async throws
  {
    let id = try await client.add("mina")
    try await client.server.store.write { records in
      let block = AccountBlock(since: 1, until: nil, reason: "not in the directory", actor: "directory corp")
      _ = try records.accounts.setBlock(block, of: "mina")
    }
    let refused = try await setActive(true, id)
    #expect(refused.status == .forbidden && refused.json.text("detail")?.contains("directory corp") == true)
    #expect(try await account("mina")?.block?.actor == "directory corp")
  }

  @Test(arguments: ["disabled", "locked", "locked and inactive"])
  func `an account that somebody else has blocked is not deleted, so its name does not come back without the block`(
    state: String
  ) async throws {
    let id = try await client.add("mina")
    let states = AccountStateAdministration(client.environment)
    if state == "disabled" {
      try await states.disable("mina", reason: "stolen", by: client.root)
    } else {
      try await states.lock("mina", seconds: 60, reason: "stolen", by: client.root)
    }
    if state == "locked and inactive" { _ = try await setActive(false, id) }
    #expect(try await client.ask(.DELETE, "/Users/\(id)").status == .forbidden)
    let again = try await client.ask(.POST, "/Users", #"{\#(SCIMClient.userSchema),"userName":"mina"}"#)
    #expect(again.status == .conflict)
    if state == "locked and inactive" { _ = try await setActive(true, id) }
    #expect(try await account("mina")?.block?.reason == "stolen")
    if state == "disabled" { return }
    client.server.advance(seconds: 60)
    #expect(try await client.ask(.DELETE, "/Users/\(id)").status == .noContent)
  }

  @Test func `privileged people and administrators cannot be changed, disabled, deleted or made`() async throws {
    try await client.server.store.write { records in
      try records.accounts.add(["boss", "vip"], now: 1)
      try records.administrators.set(
        StoredAdministrator(name: "boss", role: "operator", addedBy: "test", addedAt: 1))
      try records.administrators.set(
        StoredAdministrator(name: "later", role: "operator", addedBy: "test", addedAt: 1))
    }
    for name in ["boss", "vip"] {
      let found = try await client.ask(.GET, "/Users?filter=userName+eq+%22\(name)%22")
      let id = try #require(found.json.objects("Resources").first?.text("id"))
      let answers = [
        try await client.patch("/Users/\(id)", #"{"op":"replace","path":"active","value":false}"#),
        try await client.patch("/Users/\(id)", #"{"op":"add","path":"displayName","value":"x"}"#),
        try await client.ask(.DELETE, "/Users/\(id)"),
        try await client.ask(
          .POST, "/Groups", #"{\#(SCIMClient.groupSchema),"displayName":"G","members":[{"value":"\#(id)"}]}"#),
      ]
      #expect(answers.allSatisfy { $0.status == .forbidden })
      // An identity provider sends everything again and again: what changes nothing is not refused.
      let same = try await client.ask(
        .PUT, "/Users/\(id)", #"{\#(SCIMClient.userSchema),"userName":"\#(name)","active":true}"#)
      #expect(same.status == .ok)
    }
    let made = try await client.ask(.POST, "/Users", #"{\#(SCIMClient.userSchema),"userName":"later"}"#)
    #expect(made.status == .forbidden)
    #expect(try await client.rows().isEmpty)
  }

  @Test func `a change is refused if the user has changed since their version was read`() async throws {
    let id = try await client.add("mina")
    let read = try await client.ask(.GET, "/Users/\(id)")
    let tag = try #require(read.header("ETag"))
    #expect(try await client.ask(.GET, "/Users/\(id)", headers: ["If-None-Match": tag]).status == .notModified)
    let operation = #"{"op":"replace","path":"displayName","value":"Mina"}"#
    let changed = try await client.patch("/Users/\(id)", operation, headers: ["If-Match": tag])
    #expect(changed.status == .ok && changed.header("ETag") != tag)
    let body = #"{\#(SCIMClient.userSchema),"userName":"mina"}"#
    let refused = [
      try await client.patch("/Users/\(id)", operation, headers: ["If-Match": tag]),
      try await client.ask(.PUT, "/Users/\(id)", body, headers: ["If-Match": tag]),
      try await client.ask(.DELETE, "/Users/\(id)", headers: ["If-Match": tag]),
    ]
    #expect(refused.allSatisfy { $0.status == .preconditionFailed })
    #expect(try await account("mina")?.profile.displayName == "Mina")
    #expect(try await client.ask(.GET, "/Users/\(id)", headers: ["If-None-Match": tag]).status == .ok)
    #expect(try await client.ask(.DELETE, "/Users/\(id)", headers: ["If-Match": "*"]).status == .noContent)
  }

  @Test(
    arguments: [
      (#"{"op":"add","path":"displayName","value":"Mina"}"#, "Mina", "a@x"),
      (#"{"op":"Add","value":{"displayName":"Mina"}}"#, "Mina", "a@x"),
      (#"{"op":"remove","path":"displayName"}"#, nil, "a@x"),
      (#"{"op":"replace","path":"displayName","value":null}"#, nil, "a@x"),
      (#"{"op":"replace","path":"emails[type eq \"work\"].value","value":"b@x"}"#, "M", "b@x"),
      (#"{"op":"Replace","value":{"emails[type eq \"work\"].value":"b@x","name.givenName":"x"}}"#, "M", "b@x"),
      (#"{"op":"replace","path":"emails","value":[{"value":"b@x"}]}"#, "M", "b@x"),
      (#"{"op":"remove","path":"emails[value eq \"A@x\"]"}"#, "M", nil),
      (#"{"op":"remove","path":"emails"}"#, "M", nil),
      (#"{"op":"replace","path":"title","value":"Dr"}"#, "M", "a@x"),
    ] as [(String, String?, String?)])
  func `a PATCH changes what it names, in each of the forms that identity providers send`(
    operation: String, name: String?, mail: String?
  ) async throws {
    let id = try await client.add("mina", #","displayName":"M","emails":[{"value":"a@x"}]"#)
    let answer = try await client.patch("/Users/\(id)", operation)
    #expect(answer.status == .ok, "\(answer.json.text("detail") ?? "")")
    let profile = try #require(try await account("mina")?.profile)
    #expect(profile.displayName == name && profile.mail == mail)
  }

  @Test func `nobody gets an external ID of a directory, which would hand the account to its sync`() async throws {
    let id = try await client.add("mina", #","externalId":"corp-1""#)
    let stolen = [
      try await client.patch("/Users/\(id)", #"{"op":"replace","path":"externalId","value":"ldap:corp:1"}"#),
      // White space at the ends is removed before a text is stored.
      try await client.patch("/Users/\(id)", #"{"op":"replace","path":"externalId","value":" ldap:corp:1"}"#),
      try await client.ask(
        .POST, "/Users", #"{\#(SCIMClient.userSchema),"userName":"jun","externalId":"ldap:corp:2"}"#),
    ]
    #expect(stolen.allSatisfy { $0.status == .badRequest && $0.scimType == "invalidValue" })
    #expect(try await account("mina")?.profile.externalID == "corp-1")
    #expect(try await account("jun") == nil)
  }

  private func addOfDirectory() async throws -> String {
    let id = try await client.add("mina")
    try await client.server.store.write { [now = client.server.now] in
      try $0.profiles.set(["mina": AccountProfile(displayName: "M", externalID: "ldap:corp:1")], now: now)
    }
    return id
  }

  @Test(arguments: ["", #","externalId":null"#, #","externalId":"""#, #","externalId":"ldap:corp:1""#])
  func `a PUT that names no external ID leaves an account with its directory`(further: String) async throws {
    let id = try await addOfDirectory()
    let body = #"{\#(SCIMClient.userSchema),"userName":"mina","displayName":"Mina"\#(further)}"#
    #expect(try await client.ask(.PUT, "/Users/\(id)", body).status == .ok)
    #expect(try await account("mina")?.profile == AccountProfile(displayName: "Mina", externalID: "ldap:corp:1"))
  }

  @Test func `an account is not taken away from its directory, by another external ID or by its deletion`()
    async throws
  {
    let id = try await addOfDirectory()
    let refused = [
      try await client.ask(
        .PUT, "/Users/\(id)", #"{\#(SCIMClient.userSchema),"userName":"mina","externalId":"7"}"#),
      try await client.patch("/Users/\(id)", #"{"op":"replace","path":"externalId","value":"7"}"#),
      try await client.patch("/Users/\(id)", #"{"op":"remove","path":"externalId"}"#),
      try await client.patch("/Users/\(id)", #"{"op":"replace","value":{"externalId":null}}"#),
    ]
    #expect(refused.allSatisfy { $0.status == .badRequest && $0.scimType == "mutability" })
    #expect(refused.allSatisfy { $0.json.text("detail")?.contains("ldap:corp:1") == true })
    #expect(try await client.ask(.DELETE, "/Users/\(id)").status == .forbidden)
    #expect(try await account("mina")?.profile.externalID == "ldap:corp:1")
    #expect(try await setActive(false, id).status == .ok)
  }

  @Test func `a PATCH sets the department by its whole name, and under the name of the extension`() async throws {
    let id = try await client.add("mina")
    for (text, operation) in [
      ("A", #"{"op":"Add","path":"\#(SCIMClient.enterprise):department","value":"A"}"#),
      ("B", #"{"op":"replace","path":"\#(SCIMClient.enterprise)","value":{"department":"B","manager":{"value":"1"}}}"#),
      ("C", #"{"op":"replace","value":{"\#(SCIMClient.enterprise)":{"department":"C"}}}"#),
      ("D", #"{"op":"replace","value":{"\#(SCIMClient.enterprise):department":"D"}}"#),
      (nil, #"{"op":"remove","path":"\#(SCIMClient.enterprise)"}"#),
    ] as [(String?, String)] {
      #expect(try await client.patch("/Users/\(id)", operation).status == .ok)
      #expect(try await account("mina")?.profile.department == text)
    }
  }

  @Test(arguments: [
    (#"{"op":"replace","path":"userName","value":"jun"}"#, "mutability"),
    (#"{"op":"remove","path":"userName"}"#, "mutability"), (#"{"op":"replace","path":"id","value":"1"}"#, "mutability"),
    (#"{"op":"add","path":"groups","value":[{"value":"1"}]}"#, "mutability"),
    (#"{"op":"replace","path":"nothing","value":1}"#, "invalidPath"),
    (#"{"op":"replace","value":{"nothing":1}}"#, "invalidValue"),
    (#"{"op":"replace","value":{"\#(SCIMClient.enterprise)":{"nothing":1}}}"#, "invalidValue"),
    (#"{"op":"replace","value":{"displayName[":1}}"#, "invalidValue"),
    (#"{"op":"replace","path":"\#(SCIMClient.enterprise):nothing","value":1}"#, "invalidPath"),
    (#"{"op":"replace","path":"urn:x:y:displayName","value":"a"}"#, "invalidPath"),
    (#"{"op":"replace","path":"displayName[a eq 1]","value":"a"}"#, "invalidPath"),
    (#"{"op":"replace","path":"displayName.x","value":"a"}"#, "invalidPath"),
    (#"{"op":"remove","path":"emails[type eq \"work\"]"}"#, "noTarget"),
    (#"{"op":"add","path":"emails[type eq \"home\"].value","value":"b@x"}"#, "noTarget"),
    (#"{"op":"remove"}"#, "noTarget"), (#"{"op":"replace","path":"active","value":"no"}"#, "invalidValue"),
    (#"{"op":"remove","path":"active"}"#, "invalidValue"), (#"{"op":"add","path":"displayName"}"#, "invalidValue"),
    (#"{"op":"replace","path":"displayName","value":7}"#, "invalidValue"),
    (#"{"op":"replace","path":"displayName","value":"\u202e"}"#, "invalidValue"),
    (#"{"op":"replace","path":"emails","value":"a@x"}"#, "invalidValue"),
    (#"{"op":"replace","path":"emails","value":[{"value":"a"}]}"#, "invalidValue"),
    (#"{"op":"move","path":"displayName","value":"a"}"#, "invalidSyntax"),
    (#"{"op":"add","path":"displayName","value":"a","from":"b"}"#, "invalidSyntax"), ("7", "invalidSyntax"),
  ])
  func `a PATCH is refused by name, and none of its operations is kept`(operation: String, kind: String) async throws {
    let id = try await client.add("mina")
    let answer = try await client.patch(
      "/Users/\(id)", #"{"op":"add","path":"displayName","value":"M"}"#, operation)
    #expect(answer.status == .badRequest && answer.scimType == kind)
    #expect(answer.json.texts("schemas") == ["urn:ietf:params:scim:api:messages:2.0:Error"])
    #expect(answer.json.text("status") == "400")
    #expect(try await account("mina")?.profile == AccountProfile())
    #expect(try await client.rows().count == 1)
  }

  @Test(arguments: [
    (#""userName":"mi na""#, "invalidValue"), (#""userName":"민아""#, "invalidValue"),
    (#""userName":"""#, "invalidValue"),
    (#""displayName":"x""#, "invalidValue"), (#""userName":7"#, "invalidValue"),
    (#""userName":"a","nothing":1"#, "invalidSyntax"), (#""userName":"a","username":"b""#, "invalidSyntax"),
    (#""userName":"a","urn:x:y":{}"#, "invalidSyntax"), (#""userName":"a","emails.value":"a@x""#, "invalidSyntax"),
    (#""userName":"a","active":1"#, "invalidValue"), (#""userName":"a","externalId":["7"]"#, "invalidValue"),
    (#""userName":"a","\#(SCIMClient.enterprise)":"x""#, "invalidValue"),
    (#""userName":"a","\#(SCIMClient.enterprise)":{"nothing":1}"#, "invalidSyntax"),
  ])
  func `a new user is refused by the name of what is wrong`(members: String, kind: String) async throws {
    let answer = try await client.ask(.POST, "/Users", "{\(SCIMClient.userSchema),\(members)}")
    #expect(answer.status == .badRequest && answer.scimType == kind)
    #expect(try await client.rows().isEmpty)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"schemas":[],"userName":"a"}"#, #"{"schemas":["urn:x"],"userName":"a"}"#,
    #"{"schemas":"urn:ietf:params:scim:schemas:core:2.0:User","userName":"a"}"#,
    #"{\#(SCIMClient.userSchema),"userName":"a""#, #"{\#(SCIMClient.userSchema),"userName":"a"}}"#,
  ])
  func `a body that is not one user of the schema is refused as invalidSyntax`(body: String) async throws {
    let answer = try await client.ask(.POST, "/Users", body)
    #expect(answer.status == .badRequest && answer.scimType == "invalidSyntax")
  }

  @Test(arguments: [
    (HTTPMethod.POST, "/Users", #"\#(SCIMClient.userSchema),"userName":"a","username":"b""#, "username"),
    (.POST, "/Users", #"\#(SCIMClient.userSchema),"userName":"a","emails":[{"value":"a@x","Value":"b@x"}]"#, "Value"),
    (
      .POST, "/Users",
      #"\#(SCIMClient.userSchema),"userName":"a","\#(SCIMClient.enterprise)":{"department":"A","DEPARTMENT":"B"}"#,
      "DEPARTMENT"
    ),
    (.POST, "/Users", #"\#(SCIMClient.userSchema),"userName":"a","name":{"x":[[{"y":1,"Y":2}]]}"#, "Y"),
    (.POST, "/Groups", #"\#(SCIMClient.groupSchema),"displayName":"G","members":[{"value":"1","vaLue":"2"}]"#, "vaLue"),
    (
      .PATCH, "/Users/ID",
      #""schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"add","Op":"remove","path":"title"}]"#,
      "Op"
    ),
    (
      .POST, "/Users/.search",
      #""schemas":["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],"filter":"userName pr","Filter":"id pr""#,
      "Filter"
    ),
  ])
  func `names of members that differ only in case are refused at any depth, and named`(
    method: HTTPMethod, path: String, members: String, name: String
  ) async throws {
    let id = try await client.add("mina")
    let answer = try await client.ask(method, path.replacing("ID", with: id), "{\(members)}")
    #expect(answer.status == .badRequest && answer.scimType == "invalidSyntax")
    #expect(answer.json.text("detail")?.contains(" \(name) ") == true)
    #expect(try await client.rows().count == 1)
  }

  @Test func `what a search does not know is named`() async throws {
    let schema = #""schemas":["urn:ietf:params:scim:api:messages:2.0:SearchRequest"]"#
    for answer in [
      try await client.ask(.GET, "/Users?sortby=x"), try await client.ask(.GET, "/Users?count=1&sortby=x"),
      try await client.ask(.POST, "/Users/.search", #"{\#(schema),"sortby2":"x"}"#),
    ] {
      #expect(answer.status == .badRequest && answer.json.text("detail")?.contains("sortby") == true)
    }
  }

  @Test func `a search is refused that asks for too many attributes`() async throws {
    let names = (0..<65).map { "a\($0)" }
    let few = names.dropLast()
    let schema = #""schemas":["urn:ietf:params:scim:api:messages:2.0:SearchRequest"]"#
    for name in ["attributes", "excludedAttributes"] {
      #expect(try await client.ask(.GET, "/Users?\(name)=\(few.joined(separator: ","))").status == .ok)
      let refused = [
        try await client.ask(.GET, "/Users?\(name)=\(names.joined(separator: ","))"),
        try await client.ask(
          .POST, "/Users/.search", #"{\#(schema),"\#(name)":["\#(names.joined(separator: "\",\""))"]}"#),
      ]
      #expect(refused.allSatisfy { $0.scimType == "invalidValue" })
      #expect(refused.allSatisfy { $0.json.text("detail")?.contains("\(name) ") == true })
    }
  }

  @Test func `attributes are shown by their short names, by their whole ones, and in part`() async throws {
    let id = try await client.add(
      "mina", #","displayName":"M","emails":[{"value":"a@x"}],"\#(SCIMClient.enterprise)":{"department":"Labs"}"#)
    func shown(_ query: String) async throws -> JSONObject { try await client.ask(.GET, "/Users/\(id)?\(query)").json }
    let core = "urn:ietf:params:scim:schemas:core:2.0:User"
    let whole = try await shown("attributes=\(core):displayName,EMAILS.value")
    #expect(whole.members.map(\.name) == ["schemas", "id", "displayName", "emails"])
    #expect(whole["emails"] == .array([.object(["value": .string("a@x")])]))
    let department = try await shown("attributes=\(SCIMClient.enterprise):department")
    #expect(department.members.map(\.name) == ["schemas", "id", SCIMClient.enterprise])
    let rest = try await shown("excludedAttributes=emails.type,meta,\(SCIMClient.enterprise),id")
    #expect(rest.members.map(\.name) == ["schemas", "id", "userName", "displayName", "active", "emails"])
    #expect(rest["emails"] == .array([.object(["value": .string("a@x")])]))
  }

  @Test func `a name or an external ID that is taken is refused as not unique`() async throws {
    _ = try await client.add("mina", #","externalId":"7""#)
    for members in [#""userName":"mina""#, #""userName":"jun","externalId":"7""#] {
      let answer = try await client.ask(.POST, "/Users", "{\(SCIMClient.userSchema),\(members)}")
      #expect(answer.status == .conflict && answer.scimType == "uniqueness")
    }
    #expect(try await account("jun") == nil)
  }

  @Test func `an id never belongs to an account that was added later`() async throws {
    let first = try await client.add("mina")
    _ = try await client.ask(.DELETE, "/Users/\(first)")
    #expect(try await client.add("jun") != first)
    client.server.advance(seconds: 1)
    #expect(try await client.add("mina") != first)
    #expect(try await client.ask(.GET, "/Users/\(first)").status == .notFound)
    for id in ["1", "1-", "01-000000000000", "-1-0", "1-0-0", "9223372036854775808-0"] {
      #expect(try await client.ask(.GET, "/Users/\(id)").status == .notFound)
    }
  }

  @Test func `users are searched, and shown in pages and in part`() async throws {
    for name in ["a1", "a2", "b1"] { _ = try await client.add(name, #","displayName":"\#(name.uppercased())""#) }
    #expect(try await client.names("/Users", #"userName eq "a2""#) == ["a2"])
    #expect(try await client.names("/Users", #"userName eq "A2""#) == [])
    #expect(try await client.names("/Users", #"displayName sw "a""#) == ["a1", "a2"])
    #expect(try await client.names("/Users", #"userName sw "a" and not (displayName eq "A1")"#) == ["a2"])
    let page = try await client.ask(.GET, "/Users?startIndex=2&count=1&attributes=userName")
    #expect(page.json["totalResults"] == .integer(3) && page.json["itemsPerPage"] == .integer(1))
    let shown = try #require(page.json.objects("Resources").first)
    #expect(shown.members.map(\.name) == ["schemas", "id", "userName"] && shown.text("userName") == "a2")
    let counted = try await client.ask(.GET, "/Users?count=0&startIndex=-4")
    #expect(counted.json["totalResults"] == .integer(3) && counted.json["Resources"] == .array([]))
    let body =
      #"{"schemas":["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],"filter":"userName eq \"b1\"","#
      + #""excludedAttributes":["meta","displayName"]}"#
    let found = try await client.ask(.POST, "/Users/.search", body).json.objects("Resources")
    #expect(found.map { $0.members.map(\.name) } == [["schemas", "id", "userName", "active"]])
  }

  @Test(arguments: [
    ("filter=userName", "invalidFilter"), ("filter=title+eq+%22x%22", "invalidFilter"),
    ("filter=emails.nothing+pr", "invalidFilter"), ("count=x", "invalidValue"), ("startIndex=1.5", "invalidValue"),
    ("nothing=1", "invalidValue"), ("attributes=id&excludedAttributes=meta", "invalidValue"),
    ("filter=%ff", "invalidValue"), ("count=1&count=2", "invalidValue"),
  ])
  func `a search is refused by the name of what is wrong`(query: String, kind: String) async throws {
    let answer = try await client.ask(.GET, "/Users?\(query)")
    #expect(answer.status == .badRequest && answer.scimType == kind)
  }
}
