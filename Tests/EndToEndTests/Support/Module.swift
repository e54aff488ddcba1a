import Foundation

/// A `pam_uaf.so` of the tests' own, which looks for the core elsewhere than the tree's.
struct Module {
  let path: String
  /// The folder it starts the core from, which does not exist yet.
  let libexec: String

  private static let alone = Result { try Module(socket: "/nonexistent/pam-uaf/helper.sock") }
  private static let socket = Result { try Module(socket: "/run/pam-uaf/helper.sock") }

  /// One that has no socket to try.
  static func startingTheCore() throws -> Module { try alone.get() }

  /// One that tries the socket of systemd's unit, and never finds a core to start: what it hears came from the socket.
  static func atSocket() throws -> Module { try socket.get() }

  private init(socket: String) throws {
    let build = try Folder.shared.file("module")
    libexec = try Folder.shared.file("libexec")
    path = build + "/pam_uaf.so"
    try Command.succeed([
      "make", "-s", "-C", Programs.shim, "BUILD=\(build)", "LIBEXECDIR=\(libexec)", "SOCKET_PATH=\(socket)",
    ])
  }

  /// Makes the folder anew, with these files in it.
  func install(_ files: [String: String]) throws {
    try? FileManager.default.removeItem(atPath: libexec)
    try FileManager.default.createDirectory(atPath: libexec, withIntermediateDirectories: false)
    for (name, source) in files { try FileManager.default.copyItem(atPath: source, toPath: libexec + "/" + name) }
  }
}
