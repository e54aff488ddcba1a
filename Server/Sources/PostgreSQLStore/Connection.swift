import CLibPQ
import Glibc
import SQLStore

/// One connection to PostgreSQL, used by one thread.
///
/// It uses libpq's pipeline mode: a statement whose result nobody waits for is sent together with the next one. No call waits
/// longer than the deadline. After the deadline, the connection is closed. A commit is never cancelled, because PostgreSQL
/// reports a cancelled commit as a success.
@safe final class Connection {
  private let connection: OpaquePointer
  private let notices = Notices()
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The names of prepared statements, by their text.
  private var prepared: [String: String] = [:]
  private var statementCount = 0
  /// The statements that were sent and whose results were not read yet.
  private var sent: [Sent] = []
  /// When the current work must be done.
  private var deadline: ContinuousClock.Instant

  private enum Sent {
    case preparation(sql: String)
    case statement
    case end
  }

  /// Connects to one of the address's hosts, within the address's time limit for connecting.
  ///
  /// - Parameters:
  ///   - host: its index in the address.
  ///   - now: a monotonic clock.
  /// - Throws: ``PostgreSQLError/unreachable(message:)``; the error of reading the password.
  init(
    to address: PostgreSQLAddress, host: Int = 0, now: @escaping @Sendable () -> ContinuousClock.Instant
  ) throws {
    // SAFETY: the returned connection is ours, and ended in deinit. The notices live as long as this object.
    guard let connection = unsafe try address.connect(toHost: host) else {
      throw PostgreSQLError.unreachable(message: "no memory")
    }
    unsafe self.connection = connection
    self.now = now
    deadline = now()
    unsafe notices.listen(to: connection)
    // SAFETY: no statement runs on the connection.
    guard unsafe PQstatus(connection) == CONNECTION_OK, unsafe PQsetnonblocking(connection, 1) == 0,
      unsafe PQenterPipelineMode(connection) == 1
    else { throw PostgreSQLError.unreachable(message: message) }
  }

  /// Sets when the work that follows must be done.
  func setDeadline(_ deadline: ContinuousClock.Instant) { self.deadline = deadline }

  deinit {
    // SAFETY: the connection is ours, and this was the last use.
    unsafe PQfinish(connection)
  }

  /// Whether the connection can still be used, as far as this process knows.
  // SAFETY: PQstatus only reads.
  var isOpen: Bool { unsafe PQstatus(connection) == CONNECTION_OK && !isPastRepair }
  private var isPastRepair = false

  /// Whether the server has not closed the connection in the meantime.
  func isStillThere() -> Bool {
    guard isOpen else { return false }
    // SAFETY: the socket is the connection's.
    var descriptor = unsafe pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
    // Data that has arrived is the result of a statement that nobody waited for, or the server's last message before it closed
    // the connection.
    while unsafe poll(&descriptor, 1, 0) > 0 {
      guard unsafe PQconsumeInput(connection) == 1, isOpen else { return false }
    }
    return true
  }

  /// The process ID that the server reported when the connection began.
  ///
  /// A pooler reports a number of its own.
  // SAFETY: PQbackendPID only reads.
  var processID: CInt { unsafe PQbackendPID(connection) }

  /// Sends a statement along with the next one.
  ///
  /// - Parameter sql: the statement, with the parameters `$1`, `$2` and so on, or `?1`, `?2`; it must not contain a question
  ///   mark elsewhere.
  /// - Throws: ``PostgreSQLError/interrupted``.
  func enqueue(_ sql: String, _ parameters: [Parameter] = []) throws {
    guard isOpen else { throw PostgreSQLError.interrupted }
    let name = try prepared[sql] ?? prepare(sql, parameters)
    var isSent = false
    // SAFETY: there are as many pointers and numbers as parameters, and they live for the call, which copies.
    unsafe ParameterBlock(parameters).withPointers { pointers, lengths, formats in
      isSent =
        unsafe PQsendQueryPrepared(
          connection, name, CInt(clamping: parameters.count), pointers, lengths, formats, 1) == 1
    }
    guard isSent else { throw lost() }
    sent.append(.statement)
  }

