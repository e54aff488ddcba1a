import Foundation
import GRDB
import Testing
import UAFMessages

@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFService

/// Answers that are stored together.
final class AnswerWriterTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "uaf-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private var path: String { folder.appending(path: "server.db").path() }

  /// Answers by as many people as there are, not yet sent.
  private func answers(_ count: Int, at server: TestServer) async throws -> [UAFResponse] {
    var answers: [UAFResponse] = []
    for number in 0..<count {
      let authenticator = try await server.registered("person\(number)")
      answers.append(try await authenticator.authenticate(server.authenticationRequest("person\(number)"), counter: 5))
    }
    return answers
  }

  /// Sends all answers at once; returns how many had each outcome.
  private func send(_ answers: [UAFResponse], to server: TestServer) async throws -> [ServiceRefusal?: Int] {
    try await withThrowingTaskGroup(of: ServiceRefusal?.self) { group in
      for answer in answers { group.addTask { try await server.respond(answer).0 } }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
  }

  @Test func `stores every counter of a hundred answers that come at once`() async throws {
    let server = try TestServer(store: SQLiteStore(path: path))
    #expect(try await send(answers(100, at: server), to: server) == [nil: 100])
    let reopened = try SQLiteStore(path: path)
    let counters = try await reopened.database.read { try Int.fetchAll($0, sql: "SELECT signCounter FROM credential") }
    #expect(counters == [Int](repeating: 5, count: 100))
  }

  @Test func `refuses one answer of a batch alone, and stores nothing of it`() async throws {
    let server = try TestServer(store: SQLiteStore(path: path))
    let answers = try await answers(20, at: server)
    // Revoked after the answers were made; the store finds it at the latest.
    _ = try await server.database.write { db in try CredentialStore(db: db).revokeAll(of: "person7", now: 1) }
    #expect(try await send(answers, to: server) == [nil: 19, .revokedKey: 1])
    let used = try await server.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM usedChallenge") }
    #expect(used == 19)
  }

  @Test func `refuses an answer whose key is revoked between its verification and its commit`() async throws {
    let store = try SQLiteStore(path: path)
    let server = try TestServer(store: store)
    let authenticator = try await server.registered("alice")
    let outcomes = try await [1, 2].asyncOutcomes { counter in
      let request = try await server.authenticationRequest("alice")
      guard case .authentication(let response) = try authenticator.authenticate(request, counter: counter) else {
        throw TestServer.Unexpected()
      }
      let verified = try await server.verified(response, of: "alice", request)
      if counter == 2 {
        _ = try await server.database.write { db in try CredentialStore(db: db).revokeAll(of: "alice", now: 1) }
      }
      return try await store.store(verified)
    }
    #expect(outcomes == [.stored, .counterNotIncreased])
    let used = try await server.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM usedChallenge") }
    #expect(used == 1)
  }

  @Test func `refuses the same challenge a second time, whoever answers it`() async throws {
    let store = try SQLiteStore(path: path)
    let server = try TestServer(store: store)
    let authenticator = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let outcomes = try await [1, 2].asyncOutcomes { counter in
      guard case .authentication(let response) = try authenticator.authenticate(request, counter: counter) else {
        throw TestServer.Unexpected()
      }
      return try await store.store(server.verified(response, of: "alice", request))
    }
    #expect(outcomes == [.stored, .challengeUsed])
    let counter = try await server.database.read { try Int.fetchOne($0, sql: "SELECT signCounter FROM credential") }
    #expect(counter == 1)
  }

  @Test func `an answer that the database refuses fails alone, and the others of its batch are stored`() async throws {
    let server = try TestServer(store: SQLiteStore(path: path))
    let answers = try await answers(30, at: server)
    try await server.database.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER fault BEFORE UPDATE OF signCounter ON credential WHEN NEW.username = 'person3'
          BEGIN SELECT RAISE(FAIL, 'planted'); END
          """)
    }
    let results = await withTaskGroup(of: Bool?.self) { group in
      for answer in answers {
        group.addTask { do { return try await server.respond(answer).0 == nil } catch { return nil } }
      }
      return await group.reduce(into: [Bool?: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(results == [true: 29, nil: 1])
  }

  @Test func `commits answers that wait for the writer together, at most 64 of them`() async throws {
    let store = try SQLiteStore(path: path)
    let server = try TestServer(store: store)
    var answers: [VerifiedAnswer] = []
    for number in 0..<100 {
      let (name, authenticator) = ("person\(number)", try await server.registered("person\(number)"))
      let request = try await server.authenticationRequest(name)
      guard case .authentication(let response) = try authenticator.authenticate(request, counter: 1) else {
        throw TestServer.Unexpected()
      }
      answers.append(try await server.verified(response, of: name, request))
    }
    let commits = CommitCounter()
    try await store.database.writeWithoutTransaction { $0.add(transactionObserver: commits, extent: .databaseLifetime) }
    let writer = AnswerWriter(store.database)
    let isFree = DispatchSemaphore(value: 0)
    // Nothing is written before all of them wait.
    store.database.asyncWriteWithoutTransaction { _ in isFree.wait() }
    let outcomes = try await withThrowingTaskGroup(of: AnswerOutcome.self) { group in
      for answer in answers { group.addTask { try await writer.store(answer) } }
      while writer.waitingCount < answers.count { await Task.yield() }
      isFree.signal()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes == [AnswerOutcome](repeating: .stored, count: 100))
    try await store.database.write { _ in }
    // Two for the answers. One more, in the first second, forgets what has expired; the last is the empty one above.
    #expect((2...4).contains(commits.count))
  }
}

extension [Int] {
  fileprivate func asyncOutcomes(
    _ body: (UInt32) async throws -> AnswerOutcome
  ) async throws -> [AnswerOutcome] {
    var outcomes: [AnswerOutcome] = []
    for counter in self { outcomes.append(try await body(UInt32(counter))) }
    return outcomes
  }
}
