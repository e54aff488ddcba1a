/// A failure of the store's engine, such as a full disk or a file that is no database.
package protocol StoreFailure: Error {
  /// The engine's name and its error code, for the log; no stored values.
  var logName: String { get }
  /// The text for the administrator.
  var text: String { get }
  /// Whether the same may succeed later, without anybody doing something about what is stored.
  var isTemporary: Bool { get }
}

extension StoreFailure {
  package var isTemporary: Bool { false }
}