  private func prepare(_ sql: String, _ parameters: [Parameter]) throws -> String {
    statementCount += 1
    let name = "s\(statementCount)"
    let types = parameters.map(\.type)
    // SAFETY: there are as many types as parameters; everything is copied.
    guard unsafe PQsendPrepare(connection, name, sql.replacing("?", with: "$"), CInt(clamping: types.count), types) == 1
    else { throw lost() }
    sent.append(.preparation(sql: sql))
    prepared[sql] = name
    return name
  }

  /// Sends a statement without preparing it under a name, and waits for its result.
  ///
  /// - Throws: ``PostgreSQLError``.
  func executeOnce(_ sql: String) throws -> QueryResult {
    // SAFETY: the connection is open, and there are no parameters. 1: the result is binary.
    guard isOpen, unsafe PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
    sent.append(.statement)
    try send()
    return try receive()
  }

  /// Sends a statement together with those that were enqueued before it, and waits for all results.
  ///
  /// - Returns: the result of `sql`.
  /// - Throws: ``PostgreSQLError``: the first error, after which the server has skipped the rest.
  @discardableResult func execute(_ sql: String, _ parameters: [Parameter] = []) throws -> QueryResult {
    try enqueue(sql, parameters)
    try send()
    return try receive()
  }

  /// Sends the enqueued statements without waiting.
  ///
  /// Their results are read together with those of the next statement.
  func send() throws {
    // SAFETY: the connection is open, in pipeline mode.
    guard isOpen, unsafe PQpipelineSync(connection) == 1 else { throw lost() }
    sent.append(.end)
    try flush()
  }

  /// Reads the last result of everything that was sent.
  private func receive() throws -> QueryResult {
    guard let last = try receiveAll().last else { throw lost() }
    return last
  }

  /// Reads the results of all statements that were sent.
  ///
  /// - Throws: ``PostgreSQLError``: the first error, after which the server has skipped the rest.
  func receiveAll() throws -> [QueryResult] {
    var results: [QueryResult] = []
    var failure: PostgreSQLError?
    for part in sent {
      let result = try next()
      switch (part, result.status) {
      case (.end, PGRES_PIPELINE_SYNC): continue
      case (.preparation, PGRES_COMMAND_OK): break
      case (.statement, PGRES_COMMAND_OK), (.statement, PGRES_TUPLES_OK): results.append(result)
      case (.end, _): throw lost()
      case (_, PGRES_PIPELINE_ABORTED): break
      default: failure = failure ?? error(result)
      }
      if failure != nil, case .preparation(let sql) = part { prepared[sql] = nil }
      // After the result of a statement, libpq returns NULL.
      try expectEnd()
    }
    sent = []
    if let failure { throw failure }
    return results
  }

  /// Whether the server has warned since ``forgetWarnings()``.
  var hasWarned: Bool { notices.hasWarned }

  func forgetWarnings() { notices.reset() }

  /// Gives the connection up, because it is unknown what the running statements have done.
  @discardableResult func lost() -> PostgreSQLError {
    isPastRepair = true
    return .interrupted
  }
}

// MARK: Waiting

