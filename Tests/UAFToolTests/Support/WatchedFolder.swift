@testable import PAMStacks
@testable import UAFTool

/// A folder of services that calls `beforeChange` before each change, with the number of the change, from 0.
struct WatchedFolder: ServiceFolder {
  let folder: PAMFolder
  let beforeChange: (Int) throws(StackError) -> Void
  let count = Box(0)

  var path: String { folder.path }

  private func change() throws(StackError) {
    try beforeChange(count.value)
    count.value += 1
  }

  func read(_ name: String) throws(StackError) -> [UInt8]? { try folder.read(name) }

  func write(_ bytes: [UInt8], to name: String, like model: String?, over before: FileBefore) throws(StackError) {
    try change()
    try folder.write(bytes, to: name, like: model, over: before)
  }

  func move(_ name: String, to other: String, over before: FileBefore) throws(StackError) {
    try change()
    try folder.move(name, to: other, over: before)
  }

  func remove(_ name: String, over before: FileBefore) throws(StackError) {
    try change()
    try folder.remove(name, over: before)
  }
}
