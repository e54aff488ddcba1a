import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A login` {
    @Test func `pamtester logs in with the right passcode`() throws {
      let scene = try Scene.registered()
      let output = try Command.run(
        ["pamtester", "demo", scene.user, "authenticate"], input: Scene.passcode + "\n",
        environment: scene.names.merging([
          "LD_PRELOAD": "libpam_wrapper.so libnss_wrapper.so", "PAM_WRAPPER": "1",
          "PAM_WRAPPER_SERVICE_DIR": scene.path("pam.d"),
        ]) { $1 })
      #expect(output.status == 0)
      #expect(output.says("Passcode for \(scene.user) (demo): "))
      #expect(output.says("pamtester: successfully authenticated"))
    }

    @Test func `a login with a wrong passcode is refused, and says how many tries are left`() throws {
      let scene = try Scene.registered()
      let login = try scene.logIn("wrong1111")
      #expect(login.code == .authenticationError)
      #expect(login.errors == ["Wrong passcode: 4 tries left."])
      #expect(try scene.status().remainingTries == 4)
    }

    @Test func `a login with the right passcode gives back all tries`() throws {
      let scene = try Scene.registered()
      _ = try scene.logIn("wrong1111")
      #expect(try scene.logIn(Scene.passcode).code == .success)
      #expect(try scene.status().remainingTries == 5)
    }

    @Test func `while the account is locked a login is refused without a prompt, even with the right passcode`() throws
    {
      let scene = try Scene.registered { $0.lock = "retry_count_to_lock = 1\nlock_time = 60" }
      let locking = try scene.logIn("wrong1111")
      #expect(
        locking.code == .maximumTries && locking.errors == ["Locked after wrong entries: try again in 60 seconds."])
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .maximumTries)
      #expect(login.prompts.isEmpty)
      let text = try #require(login.errors.first)
      #expect(text.wholeMatch(of: /Locked after wrong entries: try again in (5\d|60) seconds\./) != nil)
      #expect(try scene.status().state == 3008)
    }

    @Test func `a login is accepted again after the lock has ended`() throws {
      let scene = try Scene.registered { $0.lock = "retry_count_to_lock = 1\nlock_time = 1.5" }
      _ = try scene.logIn("wrong1111")
      #expect(try scene.logIn(Scene.passcode).code == .maximumTries)
      try Wait.until("the end of the lock") { try scene.status().state == 3006 }
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `after the last temporary lock an account is locked permanently, until root unlocks it`() throws {
      let scene = try Scene.registered { $0.lock = "retry_count_to_lock = 1\nlock_time = 0.1\nmax_lock_count = 1" }
      _ = try scene.logIn("wrong1111")
      try Wait.until("the end of the lock") { try scene.status().state == 3006 }
      let last = try scene.logIn("wrong2222")
      let text = "Locked permanently after too many wrong entries: ask the administrator to unlock."
      #expect(last.errors == [text])
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .maximumTries)
      #expect(login.errors == [text])
      #expect(try scene.status().permanent)
      #expect(try scene.tool("unlock", scene.user).status == 0)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `a login fails as unreachable while the server is stopped, and is accepted when the server is back`()
      throws
    {
      let server = try Server()
      let scene = try Scene.registered(server)
      try server.stop()
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .informationUnavailable)
      #expect(login.errors == ["No answer from the server: the connection was refused."])
      #expect(try scene.status().remainingTries == 5)
      try server.resume()
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `a login is refused without a prompt after a deregistration`() throws {
      let scene = try Scene.registered()
      let output = try scene.tool("deregister", "--user", scene.user, input: Scene.passcode + "\n")
      #expect(output.status == 0)
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .userUnknown)
      #expect(login.prompts.isEmpty)
    }

    @Test
    func `a login is refused for an account that the server revoked, and does not report the server as unreachable`()
      throws
    {
      let scene = try Scene.registered()
      try scene.server.revoke(scene.user)
      for _ in 0..<2 {
        let login = try scene.logIn(Scene.passcode)
        #expect(login.code == .authenticationError)
      }
    }

    @Test
    func `a disabled account is told so only after the right passcode, and its login is accepted after it is enabled`()
      throws
    {
      let scene = try Scene.registered()
      try scene.server.disable(scene.user)
      #expect(try scene.logIn("wrong").errors.allSatisfy { !$0.contains("disabled") })
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .authenticationError)
      #expect(
        login.errors == [
          "The server does not allow this for this account, which may be disabled: ask its administrator."
        ])
      try scene.server.enable(scene.user)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `four simultaneous logins of one account succeed`() throws {
      let scene = try Scene.registered()
      let logins = try (0..<4).map { _ in try scene.startLogin() }
      for login in logins { login.send(Scene.passcode + "\n") }
      let codes = try logins.map { Login(try $0.end()).code }
      #expect(codes == Array(repeating: .success, count: 4))
    }
  }
}
