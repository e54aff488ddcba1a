import Foundation

/// The project's folder, from which tests read vectors, examples, manuals and scripts.
enum Checkout {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A file or folder by its path in the project.
  static func file(_ path: String) -> URL { root.appending(path: path) }
}
