import Foundation

/// A `pam_uaf.so` for the tests, which looks for the core in a folder outside the source tree.
struct Module {
  let path: String
  /// The folder from which the module starts the core; it does not exist until ``install(_:)``.
  let libexec: String

  private static let alone = Result { try Module(socket: "/nonexistent/pam-uaf/helper.sock") }
  private static let socket = Result { try Module(socket: "/run/pam-uaf/helper.sock") }

  /// A module that tries no socket and always starts the core itself.
  static func startingTheCore() throws -> Module { try alone.get() }

  /// A module that tries the socket of systemd's unit, and finds no core to start, so everything it receives comes from the
  /// socket.
  static func atSocket() throws -> Module { try socket.get() }

  private init(socket: String) throws {
    let build = try Folder.shared.file("module")
    libexec = try Folder.shared.file("libexec")
    path = build + "/pam_uaf.so"
    try Command.succeed([
      "make", "-s", "-C", Programs.shim, "BUILD=\(build)", "LIBEXECDIR=\(libexec)", "SOCKET_PATH=\(socket)",
    ])
  }

  /// Creates the folder again, with these files in it.
  func install(_ files: [String: String]) throws {
    try? FileManager.default.removeItem(atPath: libexec)
    try FileManager.default.createDirectory(atPath: libexec, withIntermediateDirectories: false)
    for (name, source) in files { try FileManager.default.copyItem(atPath: source, toPath: libexec + "/" + name) }
  }
}
