/// A table that is moved from one store to another, in the same words for both engines.
///
/// What was open or used is in none of them; see docs/export.md.
package struct MovedTable: Equatable, Sendable {
  /// What a line of an export calls its rows.
  package let type: String
  package let name: String
  /// The first one is the key, by which rows are ordered: a number, or a text by its bytes.
  package let columns: [MovedColumn]
  /// Columns that are not moved and need a value.
  package let fixed: [(column: String, value: MovedValue)]
  /// Whether the engine numbers new rows itself, beyond the highest number that it has given.
  package let isNumbered: Bool
  /// The values of the key that are moved; nil for all rows.
  package let keys: [String]?

  private init(
    _ type: String, in name: String? = nil, _ columns: [MovedColumn], fixed: [(String, MovedValue)] = [],
    isNumbered: Bool = false, keys: [String]? = nil
  ) {
    self.type = type
    self.name = name ?? type
    self.columns = columns
    self.fixed = fixed.map { (column: $0, value: $1) }
    self.isNumbered = isNumbered
    self.keys = keys
  }

  package static func == (one: MovedTable, other: MovedTable) -> Bool { one.type == other.type }

  /// All of them: a row comes after those that it names.
  package static let all = [
    setting, account, credential, deregisteredKey, confirmation, approval, issuedCode, joinCode, joinedMachine,
    machinePolicy,
    accessToken, administrator, policy, wrongAnswer, audit, auditHead, auditDelivery,
  ]

  /// The tables that are not moved: what is open, what was used, who is signed in.
  package static let left = [
    "openRegistration", "usedChallenge", "enrolment", "usedProof", "repeatableRequest", "consoleSession",
  ]

  // When a backup was restored is another time from now on.
  private static let settings = [SettingName.decoySecret, .keyShapes, .policyFile, .publicURL].map(\.rawValue)
  private static let setting = MovedTable(
    "setting", [MovedColumn("name", .oneOf(settings)), .text("value")], keys: settings)

  private static let account = MovedTable(
    "account",
    [
      .number("number"), .username("username"), .time("createdAt"), .time("blockedSince", isOptional: true),
      .time("blockedUntil", isOptional: true), .text("blockReason", isOptional: true),
      .text("blockActor", isOptional: true),
    ], isNumbered: true)

  private static let credential = MovedTable(
    "credential",
    [
      .number("id"), .username("username"), .text("appID"), .text("aaid"), .bytes("keyID"), .bytes("publicKey"),
      .short("signatureAlgorithm"), .short("authenticatorVersion"), .short("signCounter"), .short("regCounter"),
      .text("deviceID", isOptional: true), .text("deviceName", isOptional: true),
      .text("deviceModel", isOptional: true), .text("deviceOS", isOptional: true), .text("displays", isOptional: true),
      .time("registeredAt"), .time("lastUsedAt", isOptional: true), .time("revokedAt", isOptional: true),
      .text("revokedBy", isOptional: true), .text("revokedReason", isOptional: true),
      .time("blockedUntil", isOptional: true), .time("machineProvedAt", isOptional: true),
      .text("issuedBy", isOptional: true), .text("vouchedBy", isOptional: true),
    ], isNumbered: true)

  private static let deregisteredKey = MovedTable(
    "deregisteredKey",
    [.number("number"), .username("username"), .bytes("keyID"), .text("deviceID", isOptional: true)], isNumbered: true)

  private static let confirmation = MovedTable(
    "confirmation",
    [
      .number("id"), .username("username"), .time("confirmedAt"), .text("shown"), .text("fcParams"),
      .bytes("assertion"), .bytes("publicKey"), .short("signatureAlgorithm"),
    ], isNumbered: true)

  // No code has a hash without bytes, so the texts that were open stay closed.
  private static let approval = MovedTable(
    "approval",
    [
      .number("id"), .username("username"), .text("shown"), .time("expiresAt"), .time("confirmedAt", isOptional: true),
      .time("deniedAt", isOptional: true),
    ], fixed: [("codeHash", .bytes([]))], isNumbered: true)

  private static let issuedCode = MovedTable(
    "issuedCode",
    [
      .number("number"), .username("username"), .text("issuedBy"),
      MovedColumn("reachesPrivileged", .integer(0...1)), .time("issuedAt"), .time("expiresAt"),
      .time("usedAt", isOptional: true),
    ])

  // Without their hashes: the codes that were open stay closed.
  private static let joinCode = MovedTable(
    "joinCode",
    [
      .number("number"), .text("machineGroup"), .number("machines"), .text("issuedBy"), .time("issuedAt"),
      .time("expiresAt"),
    ], isNumbered: true)

  // Without their numbers at this server, which follow from its secret, and without what judges their next reports: they join
  // again before they send one.
  private static let joinedMachine = MovedTable(
    "joinedMachine",
    [
      .number("number"), .number("codeNumber"), .text("deviceID"), .text("deviceName", isOptional: true),
      .text("deviceModel", isOptional: true), .text("deviceOS", isOptional: true), .text("machineGroup"),
      .time("joinedAt"), .time("leftAt", isOptional: true), .time("revokedAt", isOptional: true),
      .time("changeNumber"), .time("lastContactAt", isOptional: true), .text("moduleVersion", isOptional: true),
      .time("policyVersion", isOptional: true), .text("standingLocks", isOptional: true),
      .time("copySeenAt", isOptional: true),
    ], isNumbered: true)

  private static let machinePolicy = MovedTable(
    "machinePolicy",
    [
      .number("number"), .text("machineGroup"), .time("lifetime"), .time("savedAt"), .text("actor"), .text("reason"),
      .text("content"),
    ])

  private static let accessToken = MovedTable(
    "accessToken",
    [
      .username("name"), .bytes("hash", count: 32), role, .text("createdBy"), .time("createdAt"),
      .time("expiresAt"), .text("addresses"), .time("lastUsedAt", isOptional: true),
      .time("revokedAt", isOptional: true),
    ])

  private static let administrator = MovedTable(
    "administrator", [.username("name"), role, .text("addedBy"), .time("addedAt")])

  // As `Role` writes them: a row with another one would be an administrator whom nobody sees as one.
  private static let role = MovedColumn("role", .oneOf(["auditor", "helpdesk", "operator", "administrator"]))

  private static let policy = MovedTable(
    "policy", [.number("number"), .time("savedAt"), .text("actor"), .text("reason"), .text("content")])

  // What was guessed wrongly counts on: a move gives nobody new guesses.
  private static let wrongAnswer = MovedTable(
    "wrongAnswer", [.time("place"), .time("level"), .time("filledAt")])

  private static let audit = MovedTable(
    "audit",
    [
      .number("number"), MovedColumn("time", .integer(Int64.min...Int64.max)), .text("kind"), .text("outcome"),
      .text("account"), .text("actor"), .text("address"), .text("machine"), .text("authenticators"), .text("detail"),
      .bytes("hash", count: 32),
    ])

  private static let auditHead = MovedTable("auditHead", [.time("number"), .text("token")])

  // Who sends rows to a sink now is of no interest elsewhere; up to which row it has them is.
  private static let auditDelivery = MovedTable(
    "auditDelivery", [.text("sink"), .time("delivered")], fixed: [("holder", .text("")), ("heldUntil", .integer(0))])
}
