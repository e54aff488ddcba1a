import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A text approved out of band` {
    private static let text = "Log in to the bastion, from 192.0.2.7"

    /// Starts `approve --wait`, which waits until the account confirms; returns the command and the payload that it printed.
    private func waiting(_ scene: Scene, lifetime: Int = 60) throws -> (command: Command, payload: String) {
      let command = try Command(
        [
          Programs.server, "approve", scene.user, "--text", Self.text, "--lifetime", String(lifetime), "--wait",
          "--state", scene.server.state,
        ], logged: false)
      try command.wait(for: "uafctl oob")
      guard let payload = command.text.split(separator: "\n").first(where: { $0.hasPrefix("ey") }) else {
        throw Failure("no payload: \(command.text)")
      }
      return (command, String(payload))
    }

    private func approve(_ scene: Scene, _ payload: String, _ passcode: String = Scene.passcode) throws -> Output {
      try scene.write(payload, to: "approval", mode: 0o600)
      return try scene.tool("oob", scene.path("approval"), scene.user, input: "\(passcode)\n")
    }

    @Test func `a text approved out of band is shown, signed and stored, and then 'approve --wait' ends`() throws {
      let scene = try Scene.registered()
      let (command, payload) = try waiting(scene)
      let output = try approve(scene, payload)
      #expect(output.status == 0, "\(output.text)")
      #expect(output.says(Self.text))
      let end = try command.end()
      #expect(end.status == 0 && end.says("has confirmed"))
      #expect(try scene.server.audit(scene.user).says("ok\tAsked of \(scene.user) by "))
      #expect(try scene.server.audit(scene.user).says(" at the server: \(Self.text)"))
      // The code is used up. The account itself has not changed, so it still logs in.
      #expect(try approve(scene, payload).status == 1)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test
    func `a text is not approved out of band by a wrong passcode, by a login, or after a newer text has replaced it`()
      throws
    {
      let scene = try Scene.registered()
      let (command, payload) = try waiting(scene)
      #expect(try approve(scene, payload, "wrong1111").status == 1)
      #expect(try scene.logIn(Scene.passcode).code == .success)
      _ = try waiting(scene)
      #expect(try approve(scene, payload).status == 1)
      let end = try command.end()
      #expect(end.status == 1 && end.says("nobody"))
      #expect(try !scene.server.audit(scene.user).says(Self.text))
    }
  }
}
