import Foundation

/// The programs that `make build` lays out; the tests use no others.
enum Programs {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  private static let root = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let prefix: String = {
    let named = try? String(contentsOf: root.appending(path: "build/stage.prefix"), encoding: .utf8)
    return named?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "/usr"
  }()

  static let libexec = root.path + "/build/stage\(prefix)/libexec/pam-uaf"
  static let helper = libexec + "/uaf-helper"
  static let fetch = libexec + "/uaf-fetch"
  static let tool = root.path + "/build/stage\(prefix)/bin/uafctl"
  static let server = root.path + "/build/stage\(prefix)/bin/uaf-server"
  private static let builtModule = root.path + "/build/tree/pam_uaf.so"
  /// A link to the module, because libpam takes a path with a space for two arguments; the module itself if no link can be
  /// made.
  static let module: String = {
    do {
      let link = try Folder.shared.file("pam_uaf.so")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: builtModule)
      return link
    } catch { return builtModule }
  }()
  static let shim = root.path + "/cshim"
  static let badServers = root.path + "/Tests/Servers/https_servers.py"

  /// A program in this target's folder `Programs`.
  static func own(_ name: String) -> String { tests.path + "/Programs/" + name }

  /// A page of the documentation.
  static func page(_ name: String) -> String { root.path + "/docs/" + name }

  /// Fails if a program is missing.
  static func require() throws {
    for path in [helper, fetch, tool, server, builtModule] where !FileManager.default.fileExists(atPath: path) {
      throw Failure("\(path) is missing: run make build")
    }
  }
}
