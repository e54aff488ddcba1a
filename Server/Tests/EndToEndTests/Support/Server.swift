import Foundation

/// A running `uaf-server` with its own store.
final class Server {
  let state: String
  let url: String
  private let listen: String
  private let options: [String]
  private var command: Command?

  // SAFETY: the tests of this target run one after the other.
  private nonisolated(unsafe) static let one = Result { try Server() }

  /// The server that the tests share, except for those that stop it.
  static func shared() throws -> Server { try unsafe one.get() }

  /// - Parameters:
  ///   - policy: the policy file's text; nil for the server's own policy.
  ///   - name: the name that clients use instead of the server's address.
  init(policy: String? = nil, name: String? = nil) throws {
    try Programs.require()
    state = try Folder.shared.folder("server")
    var options: [String] = []
    if let policy {
      let path = try Folder.shared.file("policy")
      try Data(policy.utf8).write(to: URL(filePath: path))
      options = ["--policy", path]
    }
    var port = "0"
    if let name {
      // The port is chosen before the server listens, because it is part of the URL with the name.
      let script = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"
      port = try Command.succeed(["python3", "-c", script], logged: false).lines.first ?? port
      options += ["--public-url", "https://\(name):\(port)"]
    }
    self.options = options
    let first = try Self.start(state, listen: "127.0.0.1:\(port)", options)
    guard let line = first.text.split(separator: "\n").first(where: { $0.hasPrefix("listening on ") }) else {
      throw Failure("uaf-server does not say where it listens: \(first.text)")
    }
    let address = String(line.dropFirst("listening on ".count))
    url = name.map { "https://\($0):\(port)" } ?? address
    listen = String(address.dropFirst("https://".count))
    command = first
  }

  private static func start(_ state: String, listen: String, _ options: [String]) throws -> Command {
    let command = try Command(
      [
        "python3", Programs.own("until-closed.py"), Programs.server, "serve", "--state", state, "--listen", listen,
        "--development",
      ] + options, logged: false)
    try command.wait(for: "listening on https")
    return command
  }

  /// Ends the server; its port then refuses connections.
  func stop() throws {
    _ = try command?.end()
    command = nil
  }

  /// Starts it again at the same address.
  func resume() throws { command = try Self.start(state, listen: listen, options) }

  var authority: String { state + "/ca.pem" }

  /// The payload with which this account may register once.
  func enrol(_ user: String) throws -> String {
    let output = try Command.succeed([Programs.server, "enrol", user, "--state", state], logged: false)
    guard let line = output.lines.first(where: { $0.hasPrefix("ey") }) else {
      throw Failure("no payload: \(output.text)")
    }
    return line
  }

  /// What the account has confirmed, as the server prints it after checking the stored texts.
  func audit(_ user: String) throws -> Output {
    try Command.run([Programs.server, "audit", "texts", user, "--state", state], logged: false)
  }

  /// Refuses every login of the account until ``enable(_:)``.
  func disable(_ user: String) throws {
    try Command.succeed([Programs.server, "disable", user, "--reason", "left", "--state", state], logged: false)
  }

  func enable(_ user: String) throws {
    try Command.succeed([Programs.server, "enable", user, "--state", state], logged: false)
  }

  /// Revokes the account's keys.
  func revoke(_ user: String) throws {
    try Command.succeed([Programs.server, "revoke", user, "--state", state], logged: false)
  }
}
