import Testing

@testable import ServerTesting
@testable import UAFService

/// How each engine keeps join codes and the machines that have joined.
@Suite(.onEachStore) struct JoinStoreTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func machine(
    _ id: String, code: Int64 = 1, name: String? = nil, group: String = "lab", at time: Int64 = 10
  ) -> JoinedMachine {
    JoinedMachine(codeNumber: code, id: id, name: name, model: nil, system: nil, group: group, joinedAt: time)
  }

  private func keep(_ machines: [JoinedMachine]) async throws {
    try await server.store.write { records in
      for machine in machines { try records.joinedMachines.keep(machine, machineID: Self.number(machine)) }
    }
  }

  /// A number that differs for each machine and each code with which it joined.
  private static func number(_ machine: JoinedMachine) -> [UInt8] {
    [UInt8(truncatingIfNeeded: machine.codeNumber)] + Array(machine.id.utf8)
  }

  private func changes(after number: Int64 = 0, limit: Int = 99) async throws -> [MachineChange] {
    try await server.store.read { try $0.joinedMachines.changes(after: number, limit: limit) }
  }

  private func codes() async throws -> [JoinCode] {
    try await server.store.read { try $0.joinCodes.page(before: nil, limit: 9) }
  }

  @Test func `a join code is found only by its text, which the store does not contain`() async throws {
    let code = try await server.joinCode(machines: 3, lifetime: 60)
    let found = try await server.store.read { records in
      (try records.joinCodes.code(code), try records.joinCodes.code(code + "A"), try records.joinCodes.code(""))
    }
    let expected = JoinCode(
      number: 1, group: "lab", machines: 3, used: 0, issuedBy: "test", issuedAt: server.now,
      expiresAt: server.now + 60, isClosed: false)
    #expect(found.0 == expected && found.1 == nil && found.2 == nil)
    let hash = server.database.literal(try OneTimeCode.hash(code))
    #expect(try await server.database.integers("SELECT count(*) FROM joinCode WHERE codeHash = \(hash)") == [1])
  }

  @Test func `a closed join code is not found, is listed as closed, and is closed once`() async throws {
    let code = try await server.joinCode()
    try await server.joinCode("other")
    #expect(try await server.store.write { try $0.joinCodes.close(1) })
    #expect(try await server.store.write { try $0.joinCodes.close(1) } == false)
    #expect(try await server.store.write { try $0.joinCodes.close(9) } == false)
    #expect(try await server.store.read { try $0.joinCodes.code(code) } == nil)
    #expect(try await codes().map(\.isClosed) == [false, true])
    #expect(try await server.database.integers("SELECT count(*) FROM joinCode WHERE codeHash IS NULL") == [1])
  }

  @Test func `all join codes are closed together`() async throws {
    let all = [try await server.joinCode(), try await server.joinCode()]
    try await server.store.write { try $0.joinCodes.closeAll() }
    for code in all { #expect(try await server.store.read { try $0.joinCodes.code(code) } == nil) }
  }

  @Test(
    arguments: [
      (0, 9, false, JoinCode.State.open), (1, 9, false, .open), (2, 9, false, .usedUp), (2, 10, false, .expired),
      (0, 10, false, .expired), (0, 0, true, .closed), (2, 10, true, .closed),
    ] as [(Int, Int64, Bool, JoinCode.State)])
  func `a join code is open until it is used up, has expired or is closed`(
    used: Int, now: Int64, isClosed: Bool, state: JoinCode.State
  ) {
    let code = JoinCode(
      number: 1, group: "lab", machines: 2, used: used, issuedBy: "test", issuedAt: 0, expiresAt: 10,
      isClosed: isClosed)
    #expect(code.state(at: now) == state)
  }

  @Test func `a machine that joins with one code several times is counted once, and its latest description is kept`()
    async throws
  {
    try await server.joinCode(machines: 9)
    try await keep([machine("d1", name: "old"), machine("d2"), machine("d1", name: "new", group: "other", at: 20)])
    let kept = try await server.store.read { try $0.joinedMachines.machine("d1", code: 1) }
    #expect(kept == machine("d1", name: "new", group: "lab", at: 20))
    #expect(try await codes().map(\.used) == [2])
    #expect(try await server.store.read { try $0.joinedMachines.machine("d1", code: 2) } == nil)
    #expect(try await server.store.read { try $0.joinedMachines.machine("d3") } == nil)
  }

  @Test func `pages of machines are in the byte order of their ids, each with the code that it used last`() async throws
  {
    for _ in 0..<2 { try await server.joinCode(machines: 9) }
    let ids = ["b", "a", "Z", "é", "e\u{301}"]
    try await keep(ids.map { machine($0) } + [machine("a", code: 2, group: "office")])
    var found: [JoinedMachine] = []
    while true {
      let page = try await server.store.read { [after = found.last?.id ?? ""] in
        try $0.joinedMachines.page(after: after, limit: 2)
      }
      if page.isEmpty { break }
      found += page
    }
    #expect(found.map { Array($0.id.utf8) } == ["Z", "a", "b", "e\u{301}", "é"].map { Array($0.utf8) })
    #expect(found[1].group == "office" && found[1].codeNumber == 2)
  }

  @Test func `refuses to store a machine as joined with a code that does not exist`() async throws {
    await #expect(throws: (any Error).self) { try await keep([machine("d1", code: 7)]) }
    #expect(try await server.store.read { try $0.joinedMachines.machine("d1") } == nil)
  }

  @Test func `each change of a joined machine has a higher number, and only the last change for each code is reported`()
    async throws
  {
    for _ in 0..<2 { try await server.joinCode(machines: 9) }
    let places = [machine("d1"), machine("d2"), machine("d1", code: 2)]
    try await keep(places)
    // The store counts a machine under one code at a time: d1 has left the first code by joining with the second.
    #expect(try await changes().map(\.machine.departedAt) == [10])
    let left = try await server.store.write {
      try $0.joinedMachines.markLeft(machineID: Self.number(places[1]), now: 30)
    }
    #expect(left?.leftAt == 30 && left?.id == "d2")
    try await server.store.write { try $0.joinedMachines.revoke("d1", now: 31) }
    let first = try await changes()
    #expect(first.map(\.machine.id) == ["d2", "d1", "d1"] && Set(first.map(\.number)).count == 3)
    #expect(first.map(\.machine.departedAt) == [30, 10, 31])
    try await keep([machine("d2", at: 40)])
    let last = try #require(first.last?.number)
    #expect(try await changes(after: last).map(\.machine) == [machine("d2", at: 40)])
    #expect(try await changes(limit: 1).map(\.machine.id) == ["d1"])
    try await keep([machine("d2", at: 50)])
    #expect(try await changes(after: last).count == 1)
    let newest = try #require(try await changes().last?.number)
    #expect(try await changes(after: newest).isEmpty)
  }

  @Test func `a machine that has left or was revoked cannot leave again, and an unknown machine cannot leave at all`()
    async throws
  {
    try await server.joinCode(machines: 9)
    let places = [machine("d1"), machine("d2")]
    try await keep(places)
    try await server.store.write { records in
      _ = try records.joinedMachines.markLeft(machineID: Self.number(places[0]), now: 30)
      try records.joinedMachines.revoke("d2", now: 30)
    }
    for number in places.map(Self.number) + [[], [9, 9]] {
      #expect(try await server.store.write { try $0.joinedMachines.markLeft(machineID: number, now: 31) } == nil)
    }
  }
}
