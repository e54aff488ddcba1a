/// What each connection is set to, and what its server must be.
struct ConnectionCheck {
  private let row: QueryRow

  /// Sets a connection up, and asks what its server is like.
  ///
  /// - Throws: ``PostgreSQLError``; ``PostgreSQLRefusal/pooler``.
  init(_ connection: Connection) throws {
    try Self.requireNoPooler(connection)
    try connection.enqueue(Self.settings)
    guard let row = try connection.execute(Self.question).first else { throw PostgreSQLError.unreadable }
    self.row = row
  }

  /// Refuses a connection that PostgreSQL's own process does not end.
  ///
  /// A pooler may send each transaction to another process, where `synchronous_commit` is as its role and database say. One that
  /// gives a process to a connection for good cannot be told from one that does not. The question has no name: a statement
  /// that is prepared under one may be there already, or not be there when it is used.
  private static func requireNoPooler(_ connection: Connection) throws {
    let told = try connection.executeOnce("SELECT pg_backend_pid()").first?.integer(0, as: CInt.self)
    guard told == connection.processID else { throw PostgreSQLRefusal.pooler }
  }

  /// Refuses a server that could not keep what it was given.
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
  /// A primary that nobody leads any more, because its Patroni ended, is like that: its standbys have gone to the new one.
  ///
  /// - Throws: ``PostgreSQLError/unreachable(message:)``.
  func requireStandby() throws {
    guard try !row.boolean(7) else {
      throw PostgreSQLError.unreachable(message: "a primary whose synchronous standby is not connected")
    }
  }

  // A timeout must never cancel a commit. A transaction that this program forgot must not keep others waiting.
  private static let settings = """
    SELECT set_config('synchronous_commit', 'on', false), set_config('search_path', 'uaf', false),
      set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
      set_config('idle_in_transaction_session_timeout', '10s', false),
      CASE WHEN current_setting('server_version_num')::int >= 170000
        THEN set_config('transaction_timeout', '0', false) END
    """

  // Without pg_read_all_stats the state of a standby is NULL; that one is connected can be seen all the same.
  private static let question = """
    SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
      pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool,
      current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
      current_setting('synchronous_standby_names'),
      current_setting('synchronous_standby_names') <> ''
        AND NOT EXISTS (SELECT FROM pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum'))
    """
}
