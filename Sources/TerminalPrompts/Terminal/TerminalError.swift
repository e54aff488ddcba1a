/// Why an entry could not be asked for.
package enum TerminalError: Error, Equatable {
  /// The terminal cannot be used; the system's error number.
  case failed(CInt)
  /// No locked memory for an entry.
  case outOfMemory
}
