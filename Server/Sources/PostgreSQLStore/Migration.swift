import SQLStore

/// One step in the upgrade of the tables.
///
/// A released step is never changed.
struct Migration {
  let name: String
  let statements: [String]
  /// What is done after the statements, in the same transaction.
  var finish: @Sendable (Connection) throws -> Void = { _ in }

  /// All steps, oldest first.
  static let all = [
    Migration(name: "1", statements: version1), Migration(name: "wrong answers", statements: wrongAnswers),
    Migration(name: "audit", statements: audit),
    Migration(name: "account blocks", statements: accountBlocks),
    Migration(name: "policies", statements: policies),
    Migration(name: "administration", statements: AdministrationMigration.statements),
    Migration(name: "rare rows of the audit", statements: rareRows),
    Migration(name: "console", statements: consoleSessions),
    Migration(name: "audit deliveries", statements: auditDeliveries),
    Migration(
      name: "blocked accounts",
      statements: ["CREATE INDEX accountBlocked ON account (username) WHERE blockedUntil IS NOT NULL"]),
    Migration(name: "joined machines", statements: joinedMachines),
    Migration(name: "machine contacts", statements: machineContacts),
    Migration(name: "machine policies", statements: machinePolicies),
    Migration(
      name: "used proofs by expiry", statements: ["CREATE INDEX usedProofByExpiry ON usedProof (expiresAt)"]),
    Migration(name: "newest end of the audit", statements: ["CREATE INDEX auditEndByNumber ON auditEnd (number)"]),
    Migration(name: "keys of enrolment codes", statements: sealedKeys),
    Migration(
      name: "keys of proved machines", statements: ["ALTER TABLE credential ADD COLUMN machineProvedAt bigint"]),
    Migration(name: "deregistered keys", statements: deregisteredKeys),
    AdministrationMigration.origins, Migration(name: "passkeys", statements: passkeys),
    Migration(name: "people", statements: people) { try AccountIndexing.rebuild($0) },
    Migration(name: "trust of machines", statements: machineTrusts),
    Migration(
      name: "machine troubles",
      statements: [
        // Wrong values in a row and doctor's failures, from the machines' reports.
        "ALTER TABLE joinedMachine ADD COLUMN wrongValues text, ADD COLUMN findings text, ADD COLUMN examinedAt bigint"
      ]),
    Migration(
      name: "covered locks",
      statements: [
        // A lock that stood when a program or a directory disabled the account; it stands again when they enable it.
        """
        ALTER TABLE account ADD COLUMN coveredSince bigint, ADD COLUMN coveredUntil bigint, ADD COLUMN coveredReason text,
          ADD COLUMN coveredActor text
        """
      ]),
    Migration(name: "mapped groups", statements: mappedGroups),
  ]

  // The ID of a group at the organisation's identity provider, and which group of the policy and which role the members of a
  // group get. An administrator with a `groupID` has the role by the mapping of that group.
  private static let mappedGroups = [
    "ALTER TABLE personGroup ADD COLUMN externalID text",
    "CREATE UNIQUE INDEX personGroupByExternalID ON personGroup (externalID) WHERE externalID IS NOT NULL",
    """
    CREATE TABLE groupMapping (
      groupID bigint PRIMARY KEY REFERENCES personGroup (id),
      policyGroup text,
      role text,
      madeBy text NOT NULL,
      madeAt bigint NOT NULL
    )
    """,
    "ALTER TABLE administrator ADD COLUMN groupID bigint",
  ]

  // Which keys and authorities machines know, as lists of names between spaces, and the authorities announced to them.
  private static let machineTrusts = [
    """
    CREATE TABLE machineTrust (
      deviceID text COLLATE "C" PRIMARY KEY, verdictKeys text NOT NULL, authorities text NOT NULL)
    """,
    """
    CREATE TABLE announcedAuthority (
      fingerprint text COLLATE "C" PRIMARY KEY,
      certificate bytea NOT NULL,
      announcedBy text NOT NULL,
      announcedAt bigint NOT NULL,
      usedFrom bigint NOT NULL,
      endedAt bigint
    )
    """,
  ]

