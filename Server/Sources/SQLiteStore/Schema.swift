import GRDB
import SQLStore

/// The tables, and the steps that upgrade older versions of them.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (name, sql) in steps { migrator.registerMigration(name) { db in try db.execute(sql: sql) } }
    migrator.registerMigration("people") { db in
      try db.execute(sql: people)
      try AccountIndexing.rebuild(db)
    }
    migrator.registerMigration("trust of machines") { db in try db.execute(sql: machineTrusts) }
    migrator.registerMigration("machine troubles") { db in try db.execute(sql: machineTroubles) }
    migrator.registerMigration("covered locks") { db in try db.execute(sql: coveredLocks) }
    migrator.registerMigration("mapped groups") { db in try db.execute(sql: mappedGroups) }
    return migrator
  }

  /// All steps before the one that is called `people`, oldest first.
  ///
  /// A released step is never changed.
  private static let steps: [(name: String, sql: String)] = [
    ("1", version1),
    ("confirmations", confirmations),
    ("displays", "ALTER TABLE credential ADD COLUMN displays TEXT"),
    ("approvals", approvals),
    ("uncounted codes", uncountedCodes),
    ("lost keys", "ALTER TABLE challenge ADD COLUMN lostKeyIDs TEXT"),
    ("denials", "ALTER TABLE approval ADD COLUMN deniedAt INTEGER"),
    ("stateless requests", statelessRequests),
    ("wrong answers", wrongAnswers),
    ("audit", audit),
    ("account blocks", accountBlocks),
    ("policies", policies),
    ("administration", AdministrationSchema.sql),
    ("rare rows of the audit", rareRows),
    ("console", consoleSessions),
    ("audit deliveries", auditDeliveries),
    ("blocked accounts", "CREATE INDEX accountBlocked ON account (username) WHERE blockedUntil IS NOT NULL"),
    ("joined machines", joinedMachines),
    ("machine contacts", machineContacts),
    ("machine policies", machinePolicies),
    ("used challenges by expiry", UsedChallengeTable.orderByExpiry),
    ("used proofs by expiry", "CREATE INDEX usedProofByExpiry ON usedProof (expiresAt)"),
    ("keys of enrolment codes", sealedKeys),
    ("keys of proved machines", "ALTER TABLE credential ADD COLUMN machineProvedAt INTEGER"),
    ("deregistered keys", deregisteredKeys),
    ("who has issued keys", AdministrationSchema.origins),
    ("passkeys", passkeys),
  ]

  // Which keys and authorities machines know, as lists of names between spaces, and the authorities announced to them.
  private static let machineTrusts = """
    CREATE TABLE machineTrust (
      deviceID TEXT PRIMARY KEY NOT NULL,
      verdictKeys TEXT NOT NULL,
      authorities TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE announcedAuthority (
      fingerprint TEXT PRIMARY KEY NOT NULL,
      certificate BLOB NOT NULL,
      announcedBy TEXT NOT NULL,
      announcedAt INTEGER NOT NULL,
      usedFrom INTEGER NOT NULL,
      endedAt INTEGER
    ) STRICT;
    """

  // `nameKey` is the form by which two names of groups are the same. `accountGram` is the index of the search for accounts:
  // which of 4,096 accounts have a pair of characters in one of their texts.
  private static let people = """
    ALTER TABLE account ADD COLUMN displayName TEXT;
    ALTER TABLE account ADD COLUMN mail TEXT;
    ALTER TABLE account ADD COLUMN department TEXT;
    ALTER TABLE account ADD COLUMN externalID TEXT;
    CREATE UNIQUE INDEX accountByExternalID ON account (externalID) WHERE externalID IS NOT NULL;
    CREATE TABLE personGroup (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      nameKey TEXT UNIQUE NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE groupMember (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      groupID INTEGER NOT NULL REFERENCES personGroup (id),
      username TEXT NOT NULL REFERENCES account (username),
      UNIQUE (groupID, username)
    ) STRICT;
    CREATE INDEX groupMemberByAccount ON groupMember (username, groupID);
    CREATE TABLE accountGram (
      gram INTEGER NOT NULL,
      block INTEGER NOT NULL,
      members BLOB NOT NULL,
      PRIMARY KEY (gram, block)
    ) STRICT, WITHOUT ROWID;
    """

  // `blockedUntil` is the highest number if the block has no end, and NULL if the account is not blocked. Keys have a copy of
  // it, so that the statement that raises a counter needs no other row.
  private static let accountBlocks = """
    ALTER TABLE account ADD COLUMN blockedSince INTEGER;
    ALTER TABLE account ADD COLUMN blockedUntil INTEGER;
    ALTER TABLE account ADD COLUMN blockReason TEXT;
    ALTER TABLE account ADD COLUMN blockActor TEXT;
    ALTER TABLE credential ADD COLUMN blockedUntil INTEGER;
    """

  // Requests that are open during the upgrade are dropped; they would have expired within two minutes.
  private static let statelessRequests = """
    DROP TABLE challenge;
    CREATE TABLE openRegistration (
      hash BLOB PRIMARY KEY NOT NULL,
      username TEXT NOT NULL,
      appID TEXT NOT NULL,
      policy TEXT NOT NULL,
      deviceID TEXT,
      deviceName TEXT,
      deviceModel TEXT,
      deviceOS TEXT,
      enrolmentID INTEGER,
      expiresAt INTEGER NOT NULL,
      lostKeyIDs TEXT
    ) STRICT;
    CREATE INDEX openRegistrationByExpiry ON openRegistration (expiresAt);
    CREATE TABLE usedChallenge (
      hash BLOB PRIMARY KEY NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usedChallengeByExpiry ON usedChallenge (expiresAt);
    """

  private static let consoleSessions = """
    CREATE TABLE consoleSession (
      tokenHash BLOB PRIMARY KEY NOT NULL,
      username TEXT NOT NULL,
      role TEXT NOT NULL,
      startedAt INTEGER NOT NULL,
      lastUsedAt INTEGER NOT NULL,
      stepID BLOB,
      stepText TEXT,
      stepAction TEXT,
      stepCode TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX consoleSessionByAccount ON consoleSession (username, startedAt);
    """

  // Codes from before this step are closed: the keys that would be stored for them are not known.
  private static let sealedKeys = """
    DELETE FROM enrolment;
    ALTER TABLE enrolment RENAME COLUMN codeHash TO sealedKey;
    """

  // `publicKey` is in COSE's form, and `transports` a list with commas.
  private static let passkeys = """
    CREATE TABLE passkey (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      username TEXT NOT NULL REFERENCES account (username),
      rpID TEXT NOT NULL,
      credentialID BLOB UNIQUE NOT NULL,
      userHandle BLOB NOT NULL,
      publicKey BLOB NOT NULL,
      signCounter INTEGER NOT NULL,
      aaguid BLOB NOT NULL,
      isAttested INTEGER NOT NULL,
      isBackupEligible INTEGER NOT NULL,
      isBackedUp INTEGER NOT NULL,
      transports TEXT NOT NULL,
      registeredAt INTEGER NOT NULL,
      lastUsedAt INTEGER,
      revokedAt INTEGER,
      revokedBy TEXT,
      revokedReason TEXT,
      issuedBy TEXT,
      vouchedBy TEXT
    ) STRICT;
    CREATE INDEX passkeyByAccount ON passkey (username, number);
    """

  // The rows are numbered in the order of the deregistrations.
  private static let deregisteredKeys = """
    CREATE TABLE deregisteredKey (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      username TEXT NOT NULL REFERENCES account (username),
      keyID BLOB NOT NULL,
      deviceID TEXT
    ) STRICT;
    CREATE INDEX deregisteredKeyByAccount ON deregisteredKey (username, number);
    """

  // `codeHash` of a closed code is NULL. `machineID` is the machine's ID at this server, and NULL if an earlier
  // version has moved the row here. `changeNumber` is 0 until the machine leaves or is revoked for the first time.
  private static let joinedMachines = """
    CREATE TABLE joinCode (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      codeHash BLOB UNIQUE,
      machineGroup TEXT NOT NULL,
      machines INTEGER NOT NULL,
      issuedBy TEXT NOT NULL,
      issuedAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE joinedMachine (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      codeNumber INTEGER NOT NULL REFERENCES joinCode (number),
      deviceID TEXT NOT NULL,
      deviceName TEXT,
      deviceModel TEXT,
      deviceOS TEXT,
      machineGroup TEXT NOT NULL,
      machineID BLOB,
      joinedAt INTEGER NOT NULL,
      leftAt INTEGER,
      revokedAt INTEGER,
      changeNumber INTEGER NOT NULL DEFAULT 0,
      UNIQUE (codeNumber, deviceID)
    ) STRICT;
    CREATE INDEX joinedMachineByDevice ON joinedMachine (deviceID, number);
    CREATE INDEX joinedMachineByID ON joinedMachine (machineID) WHERE machineID IS NOT NULL;
    CREATE INDEX joinedMachineByChange ON joinedMachine (changeNumber);
    """

  // The machines' reports about themselves. When a machine joins again, `reportMark` and `offlineNumber` become NULL.
  private static let machineContacts = """
    ALTER TABLE joinedMachine ADD COLUMN lastContactAt INTEGER;
    ALTER TABLE joinedMachine ADD COLUMN moduleVersion TEXT;
    ALTER TABLE joinedMachine ADD COLUMN policyVersion INTEGER;
    ALTER TABLE joinedMachine ADD COLUMN standingLocks TEXT;
    ALTER TABLE joinedMachine ADD COLUMN copySeenAt INTEGER;
    ALTER TABLE joinedMachine ADD COLUMN reportMark BLOB;
    ALTER TABLE joinedMachine ADD COLUMN offlineNumber INTEGER;
    """

  // Wrong values in a row and doctor's failures, from the machines' reports.
  private static let machineTroubles = """
    ALTER TABLE joinedMachine ADD COLUMN wrongValues TEXT;
    ALTER TABLE joinedMachine ADD COLUMN findings TEXT;
    ALTER TABLE joinedMachine ADD COLUMN examinedAt INTEGER;
    """

  // A lock that stood when a program or a directory disabled the account; it stands again when they enable it.
  private static let coveredLocks = """
    ALTER TABLE account ADD COLUMN coveredSince INTEGER;
    ALTER TABLE account ADD COLUMN coveredUntil INTEGER;
    ALTER TABLE account ADD COLUMN coveredReason TEXT;
    ALTER TABLE account ADD COLUMN coveredActor TEXT;
    """

  // The ID of a group at the organisation's identity provider, and which group of the policy and which role the members of a
  // group get. An administrator with a `groupID` has the role by the mapping of that group.
  private static let mappedGroups = """
    ALTER TABLE personGroup ADD COLUMN externalID TEXT;
    CREATE UNIQUE INDEX personGroupByExternalID ON personGroup (externalID) WHERE externalID IS NOT NULL;
    CREATE TABLE groupMapping (
      groupID INTEGER PRIMARY KEY NOT NULL REFERENCES personGroup (id),
      policyGroup TEXT,
      role TEXT,
      madeBy TEXT NOT NULL,
      madeAt INTEGER NOT NULL
    ) STRICT;
    ALTER TABLE administrator ADD COLUMN groupID INTEGER;
    """

  private static let machinePolicies = """
    CREATE TABLE machinePolicy (
      number INTEGER PRIMARY KEY NOT NULL,
      machineGroup TEXT NOT NULL,
      lifetime INTEGER NOT NULL,
      savedAt INTEGER NOT NULL,
      actor TEXT NOT NULL,
      reason TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX machinePolicyByGroup ON machinePolicy (machineGroup, number);
    """

  private static let auditDeliveries = """
    CREATE TABLE auditDelivery (
      sink TEXT PRIMARY KEY NOT NULL,
      delivered INTEGER NOT NULL,
      holder TEXT NOT NULL,
      heldUntil INTEGER NOT NULL
    ) STRICT;
    """

  private static let policies = """
    CREATE TABLE policy (
      number INTEGER PRIMARY KEY NOT NULL,
      savedAt INTEGER NOT NULL,
      actor TEXT NOT NULL,
      reason TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    """

  // Nearly all rows are accepted logins. The indexes do not contain these.
  private static let rareRows = """
    CREATE INDEX auditByKind ON audit (kind, number) WHERE kind <> 'login';
    CREATE INDEX auditByOutcome ON audit (outcome, number) WHERE outcome <> 'ok';
    """

  // The texts of a row are hashed as they are stored, and are never NULL.
  private static let audit = """
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY NOT NULL,
      time INTEGER NOT NULL,
      kind TEXT NOT NULL,
      outcome TEXT NOT NULL,
      account TEXT NOT NULL,
      actor TEXT NOT NULL,
      address TEXT NOT NULL,
      machine TEXT NOT NULL,
      authenticators TEXT NOT NULL,
      detail TEXT NOT NULL,
      hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX auditByAccount ON audit (account, number);
    CREATE INDEX auditByTime ON audit (time);
    CREATE TABLE auditHead (
      number INTEGER PRIMARY KEY NOT NULL,
      token TEXT NOT NULL
    ) STRICT;
    """

  // There are at most as many rows as `WrongAnswerLimit` has buckets.
  private static let wrongAnswers = """
    CREATE TABLE wrongAnswer (
      place INTEGER PRIMARY KEY NOT NULL,
      level INTEGER NOT NULL,
      filledAt INTEGER NOT NULL
    ) STRICT;
    """

  // The columns contain everything that is needed to verify a signature again later, even after the key was deleted.
  private static let confirmations = """
    CREATE TABLE confirmation (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      username TEXT NOT NULL,
      confirmedAt INTEGER NOT NULL,
      shown TEXT NOT NULL,
      fcParams TEXT NOT NULL,
      assertion BLOB NOT NULL,
      publicKey BLOB NOT NULL,
      signatureAlgorithm INTEGER NOT NULL
    ) STRICT;
    """

  private static let approvals = """
    CREATE TABLE approval (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      username TEXT NOT NULL REFERENCES account (username),
      shown TEXT NOT NULL,
      codeHash BLOB NOT NULL,
      expiresAt INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,
      reservedBy BLOB,
      confirmedAt INTEGER
    ) STRICT;
    CREATE INDEX approvalByAccount ON approval (username);
    ALTER TABLE challenge ADD COLUMN approvalID INTEGER;
    """

  // Codes that are closed because of too many wrong attempts stay closed: they are deleted.
  private static let uncountedCodes = """
    DELETE FROM enrolment WHERE failures >= 5;
    DELETE FROM approval WHERE failures >= 5 AND confirmedAt IS NULL;
    ALTER TABLE enrolment DROP COLUMN failures;
    ALTER TABLE approval DROP COLUMN failures;
    """

  // Times are seconds since 1970. AAIDs are compared without regard to case, everything else by bytes.
  private static let version1 = """
    CREATE TABLE setting (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT;

    CREATE TABLE account (
      username TEXT PRIMARY KEY NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE credential (
      id INTEGER PRIMARY KEY,
      username TEXT NOT NULL REFERENCES account (username),
      appID TEXT NOT NULL,
      aaid TEXT NOT NULL COLLATE NOCASE,
      keyID BLOB NOT NULL,
      publicKey BLOB NOT NULL,
      signatureAlgorithm INTEGER NOT NULL,
      authenticatorVersion INTEGER NOT NULL,
      signCounter INTEGER NOT NULL,
      regCounter INTEGER NOT NULL,
      deviceID TEXT,
      deviceName TEXT,
      deviceModel TEXT,
      deviceOS TEXT,
      registeredAt INTEGER NOT NULL,
      lastUsedAt INTEGER,
      revokedAt INTEGER,
      UNIQUE (aaid, keyID)
    ) STRICT;
    CREATE INDEX credentialByAccount ON credential (username, appID);

    CREATE TABLE challenge (
      hash BLOB PRIMARY KEY NOT NULL,
      operation TEXT NOT NULL,
      username TEXT NOT NULL,
      appID TEXT NOT NULL,
      policy TEXT NOT NULL,
      transactionText TEXT,
      deviceID TEXT,
      deviceName TEXT,
      deviceModel TEXT,
      deviceOS TEXT,
      proofOperations TEXT NOT NULL,
      enrolmentID INTEGER,
      isDecoy INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX challengeByExpiry ON challenge (expiresAt);

    CREATE TABLE enrolment (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      username TEXT UNIQUE NOT NULL REFERENCES account (username),
      codeHash BLOB NOT NULL,
      expiresAt INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,
      reservedBy BLOB
    ) STRICT;

    CREATE TABLE usedProof (
      tokenID TEXT PRIMARY KEY NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    """
}

