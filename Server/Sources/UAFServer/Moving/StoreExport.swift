import Glibc
import HostSystem
import Synchronization
import UAFCrypto
import UAFMessages
import UAFService

/// Writes all rows of a store that can be moved, as lines of JSON; they show the store at one moment.
struct StoreExport {
  /// The version of this format; an export with a different version is refused.
  static let form: Int64 = 4

  /// The number and the hash of what was written.
  struct Summary: Equatable {
    let rows: Int64
    /// The SHA-256 of all lines except the last, as base64url.
    let hash: String
  }

  private static let page = 1000

  let store: any ServerStore
  /// The store's kind, `sqlite` or `postgresql`.
  let kind: String
  /// Seconds since 1970.
  let now: Int64

  /// Writes to an open file; if `descriptor` is nil, only hashes what would be written.
  ///
  /// One transaction reads everything, page by page. So changes in the meantime are not included, and only one page is in
  /// memory at a time.
  ///
  /// - Throws: ``ServerError``; ``StoreFailure``.
  func write(to descriptor: CInt?) async throws -> Summary {
    let hasBegun = Atomic(false)
    return try await store.read { [self] records in
      // A store may run this body again on a new connection, but lines that were written cannot be withdrawn.
      guard !hasBegun.exchange(true, ordering: .relaxed) else {
        throw ServerError.unusableStore("the connection to the store was lost during the export: run it again")
      }
      return try write(records.contents, to: descriptor)
    }
  }

  /// Writes the rows that one transaction sees.
  func write(_ contents: any StoreContents, to descriptor: CInt?) throws -> Summary {
    var writer = try ExportWriter(descriptor)
    var counts = JSONObject()
    for table in MovedTable.all { counts.set(table.type, .integer(try contents.count(table))) }
    try writer.add([
      "type": .string("header"), "form": .integer(Self.form), "version": .string(ServerVersion.current),
      "store": .string(kind), "madeAt": .integer(now), "counts": .object(counts),
    ])
    var (written, all) = (JSONObject(), Int64(0))
    for table in MovedTable.all {
      var (count, key) = (Int64(0), MovedValue?.none)
      while true {
        let rows = try contents.rows(table, after: key, limit: Self.page)
        for row in rows { try writer.add(MovedLine.object(row, of: table)) }
        count += Int64(rows.count)
        key = rows.last?.first
        guard rows.count == Self.page else { break }
      }
      written.set(table.type, .integer(count))
      all += count
    }
    return Summary(rows: all, hash: try writer.end(["type": .string("end"), "counts": .object(written)]))
  }
}

/// Writes the lines of an export, and hashes them.
struct ExportWriter: ~Copyable {
  private static let mostBuffered = 1 << 16

  /// The destination of the lines; nil to hash them only.
  private let descriptor: CInt?
  private var hash: SHA256Stream
  private var buffer: [UInt8] = []

  /// - Throws: ``CryptoError``.
  init(_ descriptor: CInt?) throws {
    self.descriptor = descriptor
    hash = try SHA256Stream()
  }

  /// - Throws: ``ServerError``; ``CryptoError``.
  mutating func add(_ object: JSONObject) throws {
    let line = JSONValue.object(object).bytes + [UInt8(ascii: "\n")]
    try hash.add(line.span)
    buffer += line
    if buffer.count >= Self.mostBuffered { try flush() }
  }

  /// Writes the last line, which contains the hash of all lines before it, and returns the hash.
  consuming func end(_ object: JSONObject) throws -> String {
    var object = object
    try flush()
    let text = Base64URL.encode(try hash.hash())
    object.set("sha256", .string(text))
    try Self.write(JSONValue.object(object).bytes + [UInt8(ascii: "\n")], to: descriptor)
    return text
  }

  private mutating func flush() throws {
    try Self.write(buffer, to: descriptor)
    buffer.removeAll(keepingCapacity: true)
  }

  private static func write(_ bytes: [UInt8], to descriptor: CInt?) throws {
    guard let descriptor else { return }
    guard DescriptorWriter.write(bytes, to: descriptor) else { throw ServerError.unwritten(errorNumber: errno) }
  }
}

/// The file of an export: a new file to which only its owner has access.
enum ExportFile {
  /// Creates the file, and calls `body` to fill it.
  ///
  /// - Throws: ``ServerError``, and the errors of `body`; the file is removed then.
  static func make<Value>(_ path: String, _ body: (CInt) async throws -> Value) async throws -> Value {
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ServerError.cannotMake(path) }
    defer { close(descriptor) }
    do {
      let value = try await body(descriptor)
      guard fsync(descriptor) == 0 else { throw ServerError.unusableFile(path: path, system: "cannot be written") }
      return value
    } catch {
      // SAFETY: the string lives for the call. A part of an export is useless.
      unsafe unlink(path)
      throw error
    }
  }
}
