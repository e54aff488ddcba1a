import Foundation
import Testing

extension EndToEnd {
  /// A machine that has lost its state, and a server that still has the machine's keys.
  @Suite struct LostKeysTests {
    /// How many usable keys an account has, by the server's list of accounts.
    private func keys(_ scene: Scene) throws -> String? {
      let output = try Command.succeed([Programs.server, "users", "--state", scene.server.state], logged: false)
      let fields = output.lines.first { $0.hasPrefix(scene.user + "\t") }?.split(separator: "\t")
      return fields.map { String($0[1]) }
    }

    @Test func `a machine that lost its keys registers again in one step, and the server deletes the lost keys`() throws
    {
      let scene = try Scene.registered()
      try FileManager.default.removeItem(atPath: scene.path("state/accounts/\(Scene.uid).db"))
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
      try scene.register()
      #expect(try keys(scene) == "1")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `a machine without a device id registers again, and the server keeps the key that the machine lost`()
      throws
    {
      let scene = try Scene.registered()
      try FileManager.default.removeItem(atPath: scene.path("state/accounts/\(Scene.uid).db"))
      try scene.configure { $0.server = "send_device = false" }
      try scene.register()
      #expect(try keys(scene) == "2")
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }
  }
}
