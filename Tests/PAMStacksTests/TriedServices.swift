import ToolTestSupport

/// A folder of services, for libpam and for our reader.
final class TriedServices {
  private let folder = Folder()

  /// The folder's name.
  var path: String { folder.path }

  func write(_ name: String, _ text: String) {
    folder.delete(name)
    _ = folder.file(name, Array(text.utf8), mode: 0o644)
  }
}