/// The tables of the administration, and the columns and indexes that it needs in other tables.
enum AdministrationSchema {
  // Codes that were open before this step have no row in `issuedCode`, because their issuer is not known. The index by machine
  // serves the pages of machines.
  static let sql = """
    ALTER TABLE credential ADD COLUMN revokedBy TEXT;
    ALTER TABLE credential ADD COLUMN revokedReason TEXT;
    CREATE INDEX credentialByMachine ON credential (deviceID, id) WHERE deviceID IS NOT NULL;
    CREATE TABLE issuedCode (
      number INTEGER PRIMARY KEY NOT NULL,
      username TEXT NOT NULL,
      issuedBy TEXT NOT NULL,
      issuedAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL,
      usedAt INTEGER
    ) STRICT;
    CREATE TABLE accessToken (
      name TEXT PRIMARY KEY NOT NULL,
      hash BLOB UNIQUE NOT NULL,
      role TEXT NOT NULL,
      createdBy TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL,
      addresses TEXT NOT NULL,
      lastUsedAt INTEGER,
      revokedAt INTEGER
    ) STRICT;
    CREATE TABLE administrator (
      name TEXT PRIMARY KEY NOT NULL,
      role TEXT NOT NULL,
      addedBy TEXT NOT NULL,
      addedAt INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE repeatableRequest (
      caller TEXT NOT NULL,
      key BLOB NOT NULL,
      digest BLOB NOT NULL,
      expiresAt INTEGER NOT NULL,
      answer TEXT,
      PRIMARY KEY (caller, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX repeatableRequestByExpiry ON repeatableRequest (expiresAt);
    """

  // The origin of earlier keys is not known. Administrators could sign in with theirs before, so these keys stay accepted.
  static let origins = """
    ALTER TABLE issuedCode ADD COLUMN reachesPrivileged INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE credential ADD COLUMN issuedBy TEXT;
    ALTER TABLE credential ADD COLUMN vouchedBy TEXT;
    UPDATE credential SET vouchedBy = 'upgrade' WHERE username IN (SELECT name FROM administrator);
    """
}
