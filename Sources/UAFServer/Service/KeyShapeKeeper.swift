import Foundation
import GRDB
import Logging
import Synchronization

/// Knows which shapes the accounts of the store have, for those that are made up.
///
/// What was found stays in the store, so that a name's made-up keys are the same after a restart; it is looked at anew when
/// the server starts and every hour, and taken over only where that is needed.
final class KeyShapeKeeper: Sendable {
  /// Accounts that are looked at, at the most: those whose number is a multiple of a power of two.
  ///
  /// So the sample of a growing store changes little, and a million accounts cost no more than these.
  static let maximumSample: Int64 = 2048
  /// Seconds from one look to the next.
  static let interval: Int64 = 3600
  /// Accounts that are looked at in one go, between which requests are served.
  private static let chunk = 64

  private let current = Mutex<KeyShapes?>(nil)

  /// What was found, if anything was.
  var shapes: KeyShapes? { current.withLock { $0 } }

  /// Knows nothing yet.
  init() {}

  /// Takes what an earlier run has found.
  init(from database: any DatabaseReader) throws {
    let stored = try database.read { db in try SettingStore(db: db).value(of: .keyShapes) }
    // Text that cannot be read is replaced by the next look.
    let found = stored.flatMap { try? JSONDecoder().decode(KeyShapes.self, from: Data($0.utf8)) }
    current.withLock { $0 = found }
  }

  /// Looks at the store now and every hour, for as long as the process lives.
  func keep(upWith database: any DatabaseWriter, appID: String, logger: Logger) {
    Task {
      while !Task.isCancelled {
        do { try await refresh(database, appID: appID) } catch {
          logger.error("failed", metadata: ["error": "\(type(of: error))"])
        }
        try await Task.sleep(for: .seconds(Self.interval))
      }
    }
  }

  /// Looks at the store, and takes over what has to be taken over.
  func refresh(_ database: any DatabaseWriter, appID: String) async throws {
    let found = try await KeyShapes(sample(database, appID: appID))
    guard !found.entries.isEmpty, shapes.map(found.replace) ?? true else { return }
    let text = String(decoding: try JSONEncoder().encode(found), as: UTF8.self)
    try await database.write { db in try SettingStore(db: db).set(.keyShapes, to: text) }
    current.withLock { $0 = found }
  }

  private func sample(_ database: any DatabaseWriter, appID: String) async throws -> [KeyShape] {
    let last = try await database.read { try Int64.fetchOne($0, sql: "SELECT max(rowid) FROM account") } ?? 0
    var stride: Int64 = 1
    while last / stride > Self.maximumSample { stride *= 2 }
    var shapes: [KeyShape] = []
    var next = stride
    while next <= last {
      let numbers = (0..<Int64(Self.chunk)).map { [next] in next + $0 * stride }
      shapes += try await database.read { db in try CredentialStore(db: db).shapes(ofAccounts: numbers, appID: appID) }
      next += Int64(Self.chunk) * stride
    }
    return shapes
  }
}
