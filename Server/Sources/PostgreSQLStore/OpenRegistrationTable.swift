import UAFMessages
import UAFService

/// The table of open requests for a registration.
struct OpenRegistrationTable: OpenRegistrations {
  let connection: Connection

  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws {
    try connection.execute("DELETE FROM openRegistration WHERE expiresAt <= $1", [.integer(now)])
    let lost = issued.lostKeyIDs.map(\.text).joined(separator: " ")
    let row = try connection.execute(
      """
      INSERT INTO openRegistration (hash, username, appID, policy, deviceID, deviceName, deviceModel, deviceOS,
        enrolmentID, expiresAt, lostKeyIDs)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING number
      """,
      [
        .bytes(issued.challengeHash), .text(issued.username), .text(issued.appID), .text(issued.policy.jsonText),
        .text(issued.device.id), .text(issued.device.name), .text(issued.device.model), .text(issued.device.os),
        .integer(enrolmentID), .integer(issued.expiresAt), .text(lost.isEmpty ? nil : lost),
      ]
    ).first
    guard let row else { throw PostgreSQLError.unreadable }
    try connection.execute(
      "DELETE FROM openRegistration WHERE number <= $1", [.integer(try row.integer(0) - maximumOpen)])
  }

  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)? {
    let row = try connection.execute(
      """
      SELECT username, appID, policy, deviceID, deviceName, deviceModel, deviceOS, enrolmentID, expiresAt, lostKeyIDs
      FROM openRegistration WHERE hash = $1
      """, [.bytes(hash)]
    ).first
    guard let row else { return nil }
    var device = Device()
    device.id = try row.optionalText(3)
    device.name = try row.optionalText(4)
    device.model = try row.optionalText(5)
    device.os = try row.optionalText(6)
    let lost = try row.optionalText(9)?.split(separator: " ") ?? []
    let issued = IssuedRequest(
      operation: .registration, username: try row.text(0), challengeHash: hash, appID: try row.text(1),
      serverData: serverData, policy: try Policy(parsing: row.text(2)), transaction: nil, device: device,
      expiresAt: try row.integer(8),
      lostKeyIDs: try lost.map { try KeyID(json: .string(String($0)), path: "lostKeyIDs") })
    return (issued, try row.optionalInteger(7))
  }

  func take(hash: [UInt8]) throws -> Bool {
    try connection.execute("DELETE FROM openRegistration WHERE hash = $1", [.bytes(hash)]).changes == 1
  }

  func removeAll() throws {
    try connection.execute("DELETE FROM openRegistration")
  }
}

/// The table of requests that clients may send again.
struct RepeatableRequestTable: RepeatableRequests {
  let connection: Connection

  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest? {
    try connection.execute("DELETE FROM repeatableRequest WHERE expiresAt <= $1", [.integer(now)])
    let isNew =
      try connection.execute(
        """
        INSERT INTO repeatableRequest (caller, key, digest, expiresAt) VALUES ($1, $2, $3, $4)
        ON CONFLICT (caller, key) DO NOTHING
        """,
        [.text(request.caller), .bytes(request.key), .bytes(request.digest), .integer(request.expiresAt)]
      ).changes == 1
    guard !isNew else { return nil }
    let row = try connection.execute(
      "SELECT digest, expiresAt, answer FROM repeatableRequest WHERE caller = $1 AND key = $2",
      [.text(request.caller), .bytes(request.key)]
    ).first
    guard let row else { throw PostgreSQLError.unreadable }
    return RepeatableRequest(
      caller: request.caller, key: request.key, digest: try row.requiredBytes(0), expiresAt: try row.integer(1),
      answer: try row.optionalText(2))
  }

  func finish(_ request: RepeatableRequest) throws {
    try connection.execute(
      "UPDATE repeatableRequest SET answer = $1 WHERE caller = $2 AND key = $3",
      [.text(request.answer), .text(request.caller), .bytes(request.key)])
  }

  func forget(_ request: RepeatableRequest) throws {
    try connection.execute(
      "DELETE FROM repeatableRequest WHERE caller = $1 AND key = $2", [.text(request.caller), .bytes(request.key)])
  }
}

/// The table of challenges that were answered with success.
struct UsedChallengeTable: UsedChallenges {
  /// The most that are forgotten at once, so that nobody waits long for it.
  private static let mostForgotten: Int64 = 4096

  /// By how many seconds the clocks of two instances may differ: what one has issued may be good at another for so much longer.
  static let clocksApart: Int64 = 900

  /// Until when a challenge is kept, as SQL.
  ///
  /// That is its request's expiry by an instance's clock, but no less than a request's lifetime by the database's clock,
  /// which is the same for all.
  static let keptUntil =
    "greatest(expiresAt, extract(epoch FROM clock_timestamp())::bigint + \(IssuedRequest.lifetime)) + \(clocksApart)"

