/// The content that a file must still have when it is changed: somebody else may have changed it since it was read.
enum FileBefore: Equatable {
  /// Any content, or no file.
  case any
  /// What was read; nil: no file.
  case known([UInt8]?)
}
