import Foundation
import Testing

extension EndToEnd {
  /// These tests run the real libpam, module, core, network program and server.
  ///
  /// The auth stage does without pam_uaf, as after a login with a public key.
  @Suite struct `The account stage with account_check` {
    private static let disabled = "error This account is disabled. Ask the administrator."

    private func scene(_ argument: String = "account_check", _ more: String = "") throws -> Scene {
      let server = try Server()
      let scene = try Scene.registered(server) {
        $0.server = "require_signed_verdict = true\nverdict_key = \"\(server.state)/verdict.pub\""
        $0.more = more
      }
      try stack(scene, argument)
      return scene
    }

    private func stack(_ scene: Scene, _ argument: String) throws {
      try scene.stack(
        "auth required pam_permit.so", "account required MODULE \(argument)", "account required pam_permit.so")
    }

    @Test
    func `the account stage lets an active account in, refuses it while disabled, and lets it in again once enabled`()
      throws
    {
      let scene = try scene()
      let active = try scene.run([.auth, .account], [])
      #expect(active.codes == [.success, .success] && active.prompts.isEmpty && active.errors.isEmpty)
      try scene.server.disable(scene.user)
      let refused = try scene.run([.auth, .account], [])
      #expect(refused.codes == [.success, .authenticationError] && refused.prompts.isEmpty)
      #expect(refused.output.lines.contains(Self.disabled), "\(refused.output.text)")
      try scene.server.enable(scene.user)
      #expect(try scene.run([.account], []).code == .success)
    }

    @Test
    func `with account_check a disabled account is still refused while the server is away, and other accounts get in`()
      throws
    {
      let scene = try scene()
      try scene.server.stop()
      #expect(try scene.run([.account], []).code == .success, "nothing says that it is disabled")
      try scene.server.resume()
      try scene.server.disable(scene.user)
      #expect(try scene.run([.account], []).code == .authenticationError)
      try scene.server.stop()
      #expect(try scene.run([.account], []).code == .authenticationError)
    }

    @Test func `account_check=required refuses while the server is away, unless root allows logins without the server`()
      throws
    {
      let scene = try scene("account_check=required", "[service.demo]\noffline = \"allow\"\noffline_max_age = 3600")
      #expect(try scene.run([.account], []).code == .success)
      try scene.server.stop()
      #expect(try scene.run([.account], []).code == .success)
      try scene.configure { $0.more = "" }
      #expect(try scene.run([.account], []).code == .authenticationError)
    }

    @Test
    func `with account_check_online = false no server is asked, and an account that was known as disabled is refused`()
      throws
    {
      let scene = try scene("account_check", "[service.demo]\naccount_check_online = false")
      try scene.server.disable(scene.user)
      #expect(try scene.run([.account], []).code == .success)
      try scene.configure { $0.more = "" }
      #expect(try scene.run([.account], []).code == .authenticationError)
      try scene.server.enable(scene.user)
      try scene.configure { $0.more = "[service.demo]\naccount_check_online = false" }
      #expect(try scene.run([.account], []).code == .authenticationError)
    }

    @Test
    func `without account_check a disabled account gets in, and a wrong or misplaced argument is a service error`()
      throws
    {
      let scene = try scene("")
      try scene.server.disable(scene.user)
      #expect(try scene.run([.account], []).code == .success)
      try stack(scene, "account_check=yes")
      #expect(try scene.run([.account], []).code == .serviceError)
      try scene.stack("auth required MODULE account_check")
      #expect(try scene.logIn(Scene.passcode).code == .serviceError)
    }

    @Test func `without a core the account stage is a system error with account_check, and a success without it`()
      throws
    {
      let scene = try scene()
      let module = try Module.startingTheCore()
      try module.install([:])
      try scene.stack(
        "account required MODULE account_check", "account required pam_permit.so", module: module.path)
      #expect(try scene.run([.account], []).code == .systemError)
      try scene.stack("account required MODULE", "account required pam_permit.so", module: module.path)
      #expect(try scene.run([.account], []).code == .success)
    }
  }
}
