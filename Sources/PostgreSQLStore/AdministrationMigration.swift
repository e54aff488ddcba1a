/// The tables of those who administer the server, and what they see beside the tables of logins.
enum AdministrationMigration {
  // Codes that were open before have no row: nobody knows who issued them. An index by machine, for pages of machines.
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

  // Of earlier keys nobody knows where they came from. Those of people who administer sign in already, and go on.
  static let origins = Migration(
    name: "who has issued keys",
    statements: [
      "ALTER TABLE issuedCode ADD COLUMN reachesPrivileged bigint NOT NULL DEFAULT 0",
      "ALTER TABLE credential ADD COLUMN issuedBy text, ADD COLUMN vouchedBy text",
      "UPDATE credential SET vouchedBy = 'upgrade' WHERE username IN (SELECT name FROM administrator)",
    ])
}