  /// Forgets challenges that have expired, the oldest first, but none that another instance is forgetting.
  ///
  /// The database's clock decides: an instance whose clock is fast would forget what others still accept. The time is that of
  /// the statement's beginning, which is one value. With `clock_timestamp()`, which may change from row to row, PostgreSQL
  /// reads every row: 290 ms of each second with 400,000.
  static let forgetting = """
    WITH expired AS (
      SELECT hash, expiresAt FROM usedChallenge
      WHERE expiresAt >= $2 AND expiresAt <= extract(epoch FROM statement_timestamp())::bigint
      ORDER BY expiresAt LIMIT $1 FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM usedChallenge WHERE hash IN (SELECT hash FROM expired)
    )
    SELECT count(*), max(expiresAt), extract(epoch FROM statement_timestamp())::bigint FROM expired
    """

  let connection: Connection

  func contains(_ challenge: IssuedChallenge) throws -> Bool {
    // A row has `keptUntil` in place of its challenge's own expiry, so it is found by the hash.
    try connection.execute("SELECT EXISTS (SELECT 1 FROM usedChallenge WHERE hash = $1)", [.bytes(challenge.hash)])
      .first?.boolean(0) == true
  }

  /// Those of some challenges that were answered with success.
  func used(among hashes: [[UInt8]]) throws -> Set<[UInt8]> {
    let rows = try connection.execute("SELECT hash FROM usedChallenge WHERE hash = ANY ($1)", [.byteStrings(hashes)])
      .rows
    return Set(try rows.map { try $0.requiredBytes(0) })
  }

  /// Forgets challenges whose requests have expired, 4,096 at most.
  ///
  /// - Parameter start: those that have expired before are left.
  /// - Returns: up to when all are forgotten.
  func forgetExpired(from start: Int64) throws -> Int64 {
    let row = try connection.execute(Self.forgetting, [.integer(Self.mostForgotten), .integer(start)]).first
    guard let row else { return start }
    return try row.integer(0) < Self.mostForgotten ? row.integer(2) : row.optionalInteger(1) ?? start
  }
}

/// The table of used proof tokens.
struct UsedProofTable: UsedProofs {
  /// Forgets what has expired for all instances.
  ///
  /// Each machine that checks in has a proof here for half an hour, so the statement needs an index, and one time for all rows:
  /// see ``UsedChallengeTable/forgetting``.
  static let forgetting =
    "DELETE FROM usedProof WHERE expiresAt <= extract(epoch FROM statement_timestamp())::bigint - $1"

  let connection: Connection

  func contains(tokenID: String) throws -> Bool {
    try connection.execute("SELECT 1 FROM usedProof WHERE tokenID = $1", [.text(tokenID)]).first != nil
  }

  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool {
    try connection.execute(Self.forgetting, [.integer(UsedChallengeTable.clocksApart)])
    return try connection.execute(
      "INSERT INTO usedProof (tokenID, expiresAt) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(tokenID), .integer(expiresAt)]
    ).changes == 1
  }
}

/// The table of keys that were deregistered.
struct DeregisteredKeyTable {
  /// The numbers are in the order of the deregistrations.
  static let migration = Migration(
    name: "deregistered keys",
    statements: [
      """
      CREATE TABLE deregisteredKey (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        username text COLLATE "C" NOT NULL REFERENCES account (username),
        keyID bytea NOT NULL,
        deviceID text
      )
      """,
      "CREATE INDEX deregisteredKeyByAccount ON deregisteredKey (username, number)",
    ])

  let connection: Connection

  /// The newest KeyIDs of an account.
  func keyIDs(of username: String) throws -> [KeyID] {
    try connection.execute(
      "SELECT keyID FROM deregisteredKey WHERE username = $1 ORDER BY number", [.text(username)]
    ).rows.map { try KeyID(bytes: $0.requiredBytes(0)) }
  }

  /// Adds keys, and forgets the oldest ones of the account.
  func add(_ keyIDs: [KeyID], of username: String, deviceID: String?) throws {
    guard !keyIDs.isEmpty else { return }
    try connection.execute(
      "INSERT INTO deregisteredKey (username, keyID, deviceID) SELECT $1, k, $3 FROM unnest($2::bytea[]) AS k",
      [.text(username), .byteStrings(keyIDs.map(\.bytes)), .text(deviceID)])
    try connection.execute(
      """
      DELETE FROM deregisteredKey WHERE username = $1 AND number NOT IN (
        SELECT number FROM deregisteredKey WHERE username = $1 ORDER BY number DESC LIMIT $2)
      """, [.text(username), .integer(DeregisteredKeys.mostKept)])
  }

  /// Forgets what a revocation covers.
  func forget(_ keys: KeySelection) throws {
    switch keys {
    case KeySelection.all(let username):
      try connection.execute("DELETE FROM deregisteredKey WHERE username = $1", [.text(username)])
    case .onMachine(let id, let username):
      try connection.execute(
        "DELETE FROM deregisteredKey WHERE username = $1 AND deviceID = $2", [.text(username), .text(id)])
    case .machine(let id): try connection.execute("DELETE FROM deregisteredKey WHERE deviceID = $1", [.text(id)])
    case .one: break
    }
  }
}
