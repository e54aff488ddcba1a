import Testing

@testable import ServerTesting
@testable import UAFService

/// What a search for a text finds, on each store.
@Suite(.onEachStore) struct PeopleSearchTests {
  private let server: TestServer

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2)) }

  private func add(_ profiles: [(String, AccountProfile)]) async throws {
    try await server.store.write { records in
      try records.accounts.add(profiles.map(\.0), now: 1)
      try records.profiles.set(Dictionary(uniqueKeysWithValues: profiles), now: 1)
    }
  }

  private func page(
    _ text: String, after: SearchPlace? = nil, limit: Int = 50, most: Int = 1000,
    _ change: (inout AccountQuery) -> Void = { _ in }
  ) async throws -> (names: [String], next: SearchPlace?) {
    var query = AccountQuery(limit: limit)
    change(&query)
    let sought = try #require(SearchText(text))
    let found = try await server.store.read { [query] in
      try $0.profiles.search(sought, query, after: after, lookingAt: most, now: 5)
    }
    return (found.accounts.map(\.username), found.next)
  }

  private func found(_ text: String) async throws -> [String] { try await page(text).names }

  private func addFour() async throws {
    try await add([
      ("mina", AccountProfile(displayName: "김미나", mail: "Mina.Kim@Example.org", department: "연구소")),
      ("jun", AccountProfile(displayName: "이 준", mail: "jun@example.org", department: "Sales_100%")),
      ("rene", AccountProfile(displayName: "René Straße", department: "Sales")), ("zoe", AccountProfile()),
    ])
  }

  @Test(arguments: [
    ("mina", ["mina"]), ("미나", ["mina"]), ("김", ["mina"]), ("나", ["mina"]), ("김미나", ["mina"]), ("이 준", ["jun"]),
    ("준", ["jun"]), ("연구", ["mina"]), ("소", ["mina"]), ("EXAMPLE.ORG", ["mina", "jun"]), ("@", ["mina", "jun"]),
    ("sales", ["jun", "rene"]), ("e", ["mina", "jun", "rene", "zoe"]), ("zo", ["zoe"]), ("RENE", ["rene"]),
    ("STRASSE", ["rene"]), ("rene\u{301} stra", ["rene"]), ("RENÉ", ["rene"]), ("0%", ["jun"]), ("s_1", ["jun"]),
  ])
  func `a search finds a part of a name, a display name, an address or a department, in any case and form`(
    text: String, names: [String]
  ) async throws {
    try await addFour()
    #expect(try await found(text) == names)
  }

  @Test(arguments: [
    "나김", "m%a", "m_na", "%", "_ales", "이준", "minajun", "org연", "a\u{0}", "example.org 이", "xyz", "q", "길동",
  ])
  func `a search finds nobody whose texts do not contain its text, and no character stands for others`(text: String)
    async throws
  {
    try await addFour()
    // `%` and `_` are in a department, and found there alone.
    #expect(try await found(text) == (text == "%" ? ["jun"] : []))
  }

  @Test func `a search no longer finds what was changed, cleared or removed, in the same commit`() async throws {
    try await addFour()
    try await server.store.write { records in
      try records.profiles.set(["mina": AccountProfile(displayName: "박미라"), "jun": AccountProfile()], now: 2)
      _ = try records.accounts.remove("rene")
    }
    for text in ["김미나", "mina.kim", "연구", "sales", "rené", "이 준"] { #expect(try await found(text) == [], "\(text)") }
    #expect(try await found("미라") == ["mina"])
    try await add([("rene", AccountProfile())])
    #expect(try await found("straße") == [])
  }

  @Test func `a change that is rolled back leaves the index of the search as it was`() async throws {
    try await addFour()
    await #expect(throws: ServiceRefusal.self) {
      try await server.store.write { records in
        try records.profiles.set(["mina": AccountProfile(displayName: "박미라")], now: 2)
        throw ServiceRefusal.accountDisabled
      }
    }
    #expect(try await found("미나") == ["mina"])
    #expect(try await found("미라") == [])
  }

  @Test func `the pages of a search have every account once, even if others are added or removed in between`()
    async throws
  {
    try await add((0..<9).map { ("p\($0)", AccountProfile(department: $0 % 2 == 0 ? "Laboratory" : "Sales")) })
    let first = try await page("laboratory", limit: 2)
    #expect(first.names == ["p0", "p2"] && first.next != nil)
    try await server.store.write { records in
      _ = try records.accounts.remove("p0")
      try records.profiles.set(["p1": AccountProfile(department: "Laboratory")], now: 2)
    }
    let second = try await page("laboratory", after: first.next, limit: 2)
    #expect(second.names == ["p4", "p6"] && second.next != nil)
    let third = try await page("laboratory", after: second.next, limit: 2)
    #expect(third.names == ["p8"] && third.next == nil)
  }

  /// All pages of a search, one after the other.
  private func pages(
    _ text: String, limit: Int, most: Int = 1000, between: () async throws -> Void = {}
  ) async throws -> [[String]] {
    var (pages, after) = ([[String]](), SearchPlace?.none)
    repeat {
      let page = try await page(text, after: after, limit: limit, most: most)
      (pages, after) = (pages + [page.names], page.next)
      try await between()
    } while after != nil && pages.count < 50
    return pages
  }

  private func addKims() async throws {
    try await add([
      ("zoe", AccountProfile(displayName: "Kim Zoe")), ("minsu.kim", AccountProfile()),
      ("kimberley", AccountProfile()),
      ("kim2", AccountProfile()), ("jo", AccountProfile(mail: "jo@kim.example.org")),
      ("kim", AccountProfile()),
      ("Kim", AccountProfile()), ("Kimono", AccountProfile()), ("lee", AccountProfile()),
    ])
  }

  @Test(arguments: [
    ("kim", ["kim", "kim2", "kimberley", "zoe", "minsu.kim", "jo", "Kim", "Kimono"]),
    ("Kim", ["Kim", "Kimono", "kim", "kim2", "kimberley", "zoe", "minsu.kim", "jo"]),
    (" kim2 ", ["kim2"]), ("kimb", ["kimberley"]), ("KIM2", ["kim2"]), ("이", []),
  ])
  func `the login name that is the text leads, then those that begin with it, then the others as they were added`(
    text: String, names: [String]
  ) async throws {
    try await addKims()
    #expect(try await found(text) == names)
    for limit in 1...4 {
      #expect(try await pages(text, limit: limit).flatMap(\.self) == names, "\(limit)")
    }
  }

  @Test func `an account is on one page of a search, whatever is added before the page in between`() async throws {
    try await addKims()
    var number = 0
    let names = try await pages("kim", limit: 2) {
      number += 1
      try await add([("kim1\(number)", AccountProfile())])
    }.flatMap(\.self)
    #expect(Set(names).count == names.count)
    let before = ["kim", "kim2", "kimberley", "zoe", "minsu.kim", "jo", "Kim", "Kimono"]
    #expect(names.filter(before.contains) == before)
  }

  @Test func `the names that lead a search meet its other conditions too`() async throws {
    try await addKims()
    try await server.store.write { records in
      let block = AccountBlock(since: 1, until: nil, reason: "left", actor: "test")
      for name in ["kim", "jo"] { _ = try records.accounts.setBlock(block, of: name) }
      try records.profiles.set(
        [
          "kim2": AccountProfile(groups: ["Team"]),
          "zoe": AccountProfile(displayName: "Kim Zoe", groups: ["Team"]),
        ],
        now: 2)
    }
    let team = try await server.store.read { try $0.personGroups.group(named: "team") }
    #expect(try await page("kim") { $0.state = .disabled }.names == ["kim", "jo"])
    #expect(try await page("kim") { $0.memberOf = team?.id }.names == ["kim2", "zoe"])
    #expect(try await page("kim") { $0.prefix = "kimb" }.names == ["kimberley"])
    #expect(try await page("kimber") { $0.prefix = "ki" }.names == ["kimberley"])
    #expect(try await page("kim") { $0.prefix = "m" }.names == ["minsu.kim"])
    #expect(try await page("kim") { $0.names = ["kimberley", "jo"] }.names == ["kimberley", "jo"])
  }

  @Test func `a search by last use looks at few of the names that lead, and has each once`() async throws {
    try await addKims()
    var (names, after, pages) = ([String](), SearchPlace?.none, 0)
    repeat {
      let page = try await page("kim", after: after, most: 2) { $0.idleSince = 3 }
      (names, after, pages) = (names + page.names, page.next, pages + 1)
    } while after != nil && pages < 50
    #expect(
      names == ["kim", "kim2", "kimberley", "zoe", "minsu.kim", "jo", "Kim", "Kimono"] && pages > 4)
  }

  @Test(arguments: [
    "mina", "-1", "", "name:", "name:a b", "name:김", "name:\u{7F}", "9223372036854775808", "1.5",
    " 1",
  ])
  func `refuses to read anything but the end of a page as a place in a search`(text: String) {
    #expect(SearchPlace(text: text) == nil)
  }

  @Test(arguments: [
    SearchPlace.name("kim"), .name("name:kim"), .name("7"), .number(0), .number(.max),
  ])
  func `a place in a search is read as it was written`(place: SearchPlace) {
    #expect(SearchPlace(text: place.text) == place)
  }

  @Test
  func `a page looks at no more suggestions than it may, and says where the next page begins`()
    async throws
  {
    // Both have all pairs of the text, and only the last one has the text.
    try await add(
      (0..<5).map { ("p\($0)", AccountProfile(displayName: "bcab")) } + [
        ("last", AccountProfile(mail: "abc"))
      ])
    var (names, after, pages) = ([String](), SearchPlace?.some(.number(0)), 0)
    while let start = after {
      let page = try await page("abc", after: start, most: 2)
      (names, after, pages) = (names + page.names, page.next, pages + 1)
    }
    #expect(names == ["last"] && pages >= 3)
  }

  @Test func `a search finds accounts beyond the first 255, and in a later block`() async throws {
    try await add((0..<600).map { ("p\($0)", AccountProfile(displayName: "이름\($0)")) })
    #expect(try await page("이름599").names == ["p599"])
    #expect(try await page("이름", limit: 200).names.count == 200)
    // The number of the next account is in the third block.
    let column = StoreEngine.current == .sqlite ? ("rowid", "") : ("number", " OVERRIDING SYSTEM VALUE")
    try await server.database.execute(
      "INSERT INTO account (\(column.0), username, createdAt)\(column.1) VALUES (9000, 'far', 1)")
    try await server.store.write { try $0.profiles.set(["far": AccountProfile(displayName: "이름600")], now: 1) }
    #expect(try await page("이름600").names == ["far"])
    #expect(try await page("름", after: .number(600)).names == ["far"])
  }

  @Test func `a search also meets the other conditions`() async throws {
    try await addFour()
    try await server.store.write { records in
      _ = try records.accounts.setBlock(AccountBlock(since: 1, until: nil, reason: "left", actor: "test"), of: "jun")
      try records.profiles.set(["zoe": AccountProfile(department: "Sales", groups: ["Team"])], now: 2)
    }
    let team = try await server.store.read { try $0.personGroups.group(named: "TEAM") }
    #expect(try await page("sales") { $0.state = .disabled }.names == ["jun"])
    #expect(try await page("sales") { $0.prefix = "r" }.names == ["rene"])
    #expect(try await page("sales") { $0.memberOf = team?.id }.names == ["zoe"])
    #expect(try await page("sales") { $0.names = ["rene", "mina"] }.names == ["rene"])
  }

  @Test func `an index that is made again is the same as the one that changed with the accounts`() async throws {
    try await addFour()
    try await server.store.write { records in
      try records.profiles.set(["mina": AccountProfile(displayName: "박미라")], now: 2)
      _ = try records.accounts.remove("rene")
    }
    let query =
      "SELECT gram || ' ' || block || ' ' || \(StoreEngine.current == .sqlite ? "hex(members)" : "encode(members, 'hex')") FROM accountGram ORDER BY gram, block"
    let changed = try await server.database.texts(query)
    try await server.store.write { try $0.contents.continueNumbers() }
    #expect(try await server.database.texts(query) == changed)
    #expect(changed.count > 30)
  }
}