  // `nameKey` is the form by which two names of groups are the same. `accountGram` is the index of the search for accounts:
  // which of 4,096 accounts have a pair of characters in one of their texts. Its rows are changed often while a list of people
  // is added, so the fill factor leaves room for new versions.
  private static let people = [
    """
    ALTER TABLE account ADD COLUMN displayName text, ADD COLUMN mail text, ADD COLUMN department text,
      ADD COLUMN externalID text COLLATE "C"
    """,
    "CREATE UNIQUE INDEX accountByExternalID ON account (externalID) WHERE externalID IS NOT NULL",
    """
    CREATE TABLE personGroup (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      nameKey text COLLATE "C" UNIQUE NOT NULL,
      createdAt bigint NOT NULL
    )
    """,
    """
    CREATE TABLE groupMember (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      groupID bigint NOT NULL REFERENCES personGroup (id),
      username text COLLATE "C" NOT NULL REFERENCES account (username),
      UNIQUE (groupID, username)
    )
    """,
    "CREATE INDEX groupMemberByAccount ON groupMember (username, groupID)",
    """
    CREATE TABLE accountGram (
      gram bigint NOT NULL,
      block bigint NOT NULL,
      members bytea NOT NULL,
      PRIMARY KEY (gram, block)
    ) WITH (fillfactor = 80)
    """,
  ]

  // `publicKey` is in COSE's form, and `transports` a list with commas. A passkey's row is changed with each use, so the fill
  // factor leaves room for new versions.
  private static let passkeys = [
    """
    CREATE TABLE passkey (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      username text COLLATE "C" NOT NULL REFERENCES account (username),
      rpID text NOT NULL,
      credentialID bytea UNIQUE NOT NULL,
      userHandle bytea NOT NULL,
      publicKey bytea NOT NULL,
      signCounter bigint NOT NULL,
      aaguid bytea NOT NULL,
      isAttested bigint NOT NULL,
      isBackupEligible bigint NOT NULL,
      isBackedUp bigint NOT NULL,
      transports text NOT NULL,
      registeredAt bigint NOT NULL,
      lastUsedAt bigint,
      revokedAt bigint,
      revokedBy text,
      revokedReason text,
      issuedBy text,
      vouchedBy text
    ) WITH (fillfactor = 80)
    """,
    "CREATE INDEX passkeyByAccount ON passkey (username, number)",
  ]

  private static let consoleSessions = [
    """
    CREATE TABLE consoleSession (
      tokenHash bytea PRIMARY KEY,
      username text COLLATE "C" NOT NULL,
      role text NOT NULL,
      startedAt bigint NOT NULL,
      lastUsedAt bigint NOT NULL,
      stepID bytea,
      stepText text,
      stepAction text,
      stepCode text
    )
    """,
    "CREATE INDEX consoleSessionByAccount ON consoleSession (username, startedAt)",
  ]

  // Codes from before this step are closed: the keys that would be stored for them are not known.
  private static let sealedKeys = [
    "DELETE FROM enrolment", "ALTER TABLE enrolment RENAME COLUMN codeHash TO sealedKey",
  ]

  // The rows are numbered in the order of the deregistrations.
  private static let deregisteredKeys = [
    """
    CREATE TABLE deregisteredKey (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      username text COLLATE "C" NOT NULL REFERENCES account (username),
      keyID bytea NOT NULL,
      deviceID text
    )
    """,
    "CREATE INDEX deregisteredKeyByAccount ON deregisteredKey (username, number)",
  ]

  // `codeHash` of a closed code is NULL. `machineID` is the machine's ID at this server, and NULL if an earlier
  // version has moved the row here. `changeNumber` is 0 until the machine leaves or is revoked for the first time.
  private static let joinedMachines = [
    """
    CREATE TABLE joinCode (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      codeHash bytea UNIQUE,
      machineGroup text NOT NULL,
      machines bigint NOT NULL,
      issuedBy text NOT NULL,
      issuedAt bigint NOT NULL,
      expiresAt bigint NOT NULL
    )
    """,
    """
    CREATE TABLE joinedMachine (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      codeNumber bigint NOT NULL REFERENCES joinCode (number),
      deviceID text COLLATE "C" NOT NULL,
      deviceName text,
      deviceModel text,
      deviceOS text,
      machineGroup text NOT NULL,
      machineID bytea,
      joinedAt bigint NOT NULL,
      leftAt bigint,
      revokedAt bigint,
      changeNumber bigint NOT NULL DEFAULT 0,
      UNIQUE (codeNumber, deviceID)
    )
    """,
    "CREATE INDEX joinedMachineByDevice ON joinedMachine (deviceID, number)",
    "CREATE INDEX joinedMachineByID ON joinedMachine (machineID) WHERE machineID IS NOT NULL",
    "CREATE INDEX joinedMachineByChange ON joinedMachine (changeNumber)",
  ]

