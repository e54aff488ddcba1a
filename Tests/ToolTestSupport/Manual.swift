import Foundation

/// The source of uafctl(1).
package func manual() throws -> String {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  return try String(contentsOf: root.appending(path: "man/uafctl.1"), encoding: .utf8)
}
