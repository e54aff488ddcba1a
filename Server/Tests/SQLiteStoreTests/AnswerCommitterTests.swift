import Dispatch
import GRDB
import Testing
import UAFMessages

@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFService

/// How the responses of several callers become commits.
struct AnswerCommitterTests {
  @Test func `responses that wait for the writer are committed together, at most 64 in one transaction`() async throws {
    let database = try SQLiteTestDatabase()
    let (store, server) = (database.sqlite, try TestServer(database: database))
    var answers: [VerifiedResponse] = []
    for number in 0..<100 {
      let (name, authenticator) = ("person\(number)", try await server.registered("person\(number)"))
      let request = try await server.authenticationRequest(name)
      guard case .authentication(let response) = try authenticator.authenticate(request, counter: 1) else {
        throw TestServer.Unexpected()
      }
      answers.append(try await VerifiedResponse.made(of: response, to: request, by: name, at: server))
    }
    let commits = CommitCounter()
    try await store.database.writeWithoutTransaction { $0.add(transactionObserver: commits, extent: .databaseLifetime) }
    let writer = AnswerCommitter(store.database)
    let isFree = DispatchSemaphore(value: 0)
    // Blocks the writer until all responses wait for it.
    store.database.asyncWriteWithoutTransaction { _ in isFree.wait() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for answer in answers { group.addTask { try await writer.store(answer) } }
      while writer.waitingCount < answers.count { await Task.yield() }
      isFree.signal()
      try await group.waitForAll()
    }
    try await store.database.write { _ in }
    // Two commits for the responses, and the empty one above. One more may have removed expired rows, as happens once a second.
    #expect((2...4).contains(commits.count))
  }
}
