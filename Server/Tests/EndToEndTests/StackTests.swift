import Testing

extension EndToEnd {
  @Suite struct `A stack whose helper is missing` {
    /// A scene whose stack has pam_uaf, without its core, under this control.
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
    func `if the helper is missing and the line's control allows it, the next module decides, and may accept`(
      _ control: String
    ) throws {
      let scene = try scene(control)
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .success)
      #expect(login.output.says("info the next module"))
      #expect(login.prompts.isEmpty)
    }

    @Test func `if the helper of a required module is missing, the stack continues with the next module and refuses`()
      throws
    {
      let login = try scene("required").logIn(Scene.passcode)
      #expect(login.code == .systemError)
      #expect(login.output.says("info the next module"))
    }

    @Test func `if the helper of a requisite module is missing, the stack ends immediately and refuses`() throws {
      let login = try scene("requisite").logIn(Scene.passcode)
      #expect(login.code == .systemError)
      #expect(!login.output.says("info the next module"))
    }
  }
}
