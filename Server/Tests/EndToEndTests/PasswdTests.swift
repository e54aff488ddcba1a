import Testing

extension EndToEnd {
  @Suite struct `The machine's own passwd` {
    /// Runs passwd for the account, with the scene's stack for it.
    private func passwd(_ scene: Scene, _ answers: [String]) throws -> Output {
      try Command.run(
        ["passwd", scene.user], input: answers.map { $0 + "\n" }.joined(),
        environment: scene.names.merging([
          "LD_PRELOAD": "libpam_wrapper.so libnss_wrapper.so", "PAM_WRAPPER": "1",
          "PAM_WRAPPER_SERVICE_DIR": scene.path("pam.d"),
        ]) { $1 })
    }

    private func scene(registered: Bool) throws -> Scene {
      let scene = try registered ? Scene.registered() : Scene()
      let lines = "password [success=done ignore=ignore default=die] \(Programs.module) conf=\(scene.configuration)"
      try scene.write(lines + "\npassword required pam_permit.so\n", to: "pam.d/passwd")
      return scene
    }

    @Test func `the machine's passwd changes a passcode`() throws {
      let scene = try scene(registered: true)
      let output = try passwd(scene, [Scene.passcode, "marmalade7", "marmalade7"])
      #expect(output.status == 0)
      #expect(try scene.logIn("marmalade7").code == .success)
    }

    @Test func `the machine's passwd fails with a wrong passcode, and changes nothing`() throws {
      let scene = try scene(registered: true)
      let output = try passwd(scene, ["wrong1111", "marmalade7", "marmalade7"])
      #expect(output.status != 0)
      #expect(output.says("Wrong passcode"))
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `the machine's passwd works as usual for an account that never registered`() throws {
      let output = try passwd(scene(registered: false), [])
      #expect(output.status == 0)
      #expect(!output.says("asscode"))
    }
  }
}
