import Foundation
import SQLiteStore
import UAFService

extension ServerDirectory {
  /// Opens the store in this folder, for this process beside others.
  ///
  /// - Parameter create: makes it if there is none; only `serve` does, so that a folder that was named by mistake stays as it is.
  /// - Throws: ``ServerError``; ``StoreFailure``.
  func openStore(create: Bool = false) throws -> SQLiteStore {
    guard create || FileManager.default.fileExists(atPath: databasePath) else { throw ServerError.noStore(path: path) }
    if create { try makeDatabaseFile() }
    do {
      return try SQLiteStore(path: databasePath)
    } catch StoreError.newer {
      throw ServerError.newerDatabase
    }
  }
}
