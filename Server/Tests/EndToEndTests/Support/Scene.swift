import Foundation

/// A machine with pam-uaf, with everything one test needs: configuration, state, PAM stack and an account.
final class Scene {
  static let passcode = "tangerine9"
  static let uid = 4242
  private static let host = Result { try compileHost() }

  let folder: String
  /// The account; nss_wrapper provides it, and no file of the machine contains it.
  let user: String
  let server: Server
  var settings: Settings
  /// The disk with the state folder, if a test has mounted one.
  var disk: Disk?

  /// An initialised machine whose account has not registered.
  init(_ server: Server? = nil, user: String? = nil, settings: (inout Settings) -> Void = { _ in }) throws {
    try Programs.require()
    let server = try server ?? Server.shared()
    self.server = server
    folder = try Folder.shared.folder("scene")
    self.user = user ?? "mina\(UUID().uuidString.prefix(8).lowercased())"
    self.settings = Settings(server, folder: folder)
    settings(&self.settings)
    try write("root:x:0:0::/root:/bin/sh\n\(self.user):x:\(Self.uid):\(Self.uid)::/nonexistent:/bin/sh\n", to: "passwd")
    try write("root:x:0:\n\(self.user):x:\(Self.uid):\n", to: "group")
    try FileManager.default.createDirectory(atPath: path("pam.d"), withIntermediateDirectories: false)
    try configure()
    try stack("auth required MODULE")
    let made = try tool("init")
    guard made.status == 0 else { throw Failure("init: \(made.text)") }
  }

  /// An initialised machine whose account has registered.
  static func registered(_ server: Server? = nil, settings: (inout Settings) -> Void = { _ in }) throws -> Scene {
    let scene = try Scene(server, settings: settings)
    try scene.register()
    return scene
  }

  /// An initialised machine whose account has registered; since then the server accepts connections and does not reply.
  static func registeredAtServerThatHangs(settings: (inout Settings) -> Void = { _ in }) throws -> Scene {
    let scene = try registered(settings: settings)
    let bad = try BadServers.shared()
    try scene.write(bad.authority + String(contentsOfFile: scene.server.authority, encoding: .utf8), to: "ca.pem")
    try scene.configure {
      $0.authority = scene.path("ca.pem")
      $0.responseURL = try bad.url("good", "/hang")
    }
    return scene
  }

  func path(_ name: String) -> String { folder + "/" + name }

  func write(_ text: String, to name: String, mode: mode_t = 0o644) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: path(name))
  }

  var configuration: String { path("pam_uaf.conf") }

  /// Rewrites the configuration.
  func configure(_ change: (inout Settings) throws -> Void = { _ in }) throws {
    try change(&settings)
    try write(settings.text, to: "pam_uaf.conf")
  }

  /// Writes the PAM stack; MODULE is replaced by pam_uaf with its `conf=`.
  func stack(_ lines: String..., module: String = Programs.module) throws {
    let text = lines.joined(separator: "\n").replacing("MODULE", with: "\(module) conf=\(configuration)")
    try write(text + "\n", to: "pam.d/demo")
  }

  /// Registers the account.
  func register() throws {
    try write(try server.enrol(user), to: "payload", mode: 0o600)
    let output = try tool("register", user, "--payload", path("payload"), input: "\(Self.passcode)\n\(Self.passcode)\n")
    guard output.status == 0 else { throw Failure("register: \(output.text)") }
  }

  /// Runs uafctl as root.
  func tool(_ arguments: String..., input: String = "") throws -> Output {
    try Command.run(
      (disk?.prefix ?? []) + [Programs.tool, "--conf", configuration] + arguments, input: input, environment: names)
  }

  /// The environment with which programs find the account.
  var names: [String: String] {
    [
      "LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_PASSWD": path("passwd"), "NSS_WRAPPER_GROUP": path("group"),
    ]
  }

  /// The command line of a login.
  func host(user: String? = nil, from remote: String? = nil) throws -> [String] {
    (disk?.prefix ?? []) + [try Self.host.get(), path("pam.d"), "demo", user ?? self.user] + (remote.map { [$0] } ?? [])
  }

  /// Logs in with this answer to the prompt.
  func logIn(_ answer: String, as user: String? = nil, from remote: String? = nil) throws -> Login {
    try logIn(Array(answer.utf8), as: user, from: remote)
  }

  func logIn(_ answer: [UInt8], as user: String? = nil, from remote: String? = nil) throws -> Login {
    Login(try Command.run(host(user: user, from: remote), input: answer + [UInt8(ascii: "\n")], environment: names))
  }

  /// Runs stages with one handle, and gives these answers to their prompts.
  func run(_ stages: [Stage], _ answers: [String]) throws -> Login {
    let input = answers.map { $0 + "\n" }.joined()
    return Login(
      try Command.run(try host() + ["--"] + stages.map(\.rawValue), input: input, environment: names))
  }

  /// Starts a login, and returns when it shows its prompt.
  func startLogin(_ environment: [String: String] = [:]) throws -> Command {
    let command = try Command(host(), environment: names.merging(environment) { $1 })
    try command.wait(for: "prompt Passcode")
    return command
  }

  /// What `uafctl status` says about the passcode.
  func status() throws -> Status {
    let output = try tool("status", user, "--json")
    guard let document = output.lines.first(where: { $0.hasPrefix("{") }) else {
      throw Failure("status: \(output.text)")
    }
    return try Status(document)
  }

  private static func compileHost() throws -> String {
    let program = try Folder.shared.file("pam-host")
    try Command.succeed(["cc", "-O1", Programs.own("pam-host.c"), "-lpam", "-o", program], logged: false)
    return program
  }
}
