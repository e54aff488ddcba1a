import Glibc
import UAFCrypto
import UAFMessages
import UAFService

/// Fills an empty store with the rows of an export.
struct StoreImport {
  private static let batch = 1000

  let store: any ServerStore
  /// An open file that nobody else writes to.
  let descriptor: CInt
  let path: String
  /// The unique id of this import: random bytes as text.
  let mark: String

  /// Checks a whole export without storing anything.
  ///
  /// - Throws: ``ExportFault``; ``ServerError``.
  static func check(_ descriptor: CInt, path: String) throws -> ExportParser.Header {
    var parser = try ExportParser(descriptor, path: path)
    while try parser.next() != nil {}
    return parser.header
  }

  /// Stores all rows in several transactions, and at the end adds a row to the audit.
  ///
  /// Until the import has finished, the store contains the import's id, and as long as it does, no command opens the store. A
  /// second import removes the rows of an unfinished one, and stores its own id. Each transaction checks that the id is still
  /// that of its import. So if two imports run at the same time, the first one fails without changing anything more.
  ///
  /// - Parameters:
  ///   - entry: the row with which the audit continues.
  ///   - now: seconds since 1970; proofs from before this time will be refused.
  ///   - closing: called after all rows were stored, and before the store can be used.
  /// - Returns: the number of stored rows.
  /// - Throws: ``ExportFault``; ``ServerError``; ``StoreFailure``.
  func run(
    _ header: ExportParser.Header, entry: AuditEntry, now: Int64, closing: () async throws -> Void
  ) async throws -> Int64 {
    try await begin()
    var parser = try ExportParser(descriptor, path: path)
    guard parser.header == header else { throw ExportFault.changedMeanwhile }
    var (rows, table, count) = ([[MovedValue]](), MovedTable.all[0], Int64(0))
    while let next = try parser.next() {
      if next.table != table || rows.count == Self.batch {
        try await add(rows, to: table, before: parser.line)
        rows.removeAll(keepingCapacity: true)
      }
      table = next.table
      rows.append(next.row)
      count += 1
    }
    try await add(rows, to: table, before: parser.line)
    try await closing()
    try await ImportEnd(store: store, mark: mark).run(counts: header.counts, entry: entry, now: now)
    return count
  }

  private func begin() async throws {
    try await store.write { [mark] records in
      if try records.settings.value(of: .unfinishedImport) != nil { try records.contents.removeAll() }
      guard try records.contents.isEmpty() else { throw ExportFault.storeNotEmpty }
      try records.settings.set(.unfinishedImport, to: mark)
    }
  }

  private func add(_ rows: [[MovedValue]], to table: MovedTable, before line: Int) async throws {
    guard !rows.isEmpty else { return }
    do {
      try await store.write { [mark] records in
        try ImportEnd.require(mark, in: records)
        try records.contents.add(rows, to: table)
      }
    } catch let failure as any StoreFailure {
      throw ExportFault.refused(lines: (line - rows.count)...(line - 1), reason: failure.text)
    }
  }
}

/// Reads the lines of a file, one at a time.
struct ExportReader: ~Copyable {
  private static let part = 1 << 16

  private let descriptor: CInt
  private let path: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of the line that was read last.
  private(set) var number = 0

  /// Starts at the first line of an open file.
  init(_ descriptor: CInt, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw ServerError.unusableFile(
        path: path,
        reason: "must be a regular file, not a pipe: the import reads it twice")
    }
  }

  /// Returns the next line with its line end; nil after the last one.
  ///
  /// - Throws: ``ExportFault/tooLong(line:)``; ``ExportFault/cut`` if the line has no line end; ``ServerError``.
  mutating func next() throws -> ArraySlice<UInt8>? {
    var looked = start
    while true {
      if let end = buffer[looked...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        number += 1
        return buffer[start...end]
      }
      guard buffer.count - start <= ExportFault.longestLine else { throw ExportFault.tooLong(line: number + 1) }
      if isAtEnd {
        guard start == buffer.count else { throw ExportFault.cut }
        return nil
      }
      buffer.removeFirst(start)
      start = 0
      looked = buffer.count
      try fill()
    }
  }

  private mutating func fill() throws {
    var bytes = [UInt8](repeating: 0, count: Self.part)
    while true {
      // SAFETY: no more is read than there is room for.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        // SAFETY: strerror's text is copied immediately.
        throw ServerError.unusableFile(
          path: path, reason: unsafe "cannot be read: \(String(cString: strerror(errno)))")
      }
      isAtEnd = count == 0
      buffer += bytes.prefix(count)
      return
    }
  }
}

/// Reads an export line by line, and checks that it is complete and in order.
struct ExportParser: ~Copyable {
  /// The contents of the first line.
  struct Header: Equatable {
    /// Seconds since 1970.
    let madeAt: Int64
    let version: String
    let store: String
    /// The number of rows of each type.
    let counts: JSONObject
  }

  private var reader: ExportReader
  /// The hash of all lines before the current one.
  private var hash: SHA256Stream
  private(set) var header: Header
  private var found = [Int64](repeating: 0, count: MovedTable.all.count)
  private var place = 0
  private var last: MovedValue?

