/// A folder of services on which a change is checked but not made.
struct Rehearsal: ServiceFolder {
  private let folder: any ServiceFolder

  init(_ folder: any ServiceFolder) { self.folder = folder }

  var path: String { folder.path }

  func read(_ name: String) throws(StackError) -> [UInt8]? { try folder.read(name) }

  func write(_ bytes: [UInt8], to name: String, like model: String?, over before: FileBefore) throws(StackError) {
    try check(name, is: before)
  }

  func move(_ name: String, to other: String, over before: FileBefore) throws(StackError) {
    try check(name, is: before)
  }

  func remove(_ name: String, over before: FileBefore) throws(StackError) { try check(name, is: before) }
}
