import Foundation
import SQLiteStore
import UAFService

extension ServerDirectory {
  /// Opens the store in this folder, for this process beside others.
  ///
  /// - Parameters:
  ///   - create: makes it if there is none; only `serve` and `import` do, so that a folder that was named by mistake stays as it
  ///     is.
  ///   - allowsUnfinished: opens it also if an import into it has not ended.
  ///   - allowsMoved: opens it also if it was moved away.
  /// - Throws: ``ServerError``; ``StoreFailure``.
  func openStore(
    create: Bool = false, allowsUnfinished: Bool = false, allowsMoved: Bool = false
  ) throws -> SQLiteStore {
    guard create || FileManager.default.fileExists(atPath: databasePath) else { throw ServerError.noStore(path: path) }
    if create { try makeDatabaseFile() }
    do {
      return try SQLiteStore(path: databasePath, allowsUnfinished: allowsUnfinished, allowsMoved: allowsMoved)
    } catch StoreError.newer {
      throw ServerError.newerDatabase
    } catch StoreError.unfinished {
      throw ServerError.unusableStore(StoreError.unfinishedText)
    } catch StoreError.moved(let place) {
      throw ServerError.unusableStore(StoreError.movedText(to: place))
    }
  }

  /// Keeps everybody else from writing to the store in this folder.
  ///
  /// - Throws: ``ServerError``; ``StoreFailure``.
  func holdStore() throws -> StoreHold {
    do {
      return try StoreHold(path: databasePath)
    } catch StoreError.busy {
      throw ServerError.unusableStore(StoreError.busyText)
    } catch StoreError.moved(let place) {
      throw ServerError.unusableStore(StoreError.movedText(to: place))
    }
  }
}
