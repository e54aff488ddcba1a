/// A folder of services that can be changed, one whole file at a time.
protocol ServiceFolder {
  /// Its name.
  var path: String { get }
  /// The content of a file; nil if there is none.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  func read(_ name: String) throws(StackError) -> [UInt8]?
  /// Puts a whole file in place of what was there before.
  ///
  /// - Parameter model: the file whose mode, owner and attributes it gets; nil, or one that is not there: mode 644.
  /// - Throws: ``StackError``: `file`, `changed`.
  func write(_ bytes: [UInt8], to name: String, like model: String?, over before: FileBefore) throws(StackError)
  /// Renames a file that is still the same; a file of the new name is replaced.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func move(_ name: String, to other: String, over before: FileBefore) throws(StackError)
  /// Removes a file that is still the same, if it is there.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func remove(_ name: String, over before: FileBefore) throws(StackError)
}

extension ServiceFolder {
  /// The name of a file with the folder's.
  package func path(of name: String) -> String { path + "/" + name }

  /// Refuses if a file has changed.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  package func check(_ name: String, is before: FileBefore) throws(StackError) {
    if case .known(let bytes) = before, try read(name) != bytes { throw .changed(path: path(of: name)) }
  }
}
