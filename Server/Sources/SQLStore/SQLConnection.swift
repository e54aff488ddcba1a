// Purpose: The tables of uaf-server's store, in SQL that SQLite and PostgreSQL both understand. SQLiteStore and PostgreSQLStore
// each contain a driver, and the parts that differ or must be fast. This target imports neither GRDB nor libpq. The protocols
// in UAFService/Store say what each table promises.

import UAFService

/// A connection to a database, within a transaction.
///
/// Statements have the parameters `?1`, `?2` and so on. Each statement text is prepared once and kept, so there must be only a
/// few different texts.
package protocol SQLConnection: SendableMetatype {
  associatedtype ResultRow: SQLRow

  /// Runs a statement.
  ///
  /// - Parameter values: one for each parameter.
  /// - Returns: the number of changed rows.
  /// - Throws: the engine's ``StoreFailure``. The other functions throw the same.
  @discardableResult func run(_ sql: String, _ values: [SQLValue]) throws -> Int

  /// Runs a statement, and returns a value for each row of its result.
  ///
  /// - Parameter value: makes the value for a row, which is valid only during the call. It must not run a statement.
  func rows<Value>(
    _ sql: String, _ values: [SQLValue], _ value: (ResultRow) throws -> Value
  ) throws -> [Value]

  /// Runs a statement once for each list of values; a driver may send several before it waits for the first result.
  func runEach(_ sql: String, _ values: [[SQLValue]]) throws

  // SQL in which the engines differ.

  /// The operator that matches a pattern without regard to the case of ASCII letters.
  static var like: String { get }
  /// The suffix with which a text of the table `credential` is compared by bytes, whatever the collation of the database.
  static var byBytes: String { get }
  /// The column of `account` and `openRegistration` that numbers their rows in the order of their insertion.
  static var rowNumber: String { get }
  /// The condition that the AAID of a row of `credential` equals a parameter.
  static func isAAID(_ parameter: String) -> String
  /// SQL that turns a JSON array of texts, the parameter `?`, into a list for `IN`.
  static var jsonTexts: String { get }
  /// The same for a JSON array of whole numbers.
  static var jsonNumbers: String { get }
  /// A table in `FROM`, with a hint for an engine that would not choose the index that finds only a few rows.
  static func table(_ name: String, by index: String) -> String
  /// An aggregate that joins the values of a group with commas.
  static func joined(_ values: String) -> String
}

extension SQLConnection {
  @discardableResult package func run(_ sql: String) throws -> Int { try run(sql, []) }

  package func runEach(_ sql: String, _ values: [[SQLValue]]) throws {
    for values in values { try run(sql, values) }
  }

  package func rows<Value>(_ sql: String, _ value: (ResultRow) throws -> Value) throws -> [Value] {
    try rows(sql, [], value)
  }

  /// Runs a statement that returns only a few rows.
  ///
  /// - Returns: the value of the first row; nil if there is none.
  package func row<Value>(
    _ sql: String, _ values: [SQLValue] = [], _ value: (ResultRow) throws -> Value
  ) throws -> Value? {
    try rows(sql, values, value).first
  }

  /// Runs a statement that always returns a row.
  package func requiredRow<Value>(
    _ sql: String, _ values: [SQLValue] = [], _ value: (ResultRow) throws -> Value
  ) throws -> Value {
    guard let found = try row(sql, values, value) else { throw ResultRow.unreadable }
    return found
  }
}

/// The value of a parameter.
///
/// nil is NULL, of the type of its case.
package enum SQLValue {
  case integer(Int64?)
  case text(String?)
  case bytes([UInt8]?)

  package static func integer(_ number: some BinaryInteger) -> SQLValue { .integer(Int64?(Int64(clamping: number))) }

  /// A list of parameters for `IN`; `first` is the number of the first parameter.
  static func list(_ count: Int, from first: Int) -> String {
    (first..<first + count).map { "?\($0)" }.joined(separator: ", ")
  }
}