  /// The number of the line that was read last.
  var line: Int { reader.number }

  /// Reads the header.
  ///
  /// - Throws: ``ExportFault``; ``ServerError``; ``CryptoError``.
  init(_ descriptor: CInt, path: String) throws {
    var reader = try ExportReader(descriptor, path: path)
    var hash = try SHA256Stream()
    guard let line = try reader.next(), let object = Self.object(line), object["type"] == .string("header"),
      case .integer(let form)? = object["form"]
    else { throw ExportFault.notAnExport }
    guard form == StoreExport.form else { throw ExportFault.otherForm(form) }
    guard case .integer(let madeAt)? = object["madeAt"], case .string(let version)? = object["version"],
      case .string(let store)? = object["store"], case .object(let counts)? = object["counts"]
    else { throw ExportFault.notAnExport }
    try hash.add(line.span)
    header = Header(madeAt: madeAt, version: version, store: store, counts: counts)
    self.reader = reader
    self.hash = hash
  }

  /// Returns the next row; nil if the last line was reached, and is valid.
  ///
  /// - Throws: ``ExportFault``; ``ServerError``; ``CryptoError``.
  mutating func next() throws -> (table: MovedTable, row: [MovedValue])? {
    guard let bytes = try reader.next() else { throw ExportFault.cut }
    guard let object = Self.object(bytes), case .string(let type)? = object["type"] else {
      throw ExportFault.unreadable(line: line)
    }
    if type == "end" {
      try checkEnd(object)
      return nil
    }
    guard let index = MovedTable.all.firstIndex(where: { $0.type == type }) else {
      throw ExportFault.unknownType(line: line, type)
    }
    let table = MovedTable.all[index]
    let row: [MovedValue]
    do throws(MovedLine.Fault) {
      row = try MovedLine.row(object, of: table)
    } catch {
      switch error {
      case .wrongMember(let name): throw ExportFault.wrongMember(line: line, type: type, name)
      case .unknownMember(let name): throw ExportFault.unknownMember(line: line, type: type, name)
      }
    }
    guard isInOrder(row[0], index) else { throw ExportFault.wrongOrder(line: line) }
    (place, last) = (index, row[0])
    found[index] += 1
    try hash.add(bytes.span)
    return (table, row)
  }

  private func isInOrder(_ key: MovedValue, _ index: Int) -> Bool {
    guard index == place, let last else { return index >= place }
    switch (last, key) {
    case (.integer(let one), .integer(let other)): return one < other
    case (.text(let one), .text(let other)): return one.utf8.lexicographicallyPrecedes(other.utf8)
    default: return false
    }
  }

  private mutating func checkEnd(_ object: JSONObject) throws {
    var whole = try SHA256Stream()
    swap(&whole, &hash)
    guard try object["sha256"] == .string(Base64URL.encode(whole.hash())) else { throw ExportFault.wrongHash }
    guard case .object(let counted)? = object["counts"] else { throw ExportFault.unreadable(line: line) }
    for (table, count) in zip(MovedTable.all, found) {
      guard header.counts[table.type] == .integer(count), counted[table.type] == .integer(count) else {
        throw ExportFault.wrongCount(type: table.type)
      }
    }
    guard try reader.next() == nil else { throw ExportFault.afterEnd(line: line) }
  }

  private static func object(_ line: ArraySlice<UInt8>) -> JSONObject? {
    let limits = JSONLimits(maximumBytes: ExportFault.longestLine, maximumDepth: 4)
    let value = try? JSONValue(parsing: Array(line.dropLast()), limits: limits)
    guard case .object(let object)? = value else { return nil }
    return object
  }
}

/// The last transaction of an import.
///
/// After it the store can be used.
struct ImportEnd {
  let store: any ServerStore
  /// The id of the import.
  let mark: String

  /// Refuses to continue in a store that a different import has taken over or finished.
  static func require(_ mark: String, in records: any StoreTransaction) throws {
    guard try records.settings.value(of: .unfinishedImport) == mark else { throw ExportFault.otherImport }
  }

  /// Checks the number of rows, closes the open texts, and removes the import's id, so that the store can be used.
  ///
  /// - Parameters:
  ///   - counts: the number of rows of each type that the store must have; nil if the caller has checked that.
  ///   - entry: the row with which the audit continues.
  ///   - now: seconds since 1970; proofs from before this time will be refused.
  func run(counts: JSONObject?, entry: AuditEntry, now: Int64) async throws {
    try await store.write { [mark] records in
      try Self.require(mark, in: records)
      if let counts { try Self.require(counts, in: records.contents) }
      try records.contents.continueNumbers()
      try records.approvals.closeAll()
      try records.settings.set(.restoredAt, to: String(now))
      try records.settings.set(.importedAs, to: mark)
      try records.audit.append([entry])
      try records.settings.remove(.unfinishedImport)
    }
  }

  /// Checks the number of rows.
  ///
  /// A server that opened the store before the import's id was stored might have added rows of its own.
  private static func require(_ counts: JSONObject, in contents: any StoreContents) throws {
    for table in MovedTable.all {
      let count = try contents.count(table)
      guard counts[table.type] == .integer(count) else { throw ExportFault.storeWritten(type: table.type) }
    }
  }
}
