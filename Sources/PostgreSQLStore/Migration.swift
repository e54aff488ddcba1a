/// One step from an older form of the tables to a newer one; never changed once it was released.
struct Migration {
  let name: String
  let statements: [String]

  /// All steps, oldest first.
  static let all = [
    Migration(name: "1", statements: version1), Migration(name: "wrong answers", statements: wrongAnswers),
    Migration(name: "audit", statements: audit),
    Migration(name: "account blocks", statements: accountBlocks),
    Migration(name: "policies", statements: policies),
    Migration(name: "administration", statements: AdministrationMigration.statements),
    Migration(name: "rare rows of the audit", statements: rareRows),
    Migration(name: "console", statements: ConsoleSessionTable.statements), AuditDeliveryTable.migration,
    Migration(
      name: "blocked accounts",
      statements: ["CREATE INDEX accountBlocked ON account (username) WHERE blockedUntil IS NOT NULL"]),
    JoinedMachineTable.migration, JoinedMachineTable.contacts, MachinePolicyTable.migration,
    Migration(
      name: "used proofs by expiry", statements: ["CREATE INDEX usedProofByExpiry ON usedProof (expiresAt)"]),
    Migration(name: "newest end of the audit", statements: ["CREATE INDEX auditEndByNumber ON auditEnd (number)"]),
    EnrolmentTable.migration,
    Migration(
      name: "keys of proved machines", statements: ["ALTER TABLE credential ADD COLUMN machineProvedAt bigint"]),
    DeregisteredKeyTable.migration,
    AdministrationMigration.origins,
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

  // Logins that were accepted are nearly all rows, and are in neither.
  private static let rareRows = [
    "CREATE INDEX auditByKind ON audit (kind, number) WHERE kind <> 'login'",
    "CREATE INDEX auditByOutcome ON audit (outcome, number) WHERE outcome <> 'ok'",
  ]

  // `blockedUntil` is the highest number where no end is set, and NULL where nothing is blocked. Keys repeat it: a login's
  // statement locks them, and so sees a block that another transaction commits beside it.
  private static let accountBlocks = [
    """
    ALTER TABLE account ADD COLUMN blockedSince bigint, ADD COLUMN blockedUntil bigint, ADD COLUMN blockReason text,
      ADD COLUMN blockActor text
    """,
    "ALTER TABLE credential ADD COLUMN blockedUntil bigint",
  ]

  // A row's texts are hashed as they are, and none of them is NULL. `auditEnd` has one row: the end of the chain, which is locked
  // by whoever adds to it. It is changed often: its page keeps room for that.
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

  // At most as many rows as `WrongAnswerLimit` has places. They are changed often: a page keeps room for that.
  private static let wrongAnswers = [
    """
    CREATE TABLE wrongAnswer (place bigint PRIMARY KEY, level bigint NOT NULL, filledAt bigint NOT NULL)
      WITH (fillfactor = 50)
    """
  ]

  // Times are seconds since 1970. An AAID's hex digits compare without regard to case, everything else by bytes. Numbers of
  // keys are in the order of their registration. `turn` has no rows: transactions that write lock it, one after another.
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
