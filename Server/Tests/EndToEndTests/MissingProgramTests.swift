import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A login without its programs` {
    private static let text =
      "The login helper is missing or unusable, or it has died. Reinstall the libpam-uaf package."

    /// A registered account on a machine on which only these programs are installed.
    private func scene(_ programs: [String: String]) throws -> (Scene, helper: String) {
      let scene = try Scene.registered()
      let module = try Module.startingTheCore()
      try module.install(programs)
      try scene.stack("auth required MODULE", module: module.path)
      return (scene, module.libexec + "/uaf-helper")
    }

    @Test func `a login is a system error if the helper is missing`() throws {
      let (scene, helper) = try scene([:])
      try Refusal(
        code: .systemError, text: Self.text,
        // The beginning of the line depends on whether the kernel can put the core into its cgroup at clone3.
        log: "; \(helper) cannot be run"
      ).check { try scene.logIn(Scene.passcode) }
    }

    @Test func `a login is a system error if the helper cannot be run`() throws {
      let (scene, helper) = try scene(["uaf-helper": Programs.helper])
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: helper)
      try Refusal(code: .systemError, text: Self.text, log: "\(helper) cannot be run").check {
        try scene.logIn(Scene.passcode)
      }
    }

    @Test func `a login is a system error if the helper is a different program`() throws {
      let (scene, _) = try scene(["uaf-helper": "/bin/true"])
      try Refusal(code: .systemError, text: Self.text, log: "the core ended without a verdict").check {
        try scene.logIn(Scene.passcode)
      }
    }

    @Test func `a login is a system error if the network program is missing`() throws {
      let (scene, _) = try scene(["uaf-helper": Programs.helper])
      try Refusal(code: .systemError, text: Self.text, log: "uaf-fetch: ").check { try scene.logIn(Scene.passcode) }
      #expect(try scene.status().remainingTries == 5)
    }

    @Test(arguments: [SIGKILL, SIGSEGV])
    func `a login is a system error if the helper is killed at the prompt`(_ signal: Int32) throws {
      let scene = try Scene.registered()
      try Refusal(code: .systemError, text: Self.text, log: "the core ended without a verdict", asks: true).check {
        let login = try scene.startLogin()
        let helpers = login.descendants(named: "uaf-helper")
        try #require(helpers.count == 1 && kill(helpers[0], signal) == 0)
        login.send(Scene.passcode + "\n")
        return Login(try login.end())
      }
    }

    @Test func `a login is a system error if the network program is killed at the prompt`() throws {
      let scene = try Scene.registered()
      try Refusal(
        code: .systemError, text: Self.text, log: "the network program is missing or has died", asks: true
      ).check {
        let login = try scene.startLogin()
        let programs = login.descendants(named: "uaf-fetch")
        try #require(programs.count == 1 && kill(programs[0], SIGKILL) == 0)
        login.send(Scene.passcode + "\n")
        return Login(try login.end())
      }
      #expect(try scene.status().remainingTries == 5)
    }
  }
}
