/// What must still be in a file when it is changed: somebody else may have changed it since it was read.
enum FileBefore: Equatable {
  /// Whatever there is.
  case any
  /// What was read; nil: no file.
  case known([UInt8]?)
}
