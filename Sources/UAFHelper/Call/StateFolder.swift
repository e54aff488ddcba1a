import Authenticator

/// Where the machine's state lies, and who has to own it.
struct StateFolder {
  let path: String
  let owner: UInt32

  /// Opens it.
  ///
  /// - Throws: ``Ending``.
  func open() throws(Ending) -> StateDirectory {
    do throws(StateError) { return try StateDirectory(path, owner: owner) } catch { throw Ending(error) }
  }
}
