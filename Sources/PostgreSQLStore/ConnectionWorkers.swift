import Dispatch
import Foundation
import Synchronization

/// The threads of a ``ConnectionPool``.
///
/// They hold this object and not the pool, so that they end when the pool's last user is gone.
final class ConnectionWorkers: Sendable {
  /// Something to do with a connection, or why there is none; says whether there is more of it, and is then called again.
  typealias Work = @Sendable (Result<Connection, any Error>) -> Bool

  /// How long work waits for a connection that is free.
  private static let longestWait = Duration.seconds(3)
  /// How long the server is taken to be away after it could not be reached.
  private static let pause = Duration.milliseconds(500)
  /// How long it is taken to be away while one thread tries.
  private static let longestTry = Duration.seconds(30)

  private struct Waiting {
    let work: Work
    let since: ContinuousClock.Instant
  }

  private struct State {
    var waiting: [Waiting] = []
    var threads = 0
    /// Threads that wait for work.
    var idle = 0
    /// Threads that have a connection.
    var connected = 0
    var isClosed = false
    /// Rises when a connection was lost in the middle of work: the others may lead to the same server that is gone.
    var losses = 0
    /// Until when the server is taken to be away, and why.
    var away: (until: ContinuousClock.Instant, error: any Error)?

    /// Why the server cannot be asked now.
    func absence(_ now: ContinuousClock.Instant) -> (any Error)? {
      away.flatMap { now < $0.until ? $0.error : nil }
    }
  }

  private let size: Int
  /// How long work may take, once it has a connection.
  private let deadline: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let makeConnection: @Sendable () throws -> Connection
  private let state = Mutex(State())
  /// Counts what waits.
  private let signal = DispatchSemaphore(value: 0)

  init(
    size: Int, deadline: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
    makeConnection: @escaping @Sendable () throws -> Connection
  ) {
    self.size = size
    self.deadline = deadline
    self.now = now
    self.makeConnection = makeConnection
  }

  /// Has a thread do something; fails it at once if the server is away.
  func submit(_ work: @escaping Work) {
    let since = now()
    let (refusal, needsThread) = state.withLock { state -> ((any Error)?, Bool) in
      if state.isClosed { return (PostgreSQLError.closed, false) }
      let absence = state.absence(since)
      if let absence, state.connected == 0 { return (absence, false) }
      state.waiting.append(Waiting(work: work, since: since))
      guard state.waiting.count > state.idle, state.threads < size, absence == nil else { return (nil, false) }
      state.threads += 1
      return (nil, true)
    }
    if let refusal { return fail(work, refusal) }
    signal.signal()
    if needsThread { Thread.detachNewThread { [self] in serve() } }
  }

  /// Lets the threads end, after what waits.
  func close() {
    let threads = state.withLock { state in
      state.isClosed = true
      return state.threads
    }
    for _ in 0..<threads { signal.signal() }
  }

  /// One thread's life.
  private func serve() {
    var connection: Connection?
    var losses = 0
    while let waiting = next() {
      let lost = state.withLock { $0.losses }
      if let open = connection, lost != losses || !open.isStillThere() { drop(&connection) }
      losses = lost
      let open: Connection
      do {
        guard now() - waiting.since < Self.longestWait else { throw PostgreSQLError.busy }
        open = try connection ?? connected()
        connection = open
      } catch {
        if connection == nil, handBack(waiting) { return }
        fail(waiting.work, error)
        continue
      }
      let isMore = carryOut(waiting.work, open, losses: losses)
      if !open.isOpen {
        state.withLock { $0.losses += 1 }
        drop(&connection)
      }
      if isMore { submit(waiting.work) }
    }
    drop(&connection)
    state.withLock { $0.threads -= 1 }
  }

  /// Does work with a connection until there is no more of it, and stays on this thread meanwhile: to wake another costs more
  /// than a small piece of work.
  ///
  /// - Returns: whether there is more, which needs a connection that was looked at anew.
  private func carryOut(_ work: Work, _ connection: Connection, losses: Int) -> Bool {
    repeat {
      connection.setDeadline(now() + deadline)
      guard work(.success(connection)) else { return false }
    } while connection.isOpen && state.withLock { $0.losses == losses }
    return true
  }

  private func fail(_ work: Work, _ error: any Error) {
    while work(.failure(error)) {}
  }

  /// Waits for work; nil if there will be none.
  private func next() -> Waiting? {
    while true {
      state.withLock { $0.idle += 1 }
      signal.wait()
      let (waiting, isLast) = state.withLock { state in
        state.idle -= 1
        return state.waiting.isEmpty ? (nil, state.isClosed) : (state.waiting.removeFirst(), false)
      }
      if waiting != nil || isLast { return waiting }
    }
  }

  /// Makes a connection, unless the server is away.
  private func connected() throws -> Connection {
    let start = now()
    try state.withLock { state in
      if let error = state.absence(start) { throw error }
      if state.away != nil { state.away?.until = start + Self.longestTry }
    }
    do {
      let connection = try makeConnection()
      state.withLock { state in
        state.connected += 1
        state.away = nil
      }
      return connection
    } catch {
      let end = now()
      state.withLock { $0.away = (end + Self.pause, error) }
      throw error
    }
  }

  private func drop(_ connection: inout Connection?) {
    guard connection != nil else { return }
    connection = nil
    state.withLock { $0.connected -= 1 }
  }

  /// Leaves work to the threads that have a connection, and with it this thread's place.
  ///
  /// - Returns: false if there is no other.
  private func handBack(_ waiting: Waiting) -> Bool {
    let isHanded = state.withLock { state in
      guard state.connected > 0 else { return false }
      state.waiting.insert(waiting, at: 0)
      state.threads -= 1
      return true
    }
    if isHanded { signal.signal() }
    return isHanded
  }
}