/// A row of a statement's result.
///
/// Columns are numbered from 0.
///
/// If a value has a different type than the function reads, the function throws ``unreadable`` or an error of the engine.
package protocol SQLRow: SendableMetatype {
  /// The error for a stored value that this program never writes.
  static var unreadable: any StoreFailure { get }

  func optionalInteger(_ column: CInt) throws -> Int64?
  func optionalText(_ column: CInt) throws -> String?
  /// The bytes of a BLOB, or the stored bytes of a text.
  func bytes(_ column: CInt) throws -> [UInt8]?
  /// The result of a comparison.
  func boolean(_ column: CInt) throws -> Bool
}

extension SQLRow {
  /// A number, if it is in the range of the requested type.
  package func integer<Number: FixedWidthInteger>(_ column: CInt, as type: Number.Type = Int64.self) throws -> Number {
    guard let number = try optionalInteger(column).flatMap({ Number(exactly: $0) }) else { throw Self.unreadable }
    return number
  }

  package func text(_ column: CInt) throws -> String {
    guard let text = try optionalText(column) else { throw Self.unreadable }
    return text
  }

  package func requiredBytes(_ column: CInt) throws -> [UInt8] {
    guard let bytes = try bytes(column) else { throw Self.unreadable }
    return bytes
  }
}

/// One transaction of a store, with the tables that are the same for all engines.
package protocol SQLTransaction: StoreTransaction {
  associatedtype Engine: SQLConnection

  var connection: Engine { get }
}

extension SQLTransaction {
  package var accessTokens: any AccessTokens { AccessTokenTable(connection: connection) }
  package var accounts: any Accounts { AccountTable(connection: connection) }
  package var administrators: any Administrators { AdministratorTable(connection: connection) }
  package var approvals: any Approvals { ApprovalTable(connection: connection) }
  package var auditDeliveries: any AuditDeliveries { AuditDeliveryTable(connection: connection) }
  package var confirmedTexts: any ConfirmedTexts { ConfirmedTextTable(connection: connection) }
  package var consoleSessions: any ConsoleSessions { ConsoleSessionTable(connection: connection) }
  package var credentials: any Credentials { CredentialTable(connection: connection) }
  package var enrolments: any Enrolments { EnrolmentTable(connection: connection) }
  package var groupMappings: any GroupMappings { GroupMappingTable(connection: connection) }
  package var issuedCodes: any IssuedCodes { IssuedCodeTable(connection: connection) }
  package var joinCodes: any JoinCodes { JoinCodeTable(connection: connection) }
  package var joinedMachines: any JoinedMachines { JoinedMachineTable(connection: connection) }
  package var machinePolicies: any SavedMachinePolicies { MachinePolicyTable(connection: connection) }
  package var machineTrusts: any MachineTrusts { MachineTrustTable(connection: connection) }
  package var machines: any Machines { MachineTable(connection: connection) }
  package var openRegistrations: any OpenRegistrations { OpenRegistrationTable(connection: connection) }
  package var passkeys: any Passkeys { PasskeyTable(connection: connection) }
  package var personGroups: any PersonGroups { PersonGroupTable(connection: connection) }
  package var policyVersions: any PolicyVersions { PolicyVersionTable(connection: connection) }
  package var profiles: any Profiles { ProfileTable(connection: connection) }
  package var provisioning: any Provisioning { ProvisioningTable(connection: connection) }
  package var repeatableRequests: any RepeatableRequests { RepeatableRequestTable(connection: connection) }
  package var settings: any Settings { SettingTable(connection: connection) }

  /// Marks a text as confirmed, if it is still open and reserved by this challenge.
  ///
  /// - Returns: whether the text was still open and reserved.
  /// - Throws: the engine's ``StoreFailure``.
  package func confirmApproval(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> Bool {
    try ApprovalTable(connection: connection).confirm(id: id, reservedBy: challengeHash, now: now)
  }
}
