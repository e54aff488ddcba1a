/// The tables of those who administer the server, and what they see beside the tables of logins.
enum AdministrationSchema {
  // Codes that were open before have no row: nobody knows who issued them. An index by machine, for pages of machines.
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

  // Of earlier keys nobody knows where they came from. Those of people who administer sign in already, and go on.
  static let origins = """
    ALTER TABLE issuedCode ADD COLUMN reachesPrivileged INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE credential ADD COLUMN issuedBy TEXT;
    ALTER TABLE credential ADD COLUMN vouchedBy TEXT;
    UPDATE credential SET vouchedBy = 'upgrade' WHERE username IN (SELECT name FROM administrator);
    """
}
