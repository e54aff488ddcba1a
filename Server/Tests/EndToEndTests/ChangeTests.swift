import Testing

extension EndToEnd {
  @Suite struct `A change of the passcode through PAM` {
    private static let new = "marmalade7"

    /// A stack with every stage of pam_uaf, followed by a second module that accepts any new password.
    private func scene(
      registered: Bool = true, behind: String = "pam_permit.so", settings: (inout Settings) -> Void = { _ in }
    ) throws -> Scene {
      let scene = try registered ? Scene.registered(settings: settings) : Scene(settings: settings)
      try scene.stack(
        "auth required MODULE", "account required MODULE", "account required pam_permit.so",
        "password required MODULE", "password required \(behind)")
      return scene
    }

    /// Whether `value` logs in and `other` is refused.
    private func opens(_ value: String, not other: String, _ scene: Scene) throws -> Bool {
      let refused = try scene.logIn(other).code == .authenticationError
      return try scene.logIn(value).code == .success && refused
    }

    @Test
    func `a change through PAM asks for the old passcode and twice for the new one, and only the new one then logs in`()
      throws
    {
      let scene = try scene()
      let change = try scene.run([.password], [Scene.passcode, Self.new, Self.new])
      #expect(change.codes == [.success])
      #expect(change.prompts.count == 3)
      #expect(try opens(Self.new, not: Scene.passcode, scene))
    }

    @Test func `a change through PAM with a wrong old passcode is refused, and counts as an attempt`() throws {
      let scene = try scene()
      let change = try scene.run([.password], ["wrong1111", Self.new, Self.new])
      #expect(change.codes == [.authenticationError])
      #expect(change.prompts.count == 1)
      #expect(try scene.status().remainingTries == 4)
      #expect(try opens(Scene.passcode, not: Self.new, scene))
    }

    @Test func `a change through PAM is refused without a prompt while the account is locked`() throws {
      let scene = try scene { $0.lock = "retry_count_to_lock = 1\nlock_time = 60" }
      _ = try scene.logIn("wrong1111")
      let change = try scene.run([.password], [Scene.passcode, Self.new, Self.new])
      #expect(change.codes == [.maximumTries])
      #expect(change.prompts.isEmpty)
    }

    @Test func `a change through PAM changes nothing if no acceptable new passcode is entered`() throws {
      let scene = try scene()
      let change = try scene.run([.password], [Scene.passcode] + Array(repeating: "short", count: 8))
      #expect(change.codes == [.tokenError])
      #expect(change.prompts.count > 2)
      #expect(try opens(Scene.passcode, not: "short", scene))
    }

    @Test func `a change through PAM changes nothing if the new passcode and its repetition differ`() throws {
      let scene = try scene()
      let entries = Array(repeating: [Self.new, "marmalade8"], count: 4).flatMap { $0 }
      #expect(try scene.run([.password], [Scene.passcode] + entries).codes == [.tokenError])
      #expect(try opens(Scene.passcode, not: Self.new, scene))
    }

    @Test func `a change through PAM changes nothing if the person gives up before entering the new passcode twice`()
      throws
    {
      let scene = try scene()
      #expect(try scene.run([.password], [Scene.passcode]).codes == [.tokenError])
      #expect(try scene.run([.password], [Scene.passcode, Self.new]).codes == [.tokenError])
      #expect(try opens(Scene.passcode, not: Self.new, scene))
      #expect(try scene.status().remainingTries == 5)
    }

    @Test func `a change through PAM changes nothing if a different module refuses in PAM's preliminary pass`() throws {
      let scene = try scene(behind: "pam_deny.so")
      let change = try scene.run([.password], [Scene.passcode, Self.new, Self.new])
      #expect(change.code != .success)
      #expect(change.prompts.count == 1)
      #expect(try opens(Scene.passcode, not: Self.new, scene))
    }

    @Test func `for an account that never registered, pam_uaf ignores a change of the password and shows no prompt`()
      throws
    {
      let change = try scene(registered: false).run([.password], [])
      #expect(change.codes == [.success])
      #expect(change.prompts.isEmpty)
    }

    @Test func `the account stage demands a change if today's rules would refuse the passcode`() throws {
      let scene = try scene()
      try scene.configure { $0.more = Self.stricter }
      let new = "marmalade777"
      let login = try scene.run(
        [.auth, .account, .expired, .account, .expired],
        [Scene.passcode, Scene.passcode, Self.new, new, new])
      #expect(login.codes == [.success, .newTokenRequired, .success, .success, .success])
      #expect(login.prompts.count == 5)
      #expect(try opens(new, not: Scene.passcode, scene))
      #expect(try scene.run([.auth, .account], [new]).codes == [.success, .success])
    }

    /// Rules that are stricter than those under which the passcode was set, for a service that can show the prompts of a
    /// change.
    private static let stricter = "[passcode]\nmin_length = 12\n[service.demo]\ninteractive = true"

    @Test func `no change is demanded in a service with one prompt: the login succeeds, and a text names the command`()
      throws
    {
      let scene = try scene()
      try scene.configure { $0.more = "[passcode]\nmin_length = 12" }
      let login = try scene.run([.auth, .account, .expired], [Scene.passcode])
      #expect(login.codes == [.success, .success, .success])
      #expect(login.prompts.count == 1)
      #expect(login.output.says("change it with 'uafctl change'"))
      #expect(try opens(Scene.passcode, not: Self.new, scene))
    }

    @Test func `the account stage demands the change again after a change has failed`() throws {
      let scene = try scene()
      try scene.configure { $0.more = Self.stricter }
      let login = try scene.run([.auth, .account, .expired, .account], [Scene.passcode, "wrong1111"])
      #expect(login.codes == [.success, .newTokenRequired, .authenticationError, .newTokenRequired])
    }

    @Test
    func `if no passcode was verified, no change is demanded, and the stage for an expired password shows no prompt`()
      throws
    {
      let scene = try scene()
      try scene.configure { $0.more = Self.stricter }
      let login = try scene.run([.account, .expired, .auth, .account, .expired], ["wrong1111"])
      #expect(login.codes == [.success, .success, .authenticationError, .success, .success])
      #expect(login.prompts.count == 1)
    }
  }
}
