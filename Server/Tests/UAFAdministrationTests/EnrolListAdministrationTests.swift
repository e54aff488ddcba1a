import Dispatch
import Synchronization
import Testing

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Codes for a list of people: either all are issued, or none.
@Suite(.onEachStore) struct EnrolListAdministrationTests {
  private let server: TestServer
  private let caller: Caller

  init() async throws {
    server = try TestServer()
    caller = try await server.signedIn("helga", .helpdesk)
  }

  private func people(_ count: Int) throws -> [PeopleList.Person] {
    try PeopleList(parsing: Array(("username\n" + (0..<count).map { "p\($0)\n" }.joined()).utf8)).people
  }

  private func openCodes() async throws -> Int {
    try await server.store.read { [now = server.now] in
      try $0.issuedCodes.page(before: nil, onlyOpen: true, limit: 1000, now: now).count
    }
  }

  /// An environment that fails at this random number; each code uses two.
  private func environment(failingAt last: Int, group: @escaping @Sendable (String) -> String? = { _ in nil })
    -> AdministrationEnvironment
  {
    let count = Mutex(0)
    return AdministrationEnvironment(
      store: server.store, group: group, now: server.environment.now,
      random: { [random = server.environment.random] size in
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number < last else { throw AdministrationRefusal.conflict(.previewUnderWay) }
        return try random(size)
      }, publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) },
      models: server.environment.models)
  }

  @Test func `if the codes of one part of a list cannot be issued, the codes of the parts before it are closed`()
    async throws
  {
    let codes = EnrolListAdministration(environment(failingAt: 1200))
    await #expect(throws: AdministrationRefusal.conflict(.previewUnderWay)) {
      try await codes.issueAll(try people(700), lifetime: 60, by: caller)
    }
    #expect(try await openCodes() == 0)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .enrolmentClosure), limit: 1000) }
    #expect(rows.count == 500)
  }

  @Test func `if nothing fails, all codes of a list are issued`() async throws {
    let codes = EnrolListAdministration(environment(failingAt: 2000))
    #expect(try await codes.issueAll(try people(501), lifetime: 60, by: caller).count == 501)
    #expect(try await openCodes() == 501)
  }

  @Test func `a login does not wait until the keys of all codes of a list are derived`() async throws {
    let (executor, course) = (OneThread(), Course())
    let random = server.environment.random
    let environment = AdministrationEnvironment(
      store: server.store, group: { _ in nil }, now: server.environment.now,
      random: { size in
        course.note(on: executor)
        return try random(size)
      }, publicURL: TestServer.publicURL, authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) }, models: server.environment.models)
    let people = try people(100)
    let made = try await Task(executorPreference: executor) { [caller] in
      try await EnrolListAdministration(environment).issue(
        people[...], lifetime: 60, reachesPrivileged: false, by: caller)
    }.value
    // Each code takes two random numbers.
    #expect(await course.takenBeforeLogin == 2 && made.count == 100)
  }

  @Test(arguments: [false, true])
  func `a list with a privileged account is refused, even if the account became privileged after the check`(
    reaches: Bool
  ) async throws {
    let codes = EnrolListAdministration(
      environment(failingAt: 1000) { $0 == "p1" ? AccountGroup.privileged : nil })
    #expect(try await codes.check(Array("username\np0\np1\n".utf8), by: caller).wrong.map(\.line) == [3])
    await #expect(throws: AdministrationRefusal.privileged(account: "p1")) {
      try await codes.issue(try people(2)[...], lifetime: 60, reachesPrivileged: reaches, by: caller)
    }
    #expect(try await openCodes() == 0)
  }

  @Test(arguments: [0, 604_801] as [Int64])
  func `codes for a list are refused if their lifetime is zero or more than a week`(lifetime: Int64)
    async throws
  {
    let codes = EnrolListAdministration(environment(failingAt: 1000))
    await #expect(throws: AdministrationRefusal.self) {
      try await codes.issue(try people(1)[...], lifetime: lifetime, reachesPrivileged: false, by: caller)
    }
  }

  @Test(arguments: [true, false])
  func `if the issuer of a list loses the role or the session, the issuing stops and leaves no code`(
    isRole: Bool
  ) async throws {
    let store = WaitingStore(server.store) { number, store in
      guard number == 2 else { return }
      let hash = caller.session ?? []
      try await store.write { records in
        if isRole {
          _ = try records.administrators.remove("helga")
        } else {
          try records.consoleSessions.remove(tokenHash: hash)
        }
      }
    }
    let environment = AdministrationEnvironment.of(server, store: store)
    await #expect(throws: AdministrationRefusal.notAllowed(.enrol)) {
      try await EnrolListAdministration(environment).issueAll(try people(700), lifetime: 60, by: caller)
    }
    #expect(try await openCodes() == 0)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .enrolmentClosure), limit: 1000) }
    #expect(rows.count == 250 && rows.allSatisfy { $0.event.actor == "server" })
  }
}

/// How many random numbers were taken, and how many of them before a login that begins with the first.
private final class Course: Sendable {
  private let taken = Mutex(0)
  private let login = Mutex<Task<Int, Never>?>(nil)

  func note(on executor: OneThread) {
    let number = taken.withLock { taken in
      taken += 1
      return taken
    }
    guard number == 1 else { return }
    login.withLock { $0 = Task(executorPreference: executor) { self.taken.withLock { $0 } } }
  }

  var takenBeforeLogin: Int? { get async { await login.withLock { $0 }?.value } }
}

/// Runs the parts of tasks one after the other, as a server with a single processor does.
private final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "one thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      // SAFETY: the closure holds the executor until the job has run.
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
