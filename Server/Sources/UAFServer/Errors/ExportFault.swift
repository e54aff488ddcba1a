import UAFDecoder
import UAFService

/// Why an export is not imported.
enum ExportFault: Error, Equatable, CustomStringConvertible {
  case notAnExport
  case otherForm(Int64)
  /// The last line is missing.
  case cut
  /// There are lines after the one that ends the export.
  case afterEnd(line: Int)
  case tooLong(line: Int)
  case unreadable(line: Int)
  case unknownType(line: Int, String)
  case wrongMember(line: Int, type: String, String)
  case unknownMember(line: Int, type: String, String)
  /// A row is out of order, or appears twice.
  case wrongOrder(line: Int)
  case wrongCount(type: String)
  case wrongHash
  /// The export has changed since it was first read.
  case changedMeanwhile
  case storeNotEmpty
  /// A second import into the same store has begun.
  case otherImport
  /// Somebody else changed the store during the import.
  case storeWritten(type: String)
  /// The rows in the store differ from those that were read.
  case otherRows
  /// The store refuses one of these rows.
  case refused(lines: ClosedRange<Int>, reason: String)

  /// The longest line of an export, in bytes; a policy may be long.
  static let longestLine = 1 << 20

  var description: String {
    switch self {
    case .notAnExport:
      "its first line is not a header of 'uaf-server export': name a file that 'uaf-server export' has made"
    case .otherForm(let form): "its form is \(form): import it with the uaf-server that made it"
    case .cut: "it has no last line, so the export was cut: make it again"
    case .afterEnd(let line): "line \(line) comes after the end: two files were put together: make the export again"
    case .tooLong(let line): "line \(line) is longer than \(Self.longestLine) bytes: no export has such a line"
    case .unreadable(let line): "line \(line) is not a JSON object with a type: the export was changed: make it again"
    case .unknownType(let line, let type):
      "line \(line) has the type \(Self.shown(type)), which this uaf-server does not know: import it with the "
        + "version that made it"
    case .wrongMember(let line, let type, let name):
      "line \(line): \(Self.shown(name)) of this \(type) is missing or has a wrong value: make the export again"
    case .unknownMember(let line, let type, let name):
      "line \(line): no \(type) has the member \(Self.shown(name)): import it with the uaf-server that made it"
    case .wrongOrder(let line): "line \(line) is not in the right place, or appears twice: make the export again"
    case .wrongCount(let type): "it does not have as many lines of the type \(type) as it says: make it again"
    case .wrongHash: "its hash differs from the hash in its last line: the export was changed: make it again"
    case .changedMeanwhile: "it was changed while it was read: import it again when nobody writes to it"
    case .storeNotEmpty:
      "the store is not empty: name a state folder without server.db, or with --store an empty database"
    case .otherImport:
      "another import into this store has begun since then: this import has ended, and nothing of it is in the store"
    case .storeWritten(let type):
      "the store does not have the expected number of rows of the type \(type): stop everything that uses the "
        + "store, and run the import again"
    case .otherRows: "after the copy the database and server.db do not have the same contents"
    case .refused(let lines, let reason):
      "the store refuses one of the lines \(lines.lowerBound) to \(lines.upperBound): \(reason)"
    }
  }

  private static func shown(_ text: String) -> String { ShownValue.quoted(text, maximumCount: 80) }
}

/// Why a store was not moved, and the state in which both stores are now.
struct MoveFailure: Equatable, CustomStringConvertible {
  /// The state of the two stores.
  enum Standing: Equatable {
    case untouched
    /// The copy is incomplete.
    case copying
    /// The old store is closed, or the disk failed while it was being closed.
    case closed
  }

  let reason: String
  let standing: Standing

  var description: String {
    switch standing {
    case .untouched: "\(reason): server.db and the database are as they were"
    case .copying:
      "\(reason): server.db is as it was and still in use; the database may have a part of the copy, and no "
        + "server uses it: "
        + "run the command again"
    case .closed:
      "\(reason): server.db may be closed, and the database is not open yet: run the command again, or use "
        + "server.db again "
        + "with --abandon"
    }
  }
}

/// The error of a store that was moved away while the server had it open: it can still be read, but not changed.
struct MovedStore: StoreFailure {
  var logName: String { "store-moved" }
  var text: String { StoreError.movedShortText }
}
