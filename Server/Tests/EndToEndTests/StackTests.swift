import Testing

extension EndToEnd {
  @Suite struct `A stack whose helper is missing` {
    /// A module like pam_uaf whose core is missing.
    private func scene(_ control: String) throws -> Scene {
      let scene = try Scene()
      let module = try Module.startingTheCore()
      try module.install([:])
      try scene.stack(
        "auth \(control) MODULE", "auth optional pam_echo.so the next module", "auth required pam_permit.so",
        module: module.path)
      return scene
    }

    @Test(arguments: ["sufficient", "optional", "[success=done default=ignore]", "[success=ok default=ignore]"])
    func `continues with the next module, which may accept, if the line's control allows that`(_ control: String) throws
    {
      let scene = try scene(control)
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .success)
      #expect(login.output.says("info the next module"))
      #expect(login.prompts.isEmpty)
    }

    @Test func `continues with the next module and refuses, if the module is required`() throws {
      let login = try scene("required").logIn(Scene.passcode)
      #expect(login.code == .systemError)
      #expect(login.output.says("info the next module"))
    }

    @Test func `ends immediately and refuses, if the module is requisite`() throws {
      let login = try scene("requisite").logIn(Scene.passcode)
      #expect(login.code == .systemError)
      #expect(!login.output.says("info the next module"))
    }
  }
}
