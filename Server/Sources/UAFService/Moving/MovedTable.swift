import UAFMessages

/// A table that is moved from one store to another, described once for both engines.
///
/// Open requests, used challenges and sessions are not moved; see docs/export.md.
package struct MovedTable: Equatable, Sendable {
  /// The `type` member of the table's lines in an export.
  package let type: String
  package let name: String
  /// The first column is the key, by which rows are ordered: as numbers, or as texts by their bytes.
  package let columns: [MovedColumn]
  /// Columns that are not moved, each with the value that it gets in the new store.
  package let fixed: [(column: String, value: MovedValue)]
  /// Whether the engine numbers new rows itself, above the highest number that it has given.
  package let isNumbered: Bool
  /// The keys of the rows that are moved; nil for all rows.
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

  /// All moved tables, ordered so that a row comes after the rows that it refers to.
  package static let all = [
    setting, account, personGroup, groupMember, groupMapping, credential, passkey, deregisteredKey, confirmation,
    approval, issuedCode, joinCode, joinedMachine, announcedAuthority, machinePolicy, accessToken, administrator,
    policy, wrongAnswer, audit, auditHead, auditDelivery,
  ]

  /// The tables that are not moved: open requests, used challenges, sessions, the index of the search, which is made again, and
  /// which keys and authorities machines know, which the next report of each says again.
  package static let left = [
    "openRegistration", "usedChallenge", "enrolment", "usedProof", "repeatableRequest", "consoleSession", "accountGram",
    "machineTrust",
  ]

  // `restoredAt` is not moved: an import or a migration sets it to its own time.
  private static let settings = [SettingName.decoySecret, .keyShapes, .passkeyShapes, .policyFile, .publicURL].map(
    \.rawValue)
  private static let setting = MovedTable(
    "setting", [MovedColumn("name", .oneOf(settings)), .text("value")], keys: settings)

  private static let account = MovedTable(
    "account",
    [
      .number("number"), .username("username"), .time("createdAt"), .time("blockedSince", isOptional: true),
      .time("blockedUntil", isOptional: true), .text("blockReason", isOptional: true),
      .text("blockActor", isOptional: true), .time("coveredSince", isOptional: true),
      .time("coveredUntil", isOptional: true), .text("coveredReason", isOptional: true),
      .text("coveredActor", isOptional: true), .text("displayName", isOptional: true), .text("mail", isOptional: true),
      .text("department", isOptional: true), .text("externalID", isOptional: true),
    ], isNumbered: true)

  private static let personGroup = MovedTable(
    "personGroup",
    [.number("id"), .text("name"), .text("nameKey"), .time("createdAt"), .text("externalID", isOptional: true)],
    isNumbered: true)

  private static let groupMember = MovedTable(
    "groupMember", [.number("number"), .number("groupID"), .username("username")], isNumbered: true)

  private static let groupMapping = MovedTable(
    "groupMapping",
    [
      .number("groupID"), .text("policyGroup", isOptional: true),
      // No mapping makes an administrator.
      MovedColumn("role", .oneOf(roles.filter { $0 != "administrator" }), isOptional: true), .text("madeBy"),
      .time("madeAt"),
    ])

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

  private static let passkey = MovedTable(
    "passkey",
    [
      .number("number"), .username("username"), .text("rpID"), .bytes("credentialID"), .bytes("userHandle"),
      .bytes("publicKey"),
      .short("signCounter"), .bytes("aaguid", count: 16), MovedColumn("isAttested", .integer(0...1)),
      MovedColumn("isBackupEligible", .integer(0...1)), MovedColumn("isBackedUp", .integer(0...1)),
      .text("transports"), .time("registeredAt"), .time("lastUsedAt", isOptional: true),
      .time("revokedAt", isOptional: true), .text("revokedBy", isOptional: true),
      .text("revokedReason", isOptional: true), .text("issuedBy", isOptional: true),
      .text("vouchedBy", isOptional: true),
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

  // The hashes of the approval codes are not moved. An empty hash matches no code, so the new store treats open texts as
  // closed.
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

  // The hashes of the join codes are not moved: the new store treats open codes as closed.
  private static let joinCode = MovedTable(
    "joinCode",
    [
      .number("number"), .text("machineGroup"), .number("machines"), .text("issuedBy"), .time("issuedAt"),
      .time("expiresAt"),
    ], isNumbered: true)

  // With the IDs, which follow from `machine.secret`, and the values by which the next reports are judged, the new server knows
  // the machines as the old one did.
  private static let joinedMachine = MovedTable(
    "joinedMachine",
    [
      .number("number"), .number("codeNumber"), .text("deviceID"), .text("deviceName", isOptional: true),
      .text("deviceModel", isOptional: true), .text("deviceOS", isOptional: true), .text("machineGroup"),
      .time("joinedAt"), .time("leftAt", isOptional: true), .time("revokedAt", isOptional: true),
      .time("changeNumber"), .time("lastContactAt", isOptional: true), .text("moduleVersion", isOptional: true),
      .time("policyVersion", isOptional: true), .text("standingLocks", isOptional: true),
      .time("copySeenAt", isOptional: true), MovedColumn("machineID", .bytes(count: 16), isOptional: true),
      MovedColumn("reportMark", .bytes(count: 16), isOptional: true), .time("offlineNumber", isOptional: true),
      .text("wrongValues", isOptional: true), .text("findings", isOptional: true),
      .time("examinedAt", isOptional: true),
    ], isNumbered: true)

  private static let announcedAuthority = MovedTable(
    "announcedAuthority",
    [
      .text("fingerprint"), .bytes("certificate"), .text("announcedBy"), .time("announcedAt"), .time("usedFrom"),
      .time("endedAt", isOptional: true),
    ])

  private static let machinePolicy = MovedTable(
    "machinePolicy",
    [
      .number("number"), .text("machineGroup"), .time("lifetime"), .time("savedAt"), .text("actor"), .text("reason"),
      .text("content"),
    ])

  private static let accessToken = MovedTable(
    "accessToken",
    [
      .username("name"), .bytes("hash", count: 32), MovedColumn("role", .oneOf(roles + ["provisioning"])),
      .text("createdBy"), .time("createdAt"),
      .time("expiresAt"), .text("addresses"), .time("lastUsedAt", isOptional: true),
      .time("revokedAt", isOptional: true),
    ])

  private static let administrator = MovedTable(
    "administrator",
    [
      .username("name"), MovedColumn("role", .oneOf(roles)), .text("addedBy"), .time("addedAt"),
      MovedColumn("groupID", .integer(1...Int64.max), isOptional: true),
    ])

  // The raw values of `Role` that people can have: a row with any other text would be an administrator who is not shown as
  // one.
  private static let roles = ["auditor", "helpdesk", "operator", "administrator"]

  private static let policy = MovedTable(
    "policy", [.number("number"), .time("savedAt"), .text("actor"), .text("reason"), .text("content")])

  // Earlier wrong answers still count: a move gives nobody new guesses.
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

  // The position of a sink is moved; the lease of the instance that sends to it is not.
  private static let auditDelivery = MovedTable(
    "auditDelivery", [.text("sink"), .time("delivered")], fixed: [("holder", .text("")), ("heldUntil", .integer(0))])
}

/// A column of a table that is moved from one store to another, and its possible values.
package struct MovedColumn: Equatable, Sendable {
  /// The values that a column may have.
  package enum Kind: Equatable, Sendable {
    case integer(ClosedRange<Int64>)
    /// Without U+0000, which PostgreSQL refuses.
    case text
    case username
    /// One of some texts.
    case oneOf([String])
    /// Bytes of this count; nil for any number, even none.
    case bytes(count: Int?)
  }

  /// The name of the column in both engines, and of its member in a line of an export.
  package let name: String
  package let kind: Kind
  package let isOptional: Bool

  init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
  }

  /// Whether the column may have this value.
  package func allows(_ value: MovedValue) -> Bool {
    switch (kind, value) {
    case (_, .none): isOptional
    case (.integer(let range), .integer(let number)): range.contains(number)
    case (.text, .text(let text)): !text.utf8.contains(0)
    case (.username, .text(let text)): Username.isValid(text)
    case (.oneOf(let texts), .text(let text)): texts.contains(text)
    case (.bytes(let count), .bytes(let bytes)): count == nil || bytes.count == count
    default: false
    }
  }
}

extension MovedColumn {
  /// Seconds since 1970, and other numbers that are never negative.
  static func time(_ name: String, isOptional: Bool = false) -> MovedColumn {
    MovedColumn(name, .integer(0...Int64.max), isOptional: isOptional)
  }

  /// The number by which rows are ordered.
  static func number(_ name: String) -> MovedColumn { MovedColumn(name, .integer(1...Int64.max)) }

  /// An unsigned number of 32 bits, such as a counter.
  static func short(_ name: String) -> MovedColumn { MovedColumn(name, .integer(0...Int64(UInt32.max))) }

  static func text(_ name: String, isOptional: Bool = false) -> MovedColumn {
    MovedColumn(name, .text, isOptional: isOptional)
  }

  static func username(_ name: String) -> MovedColumn { MovedColumn(name, .username) }

  static func bytes(_ name: String, count: Int? = nil) -> MovedColumn { MovedColumn(name, .bytes(count: count)) }
}

/// A row of a table as a line of an export: a JSON object with the row's type, and a member for each value.
package enum MovedLine {
  /// Why a line is not a row of its table.
  package enum Fault: Error, Equatable {
    /// The member is missing, or its value is not allowed in the column.
    case wrongMember(String)
    /// No column has this name.
    case unknownMember(String)
  }

  /// Bytes are base64url, and a column without a value has no member.
  package static func object(_ row: [MovedValue], of table: MovedTable) -> JSONObject {
    var object: JSONObject = ["type": .string(table.type)]
    for (value, column) in zip(row, table.columns) {
      switch value {
      case .integer(let number): object.set(column.name, .integer(number))
      case .text(let text): object.set(column.name, .string(text))
      case .bytes(let bytes): object.set(column.name, .string(Base64URL.encode(bytes)))
      case .none: break
      }
    }
    return object
  }

  /// Reads the members of a line.
  ///
  /// - Returns: a value for each of the table's columns.
  package static func row(_ object: JSONObject, of table: MovedTable) throws(Fault) -> [MovedValue] {
    var row: [MovedValue] = []
    row.reserveCapacity(table.columns.count)
    var found = 1
    for column in table.columns {
      let value = value(object[column.name], of: column)
      guard let value, column.allows(value) else { throw .wrongMember(column.name) }
      if value != .none { found += 1 }
      row.append(value)
    }
    guard object.members.count == found else {
      let names = ["type"] + table.columns.map(\.name)
      throw .unknownMember(object.members.map(\.name).first { !names.contains($0) } ?? "")
    }
    return row
  }

  /// The value of a member; nil if it is of a different kind.
  private static func value(_ member: JSONValue?, of column: MovedColumn) -> MovedValue? {
    switch (column.kind, member) {
    case (_, .none): .some(.none)
    case (.integer, .integer(let number)?): .integer(number)
    case (.text, .string(let text)?), (.username, .string(let text)?), (.oneOf, .string(let text)?): .text(text)
    case (.bytes, .string(let text)?): (try? Base64URL.decode(text, maximumCount: text.utf8.count)).map { .bytes($0) }
    default: nil
    }
  }
}

/// A value of a row that is moved from one store to another.
package enum MovedValue: Equatable, Sendable {
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// NULL.
  case none
}

/// The record that a store was moved away: the id of the move, and where the rows are now.
package struct StoreMove: Equatable, Sendable {
  /// Random bytes as text, without a space.
  package let mark: String
  /// Hosts and database, for people; no secret.
  package let place: String

  package init(mark: String, place: String) {
    self.mark = mark
    self.place = place
  }

  /// Reads the text that ``text`` writes.
  package init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    mark = parts.first.map(String.init) ?? ""
    place = parts.count > 1 ? String(parts[1]) : ""
  }

  package var text: String { "\(mark) \(place)" }
}

/// All rows of a store, for moving them to a different store.
package protocol StoreContents {
  /// Whether the store is empty, except for the id of an unfinished import.
  func isEmpty() throws -> Bool

  /// How many rows of a table are moved.
  func count(_ table: MovedTable) throws -> Int64

  /// Reads rows in the order of their keys, with a value for each of the table's columns.
  ///
  /// - Parameters:
  ///   - key: rows after this key; nil for the first ones.
  ///   - limit: how many at most.
  /// - Throws: also for a stored value that is not text in UTF-8, or not a number of 64 bits.
  func rows(_ table: MovedTable, after key: MovedValue?, limit: Int) throws -> [[MovedValue]]

  /// Adds rows as they are.
  ///
  /// - Parameter rows: in the order of their keys, each with a value for each of the table's columns.
  func add(_ rows: [[MovedValue]], to table: MovedTable) throws

  /// Sets the engine's counters, and the end of the audit's chain, so that new rows follow the present ones; makes the index of
  /// the search.
  func continueNumbers() throws

  /// Empties the store, but keeps the id of the unfinished import.
  func removeAll() throws
}
