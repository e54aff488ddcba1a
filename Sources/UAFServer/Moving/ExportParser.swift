import UAFCrypto
import UAFMessages
import UAFService

/// Reads an export line by line, and checks that it is whole and in order.
struct ExportParser: ~Copyable {
  /// What the first line says.
  struct Header: Equatable {
    /// Seconds since 1970.
    let madeAt: Int64
    let version: String
    let store: String
    /// How many rows there are of each type.
    let counts: JSONObject
  }

  private var reader: ExportReader
  /// Of all lines before the one that is read.
  private var hash: SHA256Stream
  private(set) var header: Header
  private var found = [Int64](repeating: 0, count: MovedTable.all.count)
  private var place = 0
  private var last: MovedValue?

  /// The number of the line that was read last.
  var line: Int { reader.number }

  /// Begins with the header.
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

  /// The next row; nil after the last line, which holds then.
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