  // The machines' reports about themselves. When a machine joins again, `reportMark` and `offlineNumber` become NULL.
  private static let machineContacts = [
    """
    ALTER TABLE joinedMachine ADD COLUMN lastContactAt bigint, ADD COLUMN moduleVersion text,
      ADD COLUMN policyVersion bigint, ADD COLUMN standingLocks text, ADD COLUMN copySeenAt bigint,
      ADD COLUMN reportMark bytea, ADD COLUMN offlineNumber bigint
    """
  ]

  private static let machinePolicies = [
    """
    CREATE TABLE machinePolicy (
      number bigint PRIMARY KEY,
      machineGroup text COLLATE "C" NOT NULL,
      lifetime bigint NOT NULL,
      savedAt bigint NOT NULL,
      actor text NOT NULL,
      reason text NOT NULL,
      content text NOT NULL
    )
    """,
    "CREATE INDEX machinePolicyByGroup ON machinePolicy (machineGroup, number)",
  ]

  // The rows are changed often, so the fill factor leaves room for new versions on each page.
  private static let auditDeliveries = [
    """
    CREATE TABLE auditDelivery (
      sink text COLLATE "C" PRIMARY KEY,
      delivered bigint NOT NULL,
      holder text NOT NULL,
      heldUntil bigint NOT NULL
    ) WITH (fillfactor = 10)
    """
  ]

  private static let policies = [
    """
    CREATE TABLE policy (
      number bigint PRIMARY KEY,
      savedAt bigint NOT NULL,
      actor text NOT NULL,
      reason text NOT NULL,
      content text NOT NULL
    )
    """
  ]

  // Nearly all rows are accepted logins. The indexes do not contain these.
  private static let rareRows = [
    "CREATE INDEX auditByKind ON audit (kind, number) WHERE kind <> 'login'",
    "CREATE INDEX auditByOutcome ON audit (outcome, number) WHERE outcome <> 'ok'",
  ]

  // `blockedUntil` is the highest number if the block has no end, and NULL if the account is not blocked. Keys have a copy of
  // it: the statement of a login locks the keys, and so sees a block that a concurrent transaction commits.
  private static let accountBlocks = [
    """
    ALTER TABLE account ADD COLUMN blockedSince bigint, ADD COLUMN blockedUntil bigint, ADD COLUMN blockReason text,
      ADD COLUMN blockActor text
    """,
    "ALTER TABLE credential ADD COLUMN blockedUntil bigint",
  ]

  // The texts of a row are hashed as they are stored, and are never NULL. `auditEnd` has one row, the end of the chain. Each
  // transaction that adds rows locks it. It is changed often, so the fill factor leaves room for new versions.
  private static let audit = [
    """
    CREATE TABLE audit (
      number bigint PRIMARY KEY,
      time bigint NOT NULL,
      kind text NOT NULL,
      outcome text NOT NULL,
      account text COLLATE "C" NOT NULL,
      actor text NOT NULL,
      address text NOT NULL,
      machine text NOT NULL,
      authenticators text NOT NULL,
      detail text NOT NULL,
      hash bytea NOT NULL
    )
    """,
    "CREATE INDEX auditByAccount ON audit (account, number)",
    "CREATE INDEX auditByTime ON audit (time)",
    "CREATE TABLE auditEnd (number bigint NOT NULL, hash bytea NOT NULL) WITH (fillfactor = 10)",
    "INSERT INTO auditEnd VALUES (0, decode(repeat('00', 32), 'hex'))",
    "CREATE TABLE auditHead (number bigint PRIMARY KEY, token text NOT NULL)",
  ]

  // There are at most as many rows as `WrongAnswerLimit` has buckets. They are changed often, so the fill factor leaves room
  // for new versions.
  private static let wrongAnswers = [
    """
    CREATE TABLE wrongAnswer (place bigint PRIMARY KEY, level bigint NOT NULL, filledAt bigint NOT NULL)
      WITH (fillfactor = 50)
    """
  ]