extension Connection {
  /// libpq's message, on one line.
  private var message: String {
    // SAFETY: the text belongs to the connection, and is copied immediately.
    let text = unsafe String(cString: PQerrorMessage(connection))
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func flush() throws {
    while true {
      // SAFETY: the connection is open. 1: not everything is sent.
      switch unsafe PQflush(connection) {
      case 0: return
      case 1: break
      default: throw lost()
      }
      let events = try wait(for: POLLIN | POLLOUT)
      // What the server sends in the meantime must be read here, or client and server could wait for each other.
      if events & POLLIN != 0 { try consume() }
    }
  }

  private func next() throws -> QueryResult {
    try waitForResult()
    // SAFETY: the result is handed over.
    guard let result = unsafe PQgetResult(connection) else { throw lost() }
    let owned = unsafe QueryResult(owning: result)
    // SAFETY: PQstatus only reads.
    guard unsafe PQstatus(connection) == CONNECTION_OK else { throw lost() }
    return owned
  }

  private func expectEnd() throws {
    try waitForResult()
    // SAFETY: nil ends a statement's results. A second result would belong to a statement with several, and there is none.
    if let more = unsafe PQgetResult(connection) {
      unsafe PQclear(more)
      throw lost()
    }
  }

  private func waitForResult() throws {
    // SAFETY: the connection is open.
    while unsafe PQisBusy(connection) == 1 {
      try wait(for: POLLIN)
      try consume()
    }
  }

  private func consume() throws {
    // SAFETY: the connection is open.
    guard unsafe PQconsumeInput(connection) == 1 else { throw lost() }
  }

  @discardableResult private func wait(for events: CInt) throws -> CInt {
    while true {
      let left = deadline - now()
      guard left > .zero else { throw lost() }
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
      // SAFETY: the socket is the connection's at this moment: libpq uses a new one for each host.
      var descriptor = unsafe pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
      let count = unsafe poll(&descriptor, 1, CInt(clamping: milliseconds))
      if count > 0 { return CInt(descriptor.revents) }
      if count < 0 && errno != EINTR { throw lost() }
    }
  }

  private func error(_ result: QueryResult) -> PostgreSQLError {
    // Classes 08 and 57P mean that the server has ended the connection, whatever was running.
    guard let sqlState = result.sqlState, !sqlState.hasPrefix("08"), !sqlState.hasPrefix("57P") else { return lost() }
    return .refused(sqlState: sqlState, message: result.message ?? "no text")
  }
}

extension Connection {
  /// Commits, and waits until that is durable.
  ///
  /// - Throws: ``PostgreSQLError/interrupted``, also if the server has warned: if a commit is cancelled while it waits for its
  ///   standby, PostgreSQL reports a success with a warning.
  func commit() throws {
    forgetWarnings()
    _ = try commit(returning: { _ in })
  }

  /// Commits, in the same exchange as the statement that was enqueued last.
  ///
  /// - Returns: the rows of that statement.
  /// - Throws: like ``commit()``.
  func commit<Value>(returning value: (QueryRow) throws -> Value) throws -> [Value] {
    try enqueue("COMMIT")
    try send()
    let results = try receiveAll()
    guard let last = results.last, last.tag == "COMMIT", !hasWarned else { throw lost() }
    return try results.dropLast().last?.rows.map(value) ?? []
  }

  /// Rolls the transaction back; if that fails, gives the connection up.
  func rollback() {
    guard isOpen else { return }
    do { try execute("ROLLBACK") } catch { lost() }
  }

  /// Makes PostgreSQL plan each statement once, with indexes, whatever size it assumes for the tables.
  ///
  /// Otherwise a plan that is made while a table is empty reads the whole table, and is kept until PostgreSQL analyses the
  /// table again. And a statement for several logins would be planned each time, which takes longer than its execution.
  /// Statements for which there is no index still read the whole table. Their estimated cost is then very high, and without
  /// `jit = off` PostgreSQL would compile them.
  func preferIndexes() throws {
    try execute(
      """
      SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
        set_config('enable_mergejoin', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false),
        set_config('jit', 'off', false)
      """)
  }
}

/// The driver of PostgreSQL.
extension Connection: SQLConnection {
  @discardableResult func run(_ sql: String, _ values: [SQLValue]) throws -> Int {
    try execute(sql, values.map(Parameter.init)).changes
  }

  func rows<Value>(_ sql: String, _ values: [SQLValue], _ value: (QueryRow) throws -> Value) throws -> [Value] {
    try execute(sql, values.map(Parameter.init)).rows.map(value)
  }

  func runEach(_ sql: String, _ values: [[SQLValue]]) throws {
    guard !values.isEmpty else { return }
    for (number, values) in values.enumerated() {
      // From time to time the results are read, so that neither side waits for the other with full buffers.
      if number % 500 == 499 { try run(sql, values) } else { try enqueue(sql, values.map(Parameter.init)) }
    }
    try send()
    _ = try receiveAll()
  }

  static var like: String { "ILIKE" }
  static var byBytes: String { #" COLLATE "C""# }
  static var rowNumber: String { "number" }
  // The expression must be that of the index.
  static func isAAID(_ parameter: String) -> String { "lower(aaid) = lower(\(parameter))" }
  static var jsonTexts: String { "SELECT json_array_elements_text(?::json)" }
  static var jsonNumbers: String { "SELECT json_array_elements_text(?::json)::bigint" }
  static func table(_ name: String, by index: String) -> String { name }
  static func joined(_ values: String) -> String { "string_agg(\(values), ',')" }
}
