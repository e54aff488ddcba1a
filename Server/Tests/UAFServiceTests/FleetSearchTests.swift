import Testing

@testable import ServerTesting
@testable import UAFService

/// Searches for machines and their orders, on each store.
@Suite(.onEachStore) struct FleetSearchTests {
  private static let now: Int64 = 10_000_000

  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
  }

  /// Five machines: `dev-a` to `dev-c` have joined, and `dev-c` has left; `dev-d` has only keys; `dev-e` has a key and has
  /// joined.
  private func addFleet() async throws {
    for name in ["mina", "jun"] { _ = try await server.registered(name, deviceID: "dev-d") }
    _ = try await server.registered("zoe", deviceID: "dev-e")
    try await server.joinCode("lab", machines: 9)
    let now = Self.now
    try await server.store.write { records in
      let machines: [(id: String, name: String, group: String, version: String, at: Int64)] = [
        ("dev-a", "Zebra", "lab", "1.10", now - 5),
        ("dev-b", "alpha", "lab", "1.9", now - FleetMachine.silentAfter - 1),
        ("dev-c", "beta 100%", "office", "1.9", now - 7), ("dev-e", "echo", "office", "", 0),
      ]
      for machine in machines {
        let number = Array(machine.id.utf8)
        try records.joinedMachines.keep(
          JoinedMachine(
            codeNumber: 1, id: machine.id, name: machine.name, model: "ThinkPad", system: "Debian",
            group: machine.group, joinedAt: 1), machineID: number)
        guard machine.at > 0 else { continue }
        try records.joinedMachines.note(
          MachineContact(
            at: machine.at, module: machine.version, policy: nil, locks: ReportedLocks(),
            copySeenAt: nil, mark: nil,
            offlineNumber: nil), TestServer.report(next: 1, module: machine.version),
          machineID: number)
      }
      _ = try records.joinedMachines.markLeft(machineID: Array("dev-c".utf8), now: now)
    }
  }

  private func search(_ change: (inout MachineQuery) -> Void = { _ in }) async throws -> FleetSearch {
    var query = MachineQuery(limit: 50)
    change(&query)
    return try await server.store.read { [query] in try $0.machines.search(query, now: Self.now) }
  }

  /// The last letters of the found machines' IDs.
  private func ids(_ change: (inout MachineQuery) -> Void) async throws -> String {
    Self.letters(try await search(change))
  }

  private static func letters(_ found: FleetSearch) -> String {
    found.machines.map { $0.id.suffix(1) }.joined()
  }

  @Test(
    arguments: [
      (.id, "abcde"), (.name, "debca"), (.group, "dabce"), (.accounts, "abced"), (.keys, "abced"),
      (.lastReport, "debca"), (.version, "deabc"),
    ] as [(MachineQuery.Order, String)])
  func `machines are sorted over the whole list, and by their IDs where they are equal`(
    order: MachineQuery.Order, sorted: String
  ) async throws {
    try await addFleet()
    #expect(try await ids { $0.order = order } == sorted)
    // The pages together are the list, in both directions.
    for isDescending in [false, true] {
      let whole = try await ids {
        $0.order = order
        $0.isDescending = isDescending
      }
      var (found, after) = ("", MachinePlace?.none)
      repeat {
        let page = try await search {
          ($0.order, $0.isDescending, $0.after, $0.limit) = (order, isDescending, after, 2)
        }
        #expect(page.total == 5 && !page.isPart)
        found += Self.letters(page)
        after = page.next.flatMap { MachinePlace(text: $0.text, in: order) }
        #expect((after == nil) == (page.next == nil))
      } while after != nil && found.count < 9
      #expect(found == whole && Set(found).count == 5)
    }
    #expect(try await ids { ($0.order, $0.isDescending) = (.id, true) } == "edcba")
  }

  @Test func `a machine that was used later comes later in the order of the last use`() async throws {
    try await addFleet()
    try await server.database.execute("UPDATE credential SET lastUsedAt = 7 WHERE username = 'jun'")
    try await server.database.execute("UPDATE credential SET lastUsedAt = 9 WHERE username = 'zoe'")
    #expect(try await ids { $0.order = .lastUsed } == "abcde")
    try await server.database.execute(
      "UPDATE credential SET lastUsedAt = 10 WHERE username = 'mina'")
    #expect(try await ids { $0.order = .lastUsed } == "abced")
  }

  @Test(arguments: [
    ("ZEBRA", "a"), ("thinkpad", "abc"), ("office", "ce"), ("1.9", "bc"), ("100%", "c"), ("_", ""),
    ("%", "c"),
    ("nobody", ""), ("DEV-D", "d"), ("dev-", "abcde"), ("echo", ""),
  ])
  func `a search finds a part of any text of a machine, and no character stands for others`(
    words: String, found: String
  ) async throws {
    try await addFleet()
    let result = try await search { $0.words = words }
    #expect(Self.letters(result) == found)
    #expect(result.total == found.count && result.next == nil)
  }

  @Test(
    arguments: [
      (.reporting, "a"), (.silent, "b"), (.neverReported, "e"), (.notJoined, "d"), (.departed, "c"),
    ] as [(FleetMachine.Standing, String)])
  func `a search by standing finds the machines that have it`(
    standing: FleetMachine.Standing, found: String
  ) async throws {
    try await addFleet()
    let machines = try await search { $0.standing = standing }.machines
    #expect(machines.map { $0.id.suffix(1) }.joined() == found)
    #expect(machines.allSatisfy { $0.standing(at: Self.now) == standing })
  }

  @Test func `machines are counted, but no further than was asked`() async throws {
    #expect(try await server.store.read { try $0.machines.count(atMost: 9) } == 0)
    try await addFleet()
    #expect(try await server.store.read { try $0.machines.count(atMost: 9) } == 5)
    #expect(try await server.store.read { try $0.machines.count(atMost: 3) } == 3)
  }

  @Test func `a found machine has its keys and its join record, as its own page has them`() async throws {
    try await addFleet()
    let found = try await search { $0.order = .accounts }.machines
    for machine in found {
      let own = try await server.store.read { records in
        let joined = try records.joinedMachines.machine(machine.id)
        return try records.machines.machine(machine.id)?.with(joined)
          ?? joined.map(FleetMachine.init)
      }
      #expect(machine == own)
    }
    #expect(found.last?.people == 2 && found.first?.joined?.group == "lab")
  }

  private func addManyMachines() async throws {
    try await server.store.write { try $0.accounts.add("mina", now: 1) }
    try await server.database.addMachines(FleetSearch.mostSorted + 5)
  }

  @Test func `of too many machines, an order leaves some out and says so`() async throws {
    try await addManyMachines()
    let sorted = try await search { $0.order = .name }
    #expect(sorted.isPart && sorted.total == nil && sorted.machines.count == 50 && !sorted.isCutShort)
  }

  @Test func `of too many machines, a search reads on until the page is full or every machine was looked at`()
    async throws
  {
    try await addManyMachines()
    let last = try await search { $0.words = "dev-10004" }
    #expect(Self.ids(last) == ["dev-10004"] && last.next == nil && !last.isCutShort && !last.isPart)
    // These machines are in all steps: the first pages are full, and the last one is not.
    var (names, after, pages) = ([String](), MachinePlace?.none, 0)
    repeat {
      let page = try await search { ($0.words, $0.limit, $0.after) = ("999", 4, after) }
      #expect(!page.isCutShort && page.total == nil && (page.next == nil || page.machines.count == 4))
      (names, after, pages) = (names + Self.ids(page), page.next, pages + 1)
    } while after != nil && pages < 9
    #expect(names.count == 19 && Set(names).count == 19 && pages == 5 && names == names.sorted())
    let nothing = try await search { $0.words = "nothing" }
    #expect(nothing == FleetSearch(machines: [], next: nil, total: nil, isPart: false))
  }

  @Test func `a search that has looked at enough machines says so, and the next page goes on where it stopped`()
    async throws
  {
    try await addManyMachines()
    func page(_ after: MachinePlace?) async throws -> FleetSearch {
      try await search { ($0.words, $0.mostLookedAt, $0.after) = ("dev-0900", 6000, after) }
    }
    let first = try await page(nil)
    #expect(first.machines.isEmpty && first.isCutShort && first.next?.id == "dev-05999")
    let second = try await page(first.next)
    #expect(Self.ids(second).count == 10 && !second.isCutShort && second.next == nil)
    // The place is one that the API and the console write.
    #expect(try #require(first.next).text == "dev-05999")
  }

  private static func ids(_ found: FleetSearch) -> [String] { found.machines.map(\.id) }

  @Test(arguments: [
    ("", MachineQuery.Order.name), ("a", .name), ("W10", .name), ("WyJuYW1lIiwiYSIsImIiXQ", .group),
    ("WyJrZXlzIiwiYSIsImIiXQ", .keys), ("WyJuYW1lIiw3LCJiIl0", .name), ("WyJuYW1lIiwiYSJd", .name),
    ("!", .keys),
  ])
  func `refuses to read anything but the end of a page in the same order as a place`(
    text: String, order: MachineQuery.Order
  ) {
    #expect(MachinePlace(text: text, in: order) == nil)
  }

  @Test func `a place is read as it was written`() {
    let places = [
      MachinePlace(order: .name, value: .text("김 \u{202E}\""), id: "d"),
      MachinePlace(order: .id, value: .text("d"), id: "d"),
      MachinePlace(order: .lastReport, value: .number(-1), id: ""),
    ]
    for place in places { #expect(MachinePlace(text: place.text, in: place.order) == place) }
  }
}
