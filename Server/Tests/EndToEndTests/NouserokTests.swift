import Foundation
import Testing

extension EndToEnd {
  @Suite struct `With nouserok` {
    /// A scene whose stack has pam_uaf and then a module that accepts everybody: it decides about an account that pam_uaf
    /// ignores.
    private func scene(registered: Bool) throws -> Scene {
      let scene = try registered ? Scene.registered() : Scene()
      try scene.stack("auth required MODULE nouserok", "auth required pam_permit.so")
      return scene
    }

    @Test func `with nouserok an account that never registered is ignored, without a prompt`() throws {
      let scene = try scene(registered: false)
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .success)
      #expect(login.prompts.isEmpty)
      // The account was ignored, not accepted: a stack with pam_uaf alone accepts nobody.
      try scene.stack("auth required MODULE nouserok")
      let alone = try scene.logIn(Scene.passcode)
      #expect(alone.code != .success)
    }

    @Test func `without nouserok an account that never registered is unknown to PAM`() throws {
      let scene = try scene(registered: false)
      try scene.stack("auth required MODULE", "auth required pam_permit.so")
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test func `with nouserok an account that registered gets a prompt, and is refused with a wrong passcode`() throws {
      let scene = try scene(registered: true)
      #expect(try scene.logIn("wrong1111").code == .authenticationError)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `with nouserok a deregistered account is refused until root makes the machine forget the account`()
      throws
    {
      let scene = try scene(registered: true)
      #expect(try scene.tool("deregister", "--user", scene.user, input: Scene.passcode + "\n").status == 0)
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
      #expect(try scene.tool("forget", scene.user).status == 0)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `with nouserok an account that the server has revoked is refused`() throws {
      let scene = try scene(registered: true)
      try scene.server.revoke(scene.user)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
    }

    @Test func `with nouserok an account is refused if the state folder cannot be read`() throws {
      let scene = try scene(registered: false)
      let state = scene.settings.stateDirectory
      try FileManager.default.moveItem(atPath: state + "/device.key", toPath: scene.path("device.key"))
      #expect(try scene.logIn(Scene.passcode).code == .systemError)
      try FileManager.default.moveItem(atPath: scene.path("device.key"), toPath: state + "/device.key")
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: state)
      #expect(try scene.logIn(Scene.passcode).code == .systemError)
      try FileManager.default.moveItem(atPath: state, toPath: scene.path("elsewhere"))
      #expect(try scene.logIn(Scene.passcode).code == .systemError)
    }

    @Test func `with nouserok an account with a damaged file is refused`() throws {
      let scene = try scene(registered: true)
      let file = scene.settings.stateDirectory + "/accounts/\(Scene.uid).db"
      try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .maximumTries)
      #expect(login.prompts.isEmpty)
    }

    @Test func `with nouserok an unknown name is refused`() throws {
      let scene = try scene(registered: false)
      #expect(try scene.logIn(Scene.passcode, as: "nobodyhere").code == .userUnknown)
    }

    @Test
    func `with nouserok a remote login of an unregistered account is refused, because remote logins are told nothing`()
      throws
    {
      let scene = try scene(registered: false)
      #expect(try scene.logIn(Scene.passcode, from: "192.0.2.1").code == .authenticationError)
    }
  }
}
