import Foundation

/// Servers that behave like those of other makers: interop/stand_ins.py, used with the configurations of
/// docs/servers-of-others.md.
struct StandIns: Decodable {
  /// One of the servers, in the order of the page.
  enum Kind: Int, CaseIterable {
    case own, engine, newer, nevis

    /// Those that can be told of a deregistration.
    static let told = allCases.filter { $0 != .nevis }
  }

  /// What a server of the page replies to a right answer instead of its success.
  enum Reply: String, CaseIterable {
    case refusal = "no"
    case nothingMarked = "unmarked"
    case page
  }

  private static let code = "stand-in-code"
  private static let token = "b4b07559-f934-4597-a1c5-44d89f691e8f"

  let url: String
  let authority: String

  private static let running = InteropServer<StandIns>("interop/stand_ins.py")

  static func shared() throws -> StandIns { try running.announced.get() }

  /// Runs a closure while these servers give another reply than a success to right answers.
  func replying<Result>(_ reply: Reply = .refusal, _ body: () throws -> Result) throws -> Result {
    try Self.running.say(reply.rawValue)
    let result = Swift.Result { try body() }
    try Self.running.say("yes")
    return try result.get()
  }

  /// How many requests with a body these servers have received.
  func heard() throws -> String { try Self.running.ask("heard") }

  /// What the person enters in order to register, before the new value; nil if the server asks for nothing.
  func entry(_ scene: Scene, _ kind: Kind) -> String? {
    switch kind {
    case .own, .newer: nil
    case .engine: Self.code
    // The stand-in reads whose token it is from the token.
    case .nevis: "\(Self.token)_\(scene.user)"
    }
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
    let answers = [entry(scene, kind)].compactMap { $0 } + answers
    return try scene.tool("register", scene.user, input: answers.map { $0 + "\n" }.joined())
  }
}
