/// Why a store is not used, although its engine works.
package enum StoreError: Error, Equatable {
  /// A later version of the server has changed its tables.
  case newer
  /// An import into it has not ended.
  case unfinished
  /// Its rows were moved to another store.
  case moved(to: String)
  /// Somebody else writes to it for too long.
  case busy

  /// What an administrator is told of a store that was moved away.
  package static func movedText(to place: String) -> String {
    "server.db was moved to \(place): start the server with --store and its URL, or take server.db back with "
      + "'uaf-server migrate --abandon --to URL'"
  }

  /// The same for whoever has it open, without a name.
  package static let movedShortText = "server.db was moved to a database: start the server with --store and its URL"

  /// What is said of a store that others write to.
  package static let busyText =
    "server.db is in use by another command, such as 'migrate': run it again when that has ended"
  /// What is said of an unfinished store, of either engine.
  package static let unfinishedText =
    "an import into this store did not end: run 'uaf-server import' or 'uaf-server migrate' again, or drop the store"
}
