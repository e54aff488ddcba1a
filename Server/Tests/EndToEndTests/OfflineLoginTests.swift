import Foundation
import Testing

extension EndToEnd {
  /// These tests run the real module, core, network program and server, and then stop the server.
  @Suite struct `A login without the server` {
    private static let allowed = "[service.demo]\noffline = \"allow\"\noffline_max_age = 3600"

    private func scene(_ more: String = allowed) throws -> Scene {
      let scene = try Scene.registered(Server()) { $0.more = more }
      #expect(try scene.logIn(Scene.passcode).code == .success)
      return scene
    }

    @Test
    func `if root allows it, a login without the server succeeds with the right passcode, and fails with a wrong one`()
      throws
    {
      let scene = try scene()
      try scene.server.stop()
      _ = try? SystemLog.shared().take()
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .success)
      #expect(login.output.lines.contains("info The server could not be reached; you are logged in without it."))
      if SystemLog.isPossible {
        let lines = try SystemLog.shared().take()
        #expect(lines.contains { $0.contains("event=authenticate result=0 ") && $0.contains(" offline=yes age=") })
      }
      let wrong = try scene.logIn("wrong1111")
      #expect(wrong.code == .authenticationError)
      #expect(try scene.status().remainingTries == 4)
    }

    @Test func `a login without the server fails if root does not allow it`() throws {
      let scene = try scene("")
      try scene.server.stop()
      #expect(try scene.logIn(Scene.passcode).code == .informationUnavailable)
    }

    @Test func `a login without the server fails before the account's first login with the server`() throws {
      let scene = try Scene.registered(Server()) { $0.more = Self.allowed }
      try scene.server.stop()
      #expect(try scene.logIn(Scene.passcode).code == .informationUnavailable)
    }

    @Test func `a login without the server fails for a revoked account that the server has refused since`() throws {
      let scene = try scene()
      try scene.server.revoke(scene.user)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
      try scene.server.stop()
      #expect(try scene.logIn(Scene.passcode).code == .informationUnavailable)
    }

    @Test func `a login without the server fails for a disabled account that the server has refused since`() throws {
      let scene = try scene()
      try scene.server.disable(scene.user)
      #expect(try scene.logIn(Scene.passcode).code == .authenticationError)
      try scene.server.stop()
      #expect(try scene.logIn(Scene.passcode).code == .informationUnavailable)
    }
  }
}
