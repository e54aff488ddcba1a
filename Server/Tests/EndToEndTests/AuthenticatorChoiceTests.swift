import Foundation
import Testing

extension EndToEnd {
  /// A passcode, a pattern, either or both, with the real programs: uafctl, libpam, the module, the core, uaf-server.
  @Suite struct AuthenticatorChoiceTests {
    private static let pattern = "12369"

    /// A scene with both authenticators registered.
    private func scene(_ server: Server? = nil) throws -> Scene {
      let scene = try Scene.registered(server)
      try scene.configure { $0.authenticators = ["passcode", "pattern"] }
      // A login shows one prompt after the other only if the configuration says that the service can show them.
      try scene.configure { $0.more = "[service.demo]\ninteractive = true" }
      let output = try scene.tool(
        "register", scene.user, "pattern", input: "\(Scene.passcode)\n\(Self.pattern)\n\(Self.pattern)\n")
      guard output.status == 0 else { throw Failure("register: \(output.text)") }
      return scene
    }

    @Test func `a second authenticator is registered with the first authenticator's passcode, and either can log in`()
      throws
    {
      let scene = try scene()
      let pattern = try scene.run([.auth], ["2", "139"])
      #expect(pattern.code == .success, "\(pattern.output.text)")
      #expect(try scene.run([.auth], ["1", Scene.passcode]).code == .success)
      #expect(try scene.run([.auth], ["2", Scene.passcode]).code == .authenticationError)
    }

    @Test func `a service that shows only one prompt asks for the authenticator that was used last`() throws {
      let scene = try scene()
      #expect(try scene.run([.auth], ["2", Self.pattern]).code == .success)
      try scene.configure { $0.more = "" }
      let login = try scene.logIn(Self.pattern)
      #expect(login.code == .success && login.prompts.count == 1, "\(login.output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
    }

    @Test
    func `'uafctl authenticate' without a terminal refuses with 2002 if it would have to ask which authenticator`()
      throws
    {
      let scene = try scene()
      let output = try scene.tool("authenticate", scene.user, input: Scene.passcode + "\n")
      #expect(output.status == 1 && output.says("[2002]"), "\(output.text)")
      #expect(try scene.tool("authenticate", scene.user, "pattern", input: "1239\n").status == 0)
    }

    @Test func `a locked authenticator does not lock the other authenticators`() throws {
      let scene = try scene()
      for wrong in ["1478", "1236", "3698", "7896", "14789"] { _ = try scene.run([.auth], ["2", wrong]) }
      #expect(try scene.run([.auth], ["2"]).code == .maximumTries)
      #expect(try scene.run([.auth], ["1", Scene.passcode]).code == .success)
    }

    @Test func `a reset of one authenticator removes only that one, and the other authenticator still logs in`() throws
    {
      let scene = try scene()
      #expect(try scene.tool("reset", scene.user, "pattern").status == 0)
      #expect(try scene.logIn(Scene.passcode).code == .success)
      let again = try scene.tool(
        "register", scene.user, "pattern", input: "\(Scene.passcode)\n75321\n75321\n")
      #expect(again.status == 0, "\(again.text)")
      #expect(try scene.run([.auth], ["2", "75321"]).code == .success)
    }

    @Test func `a reset of one authenticator with a code removes only that authenticator's key at the server`() throws {
      let scene = try scene()
      try scene.write(try scene.server.enrol(scene.user), to: "payload", mode: 0o600)
      let output = try scene.tool(
        "reset", scene.user, "pattern", "--payload", scene.path("payload"), "--deregister")
      #expect(output.status == 0, "\(output.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `a person who forgot the passcode registers again at the login prompt with a code, and then logs in`()
      throws
    {
      let scene = try Scene.registered()
      try scene.configure {
        $0.more = "[service.demo]\ninteractive = true\noffer_reset = true"
        $0.server = "require_signed_verdict = true\nverdict_key = \"\(scene.server.state)/verdict.pub\""
      }
      let code = try Self.code(in: try scene.server.enrol(scene.user))
      let again = try scene.run([.auth], ["2", code, "mandarine7", "mandarine7"])
      #expect(again.code == .authenticationError && again.errors.last?.hasPrefix("Registered again") == true)
      #expect(try scene.run([.auth], ["1", Scene.passcode]).code == .authenticationError)
      #expect(try scene.run([.auth], ["1", "mandarine7"]).code == .success)
      let used = try scene.run([.auth], ["2", code, "clementine8", "clementine8"])
      #expect(used.code == .authenticationError)
      #expect(try scene.run([.auth], ["1", "mandarine7"]).code == .success, "a code is good once")
    }

    /// The one-time code in a payload, as a person would type it.
    private static func code(in payload: String) throws -> String {
      let text = payload.replacing("-", with: "+").replacing("_", with: "/")
      let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
      let json = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: padded))) as? [String: Any]
      return try #require(json?["authCode"] as? String)
    }

    // MARK: The server's policy

    @Test func `a member of a group that needs both authenticators is asked for both, and other people are not`() throws
    {
      let server = try Server(
        policy: """
          {"accepted": [["passcode"], ["pattern"]],
           "groups": {"operators": {"accounts": ["olga"], "accepted": [["passcode", "pattern"]]}}}
          """)
      let scene = try Scene(server, user: "olga")
      try scene.configure {
        $0.authenticators = ["passcode", "pattern"]
        $0.more = "[service.demo]\ninteractive = true"
      }
      try scene.write(try server.enrol("olga"), to: "payload", mode: 0o600)
      let entries = [Scene.passcode, Scene.passcode, Self.pattern, Self.pattern].map { $0 + "\n" }.joined()
      let output = try scene.tool("register", "olga", "--payload", scene.path("payload"), input: entries)
      #expect(output.status == 0, "\(output.text)")
      let login = try scene.run([.auth], [Scene.passcode, Self.pattern])
      #expect(login.code == .success && login.prompts.count == 2, "\(login.output.text)")
      #expect(try scene.run([.auth], [Scene.passcode, "75321"]).code == .authenticationError)
      #expect(try scene.run([.auth], ["wrong1111"]).code == .authenticationError)
      let other = try Scene.registered(server)
      #expect(try other.logIn(Scene.passcode).code == .success)
      _ = try server.stop()
    }
  }
}
