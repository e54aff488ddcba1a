import Glibc

extension ServerError {
  /// A file of which `errno` says what is wrong.
  static func unusableFile(path: String, system what: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableFile(path: path, reason: unsafe "\(what): \(String(cString: strerror(errno)))")
  }

  /// A new file that `errno` says cannot be made.
  static func cannotMake(_ path: String) -> ServerError {
    errno == EEXIST
      ? .unusableFile(path: path, reason: isThereAlready) : .unusableFile(path: path, system: "cannot be made")
  }

  /// What is said of a place that is not written over.
  static let isThereAlready = "is there already, and is not written over: name another"
}
