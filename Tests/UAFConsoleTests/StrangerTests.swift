import Synchronization
import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// What people without a session can make the server do.
@Suite(.onEachStore) struct StrangerTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  @Test func `a sign-in that waits is asked about without a transaction that writes`() async throws {
    let store = WriteCounter(server.store)
    let environment = server.administration
    let browser = ConsoleBrowser(
      server,
      administration: AdministrationEnvironment(
        store: store, group: environment.group, now: environment.now, random: environment.random,
        publicURL: environment.publicURL, authority: environment.authority, verdictKeys: environment.verdictKeys,
        enrolments: environment.enrolments,
        models: environment.models))
    let key = try await server.registered("alice")
    try await server.make("alice", .auditor)
    _ = await browser.post("/console/sign-in", "name=alice")
    #expect(await browser.post("/console/sign-in/continue", "").status == .ok)
    #expect(store.writes == 0)
    _ = try await server.confirm(browser.line("/console/sign-in"), with: key, counter: 1)
    #expect(await browser.post("/console/sign-in/continue", "").status == .seeOther)
    #expect(store.writes == 1)
  }

  @Test func `too many requests without a session are refused, and those of a session are answered`() async throws {
    let admits = Admits()
    let browser = ConsoleBrowser(server) { admits.value.withLock { $0 } }
    let key = try await server.registered("alice")
    try await server.make("alice", .auditor)
    _ = await browser.post("/console/sign-in", "name=alice")
    _ = try await server.confirm(browser.line("/console/sign-in"), with: key, counter: 1)
    admits.value.withLock { $0 = false }
    #expect(await browser.get("/console/sign-in").status == .tooManyRequests)
    #expect(await browser.get("/console").status == .tooManyRequests)
    #expect(await browser.post("/console/sign-in", "name=alice").status == .tooManyRequests)
    #expect(await browser.post("/console/people/add", "name=bob").status == .tooManyRequests)
    #expect(await browser.post("/console/sign-in/continue", "").status == .tooManyRequests)
    admits.value.withLock { $0 = true }
    #expect(await browser.post("/console/sign-in/continue", "").status == .seeOther)
    admits.value.withLock { $0 = false }
    #expect(await browser.get("/console/about").status == .ok)
  }

  private final class Admits: Sendable {
    let value = Mutex(true)
  }
}