  // Times are seconds since 1970. AAIDs are compared without regard to case, everything else by bytes. Keys are numbered in the
  // order of their registration. `turn` has no rows: transactions that write lock the table, so that they run one after the
  // other.
  private static let version1 = [
    "CREATE TABLE turn ()",
    "CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL)",
    """
    CREATE TABLE account (
      number bigint GENERATED ALWAYS AS IDENTITY UNIQUE, username text COLLATE "C" PRIMARY KEY, createdAt bigint NOT NULL)
    """,
    """
    CREATE TABLE credential (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      username text COLLATE "C" NOT NULL REFERENCES account (username),
      appID text NOT NULL,
      aaid text NOT NULL,
      keyID bytea NOT NULL,
      publicKey bytea NOT NULL,
      signatureAlgorithm integer NOT NULL,
      authenticatorVersion integer NOT NULL,
      signCounter bigint NOT NULL,
      regCounter bigint NOT NULL,
      deviceID text,
      deviceName text,
      deviceModel text,
      deviceOS text,
      displays text,
      registeredAt bigint NOT NULL,
      lastUsedAt bigint,
      revokedAt bigint
    ) WITH (fillfactor = 80)
    """,
    "CREATE UNIQUE INDEX credentialByKey ON credential (lower(aaid), keyID)",
    "CREATE INDEX credentialByAccount ON credential (username, appID)",
    """
    CREATE TABLE openRegistration (
      number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
      hash bytea PRIMARY KEY,
      username text NOT NULL,
      appID text NOT NULL,
      policy text NOT NULL,
      deviceID text,
      deviceName text,
      deviceModel text,
      deviceOS text,
      enrolmentID bigint,
      expiresAt bigint NOT NULL,
      lostKeyIDs text
    )
    """,
    "CREATE INDEX openRegistrationByExpiry ON openRegistration (expiresAt)",
    "CREATE TABLE usedChallenge (hash bytea PRIMARY KEY, expiresAt bigint NOT NULL)",
    "CREATE INDEX usedChallengeByExpiry ON usedChallenge (expiresAt)",
    """
    CREATE TABLE enrolment (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      username text COLLATE "C" UNIQUE NOT NULL REFERENCES account (username),
      codeHash bytea NOT NULL,
      expiresAt bigint NOT NULL,
      reservedBy bytea
    )
    """,
    "CREATE TABLE usedProof (tokenID text PRIMARY KEY, expiresAt bigint NOT NULL)",
    """
    CREATE TABLE approval (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      username text COLLATE "C" NOT NULL REFERENCES account (username),
      shown text NOT NULL,
      codeHash bytea NOT NULL,
      expiresAt bigint NOT NULL,
      reservedBy bytea,
      confirmedAt bigint,
      deniedAt bigint
    )
    """,
    "CREATE INDEX approvalByAccount ON approval (username)",
    """
    CREATE TABLE confirmation (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      username text COLLATE "C" NOT NULL,
      confirmedAt bigint NOT NULL,
      shown text NOT NULL,
      fcParams text NOT NULL,
      assertion bytea NOT NULL,
      publicKey bytea NOT NULL,
      signatureAlgorithm integer NOT NULL
    )
    """,
  ]
}

/// The tables of the administration, and the columns and indexes that it needs in other tables.
enum AdministrationMigration {
  // Codes that were open before this step have no row in `issuedCode`, because their issuer is not known. The index by machine
  // serves the pages of machines.
  static let statements = [
    "ALTER TABLE credential ADD COLUMN revokedBy text, ADD COLUMN revokedReason text",
    #"CREATE INDEX credentialByMachine ON credential (deviceID COLLATE "C", id) WHERE deviceID IS NOT NULL"#,
    """
    CREATE TABLE issuedCode (
      number bigint PRIMARY KEY,
      username text NOT NULL,
      issuedBy text NOT NULL,
      issuedAt bigint NOT NULL,
      expiresAt bigint NOT NULL,
      usedAt bigint
    )
    """,
    """
    CREATE TABLE accessToken (
      name text COLLATE "C" PRIMARY KEY,
      hash bytea UNIQUE NOT NULL,
      role text NOT NULL,
      createdBy text NOT NULL,
      createdAt bigint NOT NULL,
      expiresAt bigint NOT NULL,
      addresses text NOT NULL,
      lastUsedAt bigint,
      revokedAt bigint
    )
    """,
    """
    CREATE TABLE administrator (
      name text COLLATE "C" PRIMARY KEY, role text NOT NULL, addedBy text NOT NULL, addedAt bigint NOT NULL)
    """,
    """
    CREATE TABLE repeatableRequest (
      caller text NOT NULL,
      key bytea NOT NULL,
      digest bytea NOT NULL,
      expiresAt bigint NOT NULL,
      answer text,
      PRIMARY KEY (caller, key)
    )
    """,
    "CREATE INDEX repeatableRequestByExpiry ON repeatableRequest (expiresAt)",
  ]

