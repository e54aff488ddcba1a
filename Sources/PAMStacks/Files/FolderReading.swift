/// The services of some folders at the time when a stack was tried.
struct FolderReading: Equatable {
  private let files: [String: [UInt8]]

  init(of folders: [String]) {
    var files: [String: [UInt8]] = [:]
    for path in folders {
      let reader = PAMDirectory(path: path)
      for name in reader.services() ?? [] { files[path + "/" + name] = reader.bytes(of: name) }
    }
    self.files = files
  }

  /// The first file, by its name, that is not the same in `other`; nil if all are.
  func difference(to other: FolderReading) -> String? {
    Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.min()
  }
}
