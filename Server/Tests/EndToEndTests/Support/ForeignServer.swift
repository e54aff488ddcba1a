import Foundation

/// A server by a different maker: interop/server.py, which was written from the specification without this project's sources.
struct ForeignServer: Decodable {
  /// How messages are sent over HTTP.
  enum Dialect: CaseIterable {
    /// The media type that the transport specification defines.
    case fido
    /// The same messages with the media type of JSON: the FIDO Alliance's interface for server tests.
    case conformance
    /// An address for each operation, and messages without an envelope.
    case plain
  }

  static let model = "5541#0001"
  static let facetID = "linux:pam-module:pam_uaf"
  static let code = "interop-code"

  let url: String
  let authority: String

  private static let running = InteropServer<ForeignServer>("interop/server.py")

  static func shared() throws -> ForeignServer { try running.announced.get() }

  /// Configures a scene for this server, which then behaves as `behaviour` names it.
  func serve(_ scene: Scene, _ dialect: Dialect, _ behaviour: String = "honest") throws {
    let base = "\(url)/\(behaviour)"
    try scene.configure { settings in
      settings.authority = authority
      settings.requestURL = base + "/get"
      settings.responseURL = base + "/respond"
      switch dialect {
      case .fido: settings.server = ""
      case .conformance: settings.server = "content_type = \"application/json\""
      case .plain:
        settings.server = "dialect = \"plain\""
        settings.more =
          [("registration", "reg"), ("authentication", "auth"), ("deregistration", "dereg")]
          .map { name, path in
            let response = path == "dereg" ? "" : "\nresponse_url = \"\(base)/\(path)\""
            return "[server.\(name)]\nrequest_url = \"\(base)/\(path)/{user}\"\(response)"
          }
          .joined(separator: "\n")
          + "\n[server.context]\nauthCode = \"code\"\nderegisterAAID = \"model\""
          + "\n[server.success]\nmember = \"status\"\nvalue = \"SUCCESS\""
      }
    }
  }

  /// The payload with which an account of this server registers.
  func payload(_ user: String) throws -> String {
    let members: [String: Any] = [
      "v": 1, "op": "Reg", "server": url, "username": user, "authCode": Self.code, "expires": 4_000_000_000,
    ]
    let text = try JSONSerialization.data(withJSONObject: members).base64EncodedString()
    return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Registers a scene's account.
  func register(_ scene: Scene) throws -> Output {
    try scene.write(payload(scene.user), to: "payload", mode: 0o600)
    return try scene.tool(
      "register", scene.user, "--payload", scene.path("payload"), input: "\(Scene.passcode)\n\(Scene.passcode)\n")
  }

  /// A scene whose account is registered at this server.
  func registered(_ dialect: Dialect) throws -> Scene {
    let scene = try Scene()
    try serve(scene, dialect)
    let output = try register(scene)
    guard output.status == 0 else { throw Failure("register: \(output.text)") }
    return scene
  }
}
