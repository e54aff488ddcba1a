import Dispatch
import Foundation
import Synchronization

/// The threads of a ``ConnectionPool``.
///
/// They hold this object and not the pool, so that they end when nobody uses the pool any longer.
final class ConnectionWorkers: Sendable {
  /// Work with a connection, or with the reason why there is none; returns whether there is more work, and is then called
  /// again.
  typealias Work = @Sendable (Result<Connection, any Error>) -> Bool

  /// How long work waits for a free connection.
  private static let longestWait = Duration.seconds(3)
  /// How long the server is assumed to be away after a failure to reach it.
  private static let pause = Duration.milliseconds(500)
  /// How long it is assumed to be away while one thread tries.
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
    /// Increases when a connection was lost during work: the others may lead to the same server, which is gone.
    var losses = 0
    /// Until when the server is assumed to be away, and why.
    var away: (until: ContinuousClock.Instant, error: any Error)?

    /// Why the server cannot be used now.
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
  /// Counts the waiting work.
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

  /// Has a thread do some work; fails it immediately if the server is away.
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

  /// Lets the threads end, after the waiting work.
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

  /// Does work with a connection until there is no more, and stays on this thread all the time: to wake a second thread costs
  /// more than a small piece of work.
  ///
  /// - Returns: whether there is more work, which needs a connection that was checked again.
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

  /// Leaves work to the threads that have a connection, and ends this thread.
  ///
  /// - Returns: false if no other thread has one.
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

/// Connections, each with a thread of its own, so that none of Swift's threads waits for the database.
///
/// A connection is made when work comes and all others are in use. While the server is away, work fails immediately, and every
/// half second one thread tries to connect.
final class ConnectionPool: Sendable {
  /// A connection that is lost within this time was lost before the work: the server had ended it while it was idle.
  static let soon = Duration.seconds(1)

  private let workers: ConnectionWorkers

  /// Makes a pool.
  ///
  /// - Parameters:
  ///   - size: the maximum number of connections.
  ///   - deadline: how long work may take, once it has a connection.
  ///   - now: a clock that runs while the machine runs.
  ///   - makeConnection: makes a connection that can be used.
  init(
    size: Int, deadline: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
    makeConnection: @escaping @Sendable () throws -> Connection
  ) {
    workers = ConnectionWorkers(size: size, deadline: deadline, now: now, makeConnection: makeConnection)
  }

  deinit { workers.close() }

  /// Has one of the threads do some work, as often as the work says that there is more.
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

/// The settings of each connection, and the requirements for its server.
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

  /// Refuses a connection behind a pooler.
  ///
  /// A pooler may send each transaction to a different process, where `synchronous_commit` has the value of its role and
  /// database. A pooler that gives a process to a connection for good cannot be recognised. The query has no name: a statement
  /// that is prepared under a name may be there already, or be missing when it is used.
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

  /// Refuses a server whose commits wait for a standby while none is connected: they would never end.
  ///
  /// A primary that nobody manages any longer, because its Patroni ended, is in this state: its standbys follow the new one.
  ///
  /// - Throws: ``PostgreSQLError/unreachable(message:)``.
  func requireStandby() throws {
    guard try !row.boolean(7) else {
      throw PostgreSQLError.unreachable(message: "a primary whose synchronous standby is not connected")
    }
  }

  // A timeout must never cancel a commit. A transaction that this program forgot must not make others wait.
  private static let settings = """
    SELECT set_config('synchronous_commit', 'on', false), set_config('search_path', 'uaf', false),
      set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
      set_config('idle_in_transaction_session_timeout', '10s', false),
      CASE WHEN current_setting('server_version_num')::int >= 170000
        THEN set_config('transaction_timeout', '0', false) END
    """

  // Without pg_read_all_stats the state of a standby is NULL; it is still visible that one is connected.
  private static let question = """
    SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
      pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool,
      current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
      current_setting('synchronous_standby_names'),
      current_setting('synchronous_standby_names') <> ''
        AND NOT EXISTS (SELECT FROM pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum'))
    """
}
