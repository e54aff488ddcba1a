import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A helper that is killed` {
    private func killHelper(of login: Command, _ signal: Int32 = SIGKILL) throws {
      let helpers = login.descendants(named: "uaf-helper")
      try #require(helpers.count == 1)
      try #require(kill(helpers[0], signal) == 0)
    }

    @Test func `if the helper is killed at the prompt, the login fails, and no attempt is counted`() throws {
      let scene = try Scene.registered()
      let login = try scene.startLogin()
      try killHelper(of: login)
      login.send(Scene.passcode + "\n")
      #expect(Login(try login.end()).code == .systemError)
      #expect(try scene.status().remainingTries == 5)
    }

    @Test func `if the helper is killed while the key is derived, even a correct attempt stays counted`() throws {
      // The derivation is slow enough to kill the helper in the middle of it.
      let scene = try Scene.registered { $0.derivationCost = 18 }
      let login = try scene.startLogin()
      login.send(Scene.passcode + "\n")
      try Wait.until("the charge") { try scene.status().remainingTries == 4 }
      try killHelper(of: login)
      #expect(Login(try login.end()).code == .systemError)
      #expect(try scene.status().remainingTries == 4)
    }

    @Test func `if the helper is killed while the server decides, the login fails, and no attempt stays counted`()
      throws
    {
      let scene = try Scene.registeredAtServerThatHangs()
      _ = try scene.logIn("wrong1111")
      #expect(try scene.status().remainingTries == 4)
      let login = try scene.startLogin()
      login.send(Scene.passcode + "\n")
      try Wait.until("the settling") { try scene.status().remainingTries == 5 }
      try killHelper(of: login)
      #expect(Login(try login.end()).code == .systemError)
      #expect(try scene.status().remainingTries == 5)
    }
  }
}
