import Foundation
import Testing

extension EndToEnd {
  @Suite struct `An unlock of the helpdesk` {
    /// Issues an unlock for the account on the only machine that the server knows.
    private func unlock(_ scene: Scene) throws -> (code: String, payload: String) {
      let state = scene.server.state
      let list = try Command.succeed([Programs.server, "machines", "--state", state, "--json"], logged: false)
      let device = try #require(list.text.firstMatch(of: /"device":"([^"]+)"/)?.1)
      let given = try Command.succeed(
        [Programs.server, "unlock", scene.user, "--machine", String(device), "--state", state], logged: false)
      let code = try #require(given.lines.first { $0.wholeMatch(of: /([0-9A-Z]{4}-){5}[0-9A-Z]{4}/) != nil })
      return (code, try #require(given.lines.first { $0.hasPrefix("ey") }))
    }

    private func lock(_ scene: Scene) throws {
      for _ in 0..<5 { _ = try scene.logIn("wrong1111") }
      #expect(try scene.logIn(Scene.passcode).code == .maximumTries)
    }

    private func scene() throws -> Scene {
      let server = try Server()
      return try Scene.registered(server) {
        $0.server = "require_signed_verdict = true\nverdict_key = \"\(server.state)/verdict.pub\""
      }
    }

    @Test func `the helpdesk's unlock ends a lock after five wrong entries, once, and the login works`() throws {
      let scene = try scene()
      try lock(scene)
      let given = try unlock(scene)
      try scene.write(given.payload + "\n", to: "unlock", mode: 0o600)
      let used = try scene.tool("unlock", scene.user, "--payload", scene.path("unlock"))
      #expect(used.status == 0, "\(used.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
      try lock(scene)
      let again = try scene.tool("unlock", scene.user, "--payload", scene.path("unlock"))
      #expect(again.status == 1 && again.says("used already"), "\(again.text)")
      #expect(try scene.logIn(Scene.passcode).code == .maximumTries)
    }

    @Test func `the helpdesk's unlock works once as 24 typed characters`() throws {
      let scene = try scene()
      try lock(scene)
      let given = try unlock(scene)
      let used = try scene.tool("unlock", scene.user, "--code", input: given.code.lowercased() + "\n")
      #expect(used.status == 0, "\(used.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
      try lock(scene)
      let again = try scene.tool("unlock", scene.user, "--code", input: given.code + "\n")
      #expect(again.status == 1 && again.says("used already"), "\(again.text)")
    }
  }
}
