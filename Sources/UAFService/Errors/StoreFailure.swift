/// A failure of the store's engine: a disk, a lock, a file that is none.
package protocol StoreFailure: Error {
  /// The engine and its number for what failed, as the log names it; no values of the store are in it.
  var logName: String { get }
  /// What the administrator is told.
  var text: String { get }
}
