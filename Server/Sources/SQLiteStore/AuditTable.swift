import GRDB
import SQLStore
import UAFService

/// The tables of the audit and of its signed heads.
struct AuditTable: SQLAuditTrail {
  let connection: Database

  func append(_ events: [AuditEntry]) throws { try AuditStatements(connection).append(events) }

  func last() throws -> AuditLink { try AuditStatements(connection).last() }
}

/// The statements that add rows to the audit.
///
/// Texts are bound and read by their length. GRDB would end them at U+0000, and then the hash of the stored text would not
/// match.
struct AuditStatements {
  /// Reads the end of the chain: number, hash.
  private static let end = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1"
  /// Inserts a row: number, time, the texts, hash.
  private static let append = """
    INSERT INTO audit (number, time, kind, outcome, account, actor, address, machine, authenticators, detail, hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """

  private let end: PreparedStatement
  private let append: PreparedStatement

  /// Prepares the statements on a connection.
  ///
  /// - Throws: ``SQLiteFailure``.
  init(_ db: Database) throws {
    end = try PreparedStatement(Self.end, on: db)
    append = try PreparedStatement(Self.append, on: db)
  }

  /// The end of the chain.
  ///
  /// - Throws: ``SQLiteFailure``.
  func last() throws -> AuditLink {
    var link = AuditLink.start
    try end.run([]) { link = AuditLink(number: $0.integer(0), hash: $0.bytes(1)) }
    return link
  }

  /// Adds rows.
  ///
  /// - Throws: ``SQLiteFailure``; ``CryptoError``.
  func append(_ events: [AuditEntry]) throws {
    guard !events.isEmpty else { return }
    // The end is read each time, because a different process may have added rows.
    var link = try last()
    for event in events {
      link = try link.next(event.body)
      let texts = event.texts.map { StatementValue.text($0) }
      try append.run([.integer(link.number), .integer(event.time)] + texts + [.bytes(link.hash)])
    }
  }
}
