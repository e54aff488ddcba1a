import Foundation
import Testing

extension EndToEnd {
  /// A state folder that was restored from a copy, with our own server, and `uafctl repair`.
  @Suite struct RestoredFolderTests {
    private func keep(_ scene: Scene) throws {
      try Command.succeed(["cp", "-a", scene.path("state"), scene.path("copy")], logged: false)
    }

    private func restore(_ scene: Scene) throws {
      try FileManager.default.removeItem(atPath: scene.path("state"))
      try Command.succeed(["cp", "-a", scene.path("copy"), scene.path("state")], logged: false)
    }

    /// How many usable keys an account has, by the server's list of accounts.
    private func keys(_ scene: Scene) throws -> String? {
      let output = try Command.succeed([Programs.server, "users", "--state", scene.server.state], logged: false)
      let fields = output.lines.first { $0.hasPrefix(scene.user + "\t") }?.split(separator: "\t")
      return fields.map { String($0[1]) }
    }

    private func repair(_ scene: Scene, _ value: String = Scene.passcode) throws -> Output {
      try scene.write(try scene.server.enrol(scene.user), to: "payload", mode: 0o600)
      return try scene.tool("repair", scene.user, "--code", scene.path("payload"), input: value + "\n")
    }

    /// A machine whose state folder is three logins old.
    private func restored() throws -> Scene {
      let scene = try Scene.registered()
      try keep(scene)
      for _ in 0..<3 { #expect(try scene.logIn(Scene.passcode).code == .success) }
      try restore(scene)
      return scene
    }

    @Test func `a state folder from three logins ago is refused, and a code with the passcode repairs it`() throws {
      let scene = try restored()
      let refused = try scene.logIn(Scene.passcode)
      #expect(refused.code == .authenticationError && refused.output.text.contains("'uafctl repair --code FILE'"))
      let repaired = try repair(scene)
      #expect(
        repaired.status == 0 && repaired.text.contains("The server has forgotten the old one."), "\(repaired.text)")
      #expect(try keys(scene) == "1")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test
    func `neither a code with a wrong passcode nor the passcode without a code repairs a restored state folder`()
      throws
    {
      let scene = try restored()
      #expect(try repair(scene, "wrong").status == 1)
      let withoutCode = try scene.tool("repair", scene.user, input: Scene.passcode + "\n")
      #expect(withoutCode.status == 1 && withoutCode.text.contains("An enrolment code is needed."))
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
      #expect(try keys(scene) == "1")
      // The refused attempts have not used up the code.
      let again = try scene.tool("repair", scene.user, "--code", scene.path("payload"), input: Scene.passcode + "\n")
      #expect(again.status == 0, "\(again.text)")
    }

    @Test func `a used code does not repair a restored folder a second time`() throws {
      let scene = try restored()
      #expect(try repair(scene).status == 0)
      let again = try scene.tool(
        "repair", scene.user, "--code", scene.path("payload"), input: Scene.passcode + "\n")
      #expect(again.status == 1 && again.text.contains("does not accept the enrolment code"), "\(again.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `a key made after the folder was copied is lost to the restored machine, and stays at the server`()
      throws
    {
      let scene = try Scene.registered()
      try keep(scene)
      #expect(try repair(scene).status == 0)
      try restore(scene)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
      #expect(try repair(scene).status == 0)
      #expect(try keys(scene) == "2")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }
  }
}
