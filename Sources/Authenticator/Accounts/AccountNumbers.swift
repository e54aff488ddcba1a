/// Which accounts have a file on this machine.
public enum AccountNumbers {
  /// Their numbers, the lowest first.
  ///
  /// - Throws: ``StateError``.
  public static func all(in directory: borrowing StateDirectory) throws(StateError) -> [UInt32] {
    try AccountFiles.numbers(in: directory)
  }
}
