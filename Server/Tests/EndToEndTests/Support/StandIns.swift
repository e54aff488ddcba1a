import Foundation

/// Servers that behave like those of other makers: interop/stand_ins.py, used with the configurations of
/// docs/servers-of-others.md.
struct StandIns: Decodable {
  /// One of the three servers, in the order of the page.
  enum Kind: Int, CaseIterable {
    case own, engine, newer
  }

  private static let code = "stand-in-code"

  let url: String
  let authority: String

  private static let running = InteropServer<StandIns>("interop/stand_ins.py")

  static func shared() throws -> StandIns { try running.announced.get() }

  /// Runs a closure while these servers refuse right answers.
  func refusing<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.running.say("no")
    let result = Swift.Result { try body() }
    try Self.running.say("yes")
    return try result.get()
  }

  /// A machine that is configured for a server as the page says; its account has not registered.
  func scene(_ kind: Kind, user: String? = nil) throws -> Scene {
    let blocks = try ServersPage.configurations()
    guard blocks.indices.contains(kind.rawValue) else { throw Failure("the page has no block for \(kind)") }
    let scene = try Scene(user: user)
    try scene.configure { settings in
      settings.serverTables = blocks[kind.rawValue].replacing(ServersPage.host, with: url.dropFirst("https://".count))
        .replacing(ServersPage.authority, with: authority)
    }
    return scene
  }

  /// Registers a scene's account, as the page says.
  func register(_ scene: Scene, _ kind: Kind, _ answers: [String] = [Scene.passcode, Scene.passcode]) throws -> Output {
    let answers = (kind == .engine ? [Self.code] : []) + answers
    return try scene.tool("register", scene.user, input: answers.map { $0 + "\n" }.joined())
  }
}
