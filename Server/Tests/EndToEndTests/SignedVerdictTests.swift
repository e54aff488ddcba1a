import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A server whose yes is signed` {
    private static func rule(_ key: String) -> String { "require_signed_verdict = true\nverdict_key = \"\(key)\"" }

    @Test func `with require_signed_verdict, people register and log in at a server that signs its verdicts`() throws {
      let server = try Server.shared()
      let scene = try Scene.registered(server) { $0.server = Self.rule(server.state + "/verdict.pub") }
      #expect(try scene.logIn(Scene.passcode).code == .success)
      #expect(try scene.logIn("wrong1111").code == .authenticationError)
    }

    @Test func `the server's audit says at which service somebody has logged in`() throws {
      let server = try Server.shared()
      let scene = try Scene.registered(server) { $0.server = Self.rule(server.state + "/verdict.pub") }
      #expect(try scene.logIn(Scene.passcode).code == .success)
      let rows = try Command.succeed(
        [
          Programs.server, "audit", "list", "--state", server.state, "--account", scene.user, "--service", "demo",
        ], logged: false)
      #expect(rows.lines.filter { $0.contains("\tlogin\tok\t\(scene.user)\t") }.count == 1, "\(rows.text)")
    }

    @Test func `with require_signed_verdict, a verdict that a wrong key signed is refused, and no key is stored`()
      throws
    {
      let key = try Folder.shared.folder("key") + "/other.pub"
      let make = "openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -out \"$1\""
      try Command.succeed(["sh", "-c", make, "sh", key], logged: false)
      let scene = try Scene.registered()
      try scene.configure { $0.server = Self.rule(key) }
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .authenticationError)
      #expect(try scene.tool("forget", scene.user).status == 0)
      #expect(throws: Failure.self) { try scene.register() }
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }
  }
}
