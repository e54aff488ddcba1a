import Dispatch
import Foundation
import Synchronization

/// The threads of a ``ConnectionPool``.
///
/// The threads have a reference to this object and not to the pool. So the pool can be released when nobody uses it any longer,
/// and the threads end.
final class ConnectionWorkers: Sendable {
  /// Work that gets a connection, or the reason for which there is none.
  ///
  /// It is called again as long as it returns true, for more work.
  typealias Work = @Sendable (Result<Connection, any Error>) -> Bool

  /// How long work may wait for a free connection.
  private static let longestWait = Duration.seconds(3)
  /// How long the server is assumed to be down after an attempt to reach it has failed.
  private static let pause = Duration.milliseconds(500)
  /// How long the server is assumed to be down while one thread tries to reach it.
  private static let longestTry = Duration.seconds(30)

  private struct Waiting {
    let work: Work
    let since: ContinuousClock.Instant
  }

  private struct State {
    var waiting: [Waiting] = []
    var threads = 0
    /// The number of threads that wait for work.
    var idle = 0
    /// The number of threads that have a connection.
    var connected = 0
    var isClosed = false
    /// A count that grows when a connection is lost during work: the other connections may lead to the same server, which may
    /// be down.
    var losses = 0
    /// Until when the server is assumed to be down, and the error that has shown it.
    var away: (until: ContinuousClock.Instant, error: any Error)?

    /// The error because of which the server is assumed to be down now; nil if it is not.
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
  /// Its count is the number of waiting pieces of work.
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

  /// Has a thread do some work; if the server is assumed to be down, the work fails immediately.
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

  /// Lets the threads end after they have done the waiting work.
  func close() {
    let threads = state.withLock { state in
      state.isClosed = true
      return state.threads
    }
    for _ in 0..<threads { signal.signal() }
  }

  /// The loop of one thread.
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

  /// Does work on this thread until there is no more: waking a second thread costs more than a small piece of work.
  ///
  /// - Returns: whether there is more work, for which the connection must be checked first.
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

  /// Waits for work; nil if there will be no more.
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

  /// Makes a connection, unless the server is assumed to be down.
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

  /// Gives work back to the threads that have a connection, so that this thread can end.
  ///
  /// - Returns: false if no other thread has a connection.
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

/// A pool of connections, each with a thread of its own, so that no thread of Swift's concurrency waits for the database.
///
/// A connection is made when work arrives and all others are in use. While the server is down, work fails immediately, and one
/// thread tries to connect every half second.
final class ConnectionPool: Sendable {
  /// If a connection is lost within this time, it is assumed that the server had closed it earlier, while it was idle.
  static let soon = Duration.seconds(1)

  private let workers: ConnectionWorkers

  /// Makes a pool.
  ///
  /// - Parameters:
  ///   - size: the most connections.
  ///   - deadline: how long work may take, once it has a connection.
  ///   - now: a monotonic clock.
  ///   - makeConnection: makes a connection, and sets it up for use.
  init(
    size: Int, deadline: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
    makeConnection: @escaping @Sendable () throws -> Connection
  ) {
    workers = ConnectionWorkers(size: size, deadline: deadline, now: now, makeConnection: makeConnection)
  }

  deinit { workers.close() }

  /// Has one of the threads do some work, again and again as long as the work returns true.
  func submit(_ work: @escaping ConnectionWorkers.Work) { workers.submit(work) }

  /// Runs a body on one of the threads, and returns its result.
  func run<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { caller in
      submit { connection in
        caller.resume(with: Result { try body(connection.get()) })
        return false
      }
    }
  }
}

/// Sets up a connection, and checks the requirements for its server.
struct ConnectionCheck {
  private let row: QueryRow

  /// Sets a connection up, and reads the server's settings.
  ///
  /// - Throws: ``PostgreSQLError``; ``PostgreSQLRefusal/pooler``.
  init(_ connection: Connection) throws {
    try Self.requireNoPooler(connection)
    try connection.enqueue(Self.settings)
    guard let row = try connection.execute(Self.question).first else { throw PostgreSQLError.unreadable }
    self.row = row
  }

  /// Refuses a connection that leads to a pooler.
  ///
  /// A pooler may send each transaction to a different server process, in which `synchronous_commit` has the value that is set
  /// for role and database. A pooler that keeps one process for each connection cannot be recognised. The query is not prepared
  /// under a name: behind a pooler, the name may exist already, or be missing when it is used.
  private static func requireNoPooler(_ connection: Connection) throws {
    let told = try connection.executeOnce("SELECT pg_backend_pid()").first?.integer(0, as: CInt.self)
    guard told == connection.processID else { throw PostgreSQLRefusal.pooler }
  }

  /// Refuses a server that could lose committed data.
  ///
  /// - Throws: ``PostgreSQLRefusal``.
  func requireDurability() throws {
    let version = try row.integer(0, as: Int.self)
    guard version >= 130_000 else { throw PostgreSQLRefusal.tooOld(version: version) }
    guard try row.text(1) == "UTF8" else { throw PostgreSQLRefusal.otherEncoding }
    guard try !row.boolean(2) else { throw PostgreSQLRefusal.readOnly }
    guard try row.text(3) == "on" else { throw PostgreSQLRefusal.notDurable(setting: "synchronous_commit") }
    guard try row.text(4) == "on" else { throw PostgreSQLRefusal.notDurable(setting: "fsync") }
    guard try row.text(5) == "on" else { throw PostgreSQLRefusal.notDurable(setting: "full_page_writes") }
  }

  /// Whether commits wait for a standby.
  var hasSynchronousStandby: Bool {
    get throws { try !row.text(6).isEmpty }
  }

  /// Refuses a server that must wait for a standby with each commit while no standby is connected: commits would never end.
  ///
  /// An old primary is in this state if its Patroni has died: its standbys follow the new primary.
  ///
  /// - Throws: ``PostgreSQLError/unreachable(message:)``.
  func requireStandby() throws {
    guard try !row.boolean(7) else {
      throw PostgreSQLError.unreachable(message: "a primary whose synchronous standby is not connected")
    }
  }

  // `idle_in_transaction_session_timeout` ends a transaction that this program has left open, so that it does not make others
  // wait. The other timeouts are 0 because none must ever cancel a commit.
  private static let settings = """
    SELECT set_config('synchronous_commit', 'on', false), set_config('search_path', 'uaf', false),
      set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
      set_config('idle_in_transaction_session_timeout', '10s', false),
      CASE WHEN current_setting('server_version_num')::int >= 170000
        THEN set_config('transaction_timeout', '0', false) END
    """

  // Without the role pg_read_all_stats, the state of a standby is NULL, but it is visible that one is connected.
  private static let question = """
    SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
      pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool,
      current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
      current_setting('synchronous_standby_names'),
      current_setting('synchronous_standby_names') <> ''
        AND NOT EXISTS (SELECT FROM pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum'))
    """
}