  // The origin of earlier keys is not known. Administrators could sign in with theirs before, so these keys stay accepted.
  static let origins = Migration(
    name: "who has issued keys",
    statements: [
      "ALTER TABLE issuedCode ADD COLUMN reachesPrivileged bigint NOT NULL DEFAULT 0",
      "ALTER TABLE credential ADD COLUMN issuedBy text, ADD COLUMN vouchedBy text",
      "UPDATE credential SET vouchedBy = 'upgrade' WHERE username IN (SELECT name FROM administrator)",
    ])
}

/// Upgrades the tables to the current version.
///
/// The tables are in a schema of their own, `uaf`. Its table `migration` has the names of the steps that were taken.
struct Migrator {
  /// The number of the advisory lock that lets one instance at a time migrate; nothing else in this database uses the number.
  private static let lock: Int64 = 0x7561_665F_6D69_6772

  let connection: Connection
  var migrations = Migration.all

  /// Takes the missing steps, each in a transaction of its own, so that the locks of a step are released before the next one.
  ///
  /// - Parameter create: whether the tables are created if there are none.
  /// - Throws: ``PostgreSQLRefusal``; ``PostgreSQLError``.
  func migrate(create: Bool) throws {
    do {
      if try !isCurrent() {
        try connection.execute("SELECT pg_advisory_lock($1)", [.integer(Self.lock)])
        // A lost connection releases the lock without this statement.
        defer { _ = try? connection.execute("SELECT pg_advisory_unlock($1)", [.integer(Self.lock)]) }
        // A different instance may have taken the steps in the meantime.
        if try !isCurrent() { try takeSteps(create: create) }
      }
      try requireRights()
    } catch PostgreSQLError.refused("42501", let message) {
      throw PostgreSQLRefusal.noRights(message: message)
    } catch PostgreSQLError.refused("42703", _) {
      // A table of a different application has this name, but other columns.
      throw PostgreSQLRefusal.otherApplication
    }
  }

  private func isCurrent() throws -> Bool {
    let taken = try steps()
    if let newer = taken.first(where: { name in !migrations.contains { $0.name == name } }) {
      throw PostgreSQLRefusal.newer(migration: newer)
    }
    return taken.count == migrations.count
  }

  /// The names of the steps that were taken; none if there are no tables.
  private func steps() throws -> [String] {
    // to_regclass() is not used here: after this connection has waited for the instance that creates the tables, it can still
    // return nothing.
    let isThere =
      try connection.execute(
        """
        SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'uaf' AND c.relname = 'migration')
        """
      ).first?.boolean(0) == true
    guard isThere else { return [] }
    return try connection.execute("SELECT name FROM uaf.migration ORDER BY number").rows.map { try $0.text(0) }
  }

  private func hasTablesOfOthers() throws -> Bool {
    try connection.execute(
      """
      SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname <> 'information_schema'
          AND n.nspname NOT LIKE 'pg\\_%'
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))
      """
    ).first?.boolean(0) == true
  }

  private func takeSteps(create: Bool) throws {
    let taken = try steps()
    if taken.isEmpty {
      guard try !hasTablesOfOthers() else { throw PostgreSQLRefusal.otherApplication }
      guard create else { throw PostgreSQLRefusal.empty }
    }
    for migration in migrations where !taken.contains(migration.name) {
      try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      do {
        if taken.isEmpty && migration.name == migrations.first?.name { try makeTableOfSteps() }
        for statement in migration.statements { try connection.execute(statement) }
        try migration.finish(connection)
        try connection.execute("INSERT INTO uaf.migration (name) VALUES ($1)", [.text(migration.name)])
        try connection.commit()
      } catch {
        connection.rollback()
        throw error
      }
    }
  }

  private func makeTableOfSteps() throws {
    try connection.execute("CREATE SCHEMA IF NOT EXISTS uaf")
    try connection.execute(
      "CREATE TABLE uaf.migration (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE NOT NULL)")
  }

  /// Refuses a user who lacks rights on some table: otherwise the first login would fail.
  private func requireRights() throws {
    let lacking = try connection.execute(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'uaf' AND c.relkind = 'r' AND c.relname <> 'migration'
        AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
          AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
      ORDER BY 1 LIMIT 1
      """
    ).first?.text(0)
    if let lacking { throw PostgreSQLRefusal.noRights(message: "it may not read and change table uaf.\(lacking)") }
  }
}
