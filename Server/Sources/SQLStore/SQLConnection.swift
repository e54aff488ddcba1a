// Purpose: The tables of uaf-server's store, in SQL that SQLite and PostgreSQL both understand. SQLiteStore and PostgreSQLStore
// each have a driver, and the parts that differ or have to be fast. This target imports neither GRDB nor libpq. The protocols
// in UAFService/Store say what each table promises.

import UAFService

/// A connection to a database, within a transaction.
///
/// Statements have the parameters `?1`, `?2` and so on. Each text is prepared once, so a table has only a few texts.
package protocol SQLConnection: SendableMetatype {
  associatedtype ResultRow: SQLRow

  /// Runs a statement.
  ///
  /// - Parameter values: one for each parameter.
  /// - Returns: the number of changed rows.
  /// - Throws: the engine's ``StoreFailure``, and so do the other functions.
  @discardableResult func run(_ sql: String, _ values: [SQLValue]) throws -> Int

  /// Runs a statement to its end.
  ///
  /// - Parameter value: is called for each row, which is valid only during the call. It runs no statement.
  func rows<Value>(
    _ sql: String, _ values: [SQLValue], _ value: (ResultRow) throws -> Value
  ) throws -> [Value]

  // What the engines write differently.

  /// The operator for a pattern in which ASCII letters match both cases.
  static var like: String { get }
  /// The suffix of a text of the table `credential` that is compared by bytes, whatever the language of the database.
  static var byBytes: String { get }
  /// The column of `account` and `openRegistration` that numbers their rows in the order in which they came.
  static var rowNumber: String { get }
  /// The condition that the AAID of a row of `credential` is the one of a parameter.
  static func isAAID(_ parameter: String) -> String
  /// The texts of a JSON array, which is the parameter `?`, as a list for `IN`.
  static var jsonTexts: String { get }
  /// A table in `FROM`, for an engine that does not know which index finds only a few rows.
  static func table(_ name: String, by index: String) -> String
  /// The values of a group, with commas between them.
  static func joined(_ values: String) -> String
}

extension SQLConnection {
  @discardableResult package func run(_ sql: String) throws -> Int { try run(sql, []) }

  package func rows<Value>(_ sql: String, _ value: (ResultRow) throws -> Value) throws -> [Value] {
    try rows(sql, [], value)
  }

  /// Runs a statement that returns only a few rows.
  ///
  /// - Returns: the value of the first one; nil if there is none.
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

/// A parameter's value; nil is NULL, which has a type too.
package enum SQLValue {
  case integer(Int64?)
  case text(String?)
  case bytes([UInt8]?)

  package static func integer(_ number: some BinaryInteger) -> SQLValue { .integer(Int64?(Int64(clamping: number))) }

  /// Parameters as a list for `IN`; `first` is the number of the first one.
  static func list(_ count: Int, from first: Int) -> String {
    (first..<first + count).map { "?\($0)" }.joined(separator: ", ")
  }
}

/// A row of a statement's result; the first column is 0.
///
/// A value that is not of a column's type throws ``unreadable`` or an error of the engine.
package protocol SQLRow: SendableMetatype {
  /// The error for a stored value that the store has not written.
  static var unreadable: any StoreFailure { get }

  func optionalInteger(_ column: CInt) throws -> Int64?
  func optionalText(_ column: CInt) throws -> String?
  /// The bytes of a BLOB, or of a text as they are stored.
  func bytes(_ column: CInt) throws -> [UInt8]?
  /// The value of a comparison.
  func boolean(_ column: CInt) throws -> Bool
}

extension SQLRow {
  /// A number in the range of its type.
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

/// One transaction of a store, with a value for each table that is written once for all engines.
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
  package var issuedCodes: any IssuedCodes { IssuedCodeTable(connection: connection) }
  package var joinCodes: any JoinCodes { JoinCodeTable(connection: connection) }
  package var joinedMachines: any JoinedMachines { JoinedMachineTable(connection: connection) }
  package var machinePolicies: any SavedMachinePolicies { MachinePolicyTable(connection: connection) }
  package var machines: any Machines { MachineTable(connection: connection) }
  package var openRegistrations: any OpenRegistrations { OpenRegistrationTable(connection: connection) }
  package var policyVersions: any PolicyVersions { PolicyVersionTable(connection: connection) }
  package var repeatableRequests: any RepeatableRequests { RepeatableRequestTable(connection: connection) }
  package var settings: any Settings { SettingTable(connection: connection) }

  /// Marks a text as confirmed, if it is still open and reserved by this challenge.
  ///
  /// - Returns: whether it was.
  /// - Throws: the engine's ``StoreFailure``.
  package func confirmApproval(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> Bool {
    try ApprovalTable(connection: connection).confirm(id: id, reservedBy: challengeHash, now: now)
  }
}
