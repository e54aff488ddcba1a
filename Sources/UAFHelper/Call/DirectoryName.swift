/// What the machine's name services say of a number that `/etc/passwd` does not have.
enum DirectoryName: Equatable {
  /// Its name, which leads back to the number.
  case found([UInt8])
  /// No account has the number.
  case unknown
  /// The name that it has belongs to another account.
  case ambiguous
  /// They could not be asked, or did not answer in time; with the log's words.
  case failed(String)
}
