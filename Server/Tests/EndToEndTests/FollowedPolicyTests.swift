import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A policy of the server for workstations` {
    private let scene: Scene
    private let longer = "tangerine9tangerine9"

    /// A joined machine with a registered account.
    ///
    /// Its configuration lets the server's policy set the section `[passcode]`.
    init() throws {
      let server = try Server()
      scene = try Scene(server) {
        $0.server = "require_signed_verdict = true\nverdict_key = \"\(server.state)/verdict.pub\""
        $0.more = "[policy]\nfollow = [\"passcode\"]"
      }
      let output = try Command.succeed(
        [Programs.server, "join-code", "create", "--authority", server.authority, "--state", server.state],
        logged: false)
      let line = try #require(output.lines.first { $0.hasPrefix("ey") }, "\(output.text)")
      try scene.write(line + "\n", to: "join", mode: 0o600)
      let joined = try scene.tool("join", "--payload", scene.path("join"))
      #expect(joined.says("joined"), "\(joined.text)")
      try scene.register()
    }

    private func save(_ text: String, group: String = "default") throws {
      try scene.write(text, to: "policy.toml")
      try Command.succeed(
        [
          Programs.server, "machine-policy", "set", scene.path("policy.toml"), "--group", group, "--reason", "a test",
          "--state", scene.server.state,
        ], logged: false)
    }

    private func checkIn() throws {
      let output = try scene.tool("check-in")
      #expect(output.status == 0, "\(output.text)")
    }

    private func change(to value: String) throws -> Output {
      try scene.tool("change", scene.user, input: "\(Scene.passcode)\n\(value)\n\(value)\n")
    }

    @Test func `a policy for workstations arrives with a check-in, and then a new passcode that it forbids is refused`()
      throws
    {
      try save("[passcode]\nmin_length = 20\n")
      try checkIn()
      let short = try change(to: "plumplum1")
      #expect(short.status == 1 && short.says("20"), "\(short.text)")
      #expect(try scene.logIn(Scene.passcode).code == .success)
      #expect(try change(to: longer).status == 0)
      #expect(try scene.logIn(longer).code == .success)
    }

    @Test func `a policy for a different group of machines changes nothing on this machine`() throws {
      try checkIn()
      try save("[passcode]\nmin_length = 20\n", group: "office")
      try checkIn()
      #expect(try change(to: "plumplum1").status == 0)
    }

    @Test func `after a group's policy is removed at the server, the next check-in removes its rules from the machine`()
      throws
    {
      try save("[passcode]\nmin_length = 20\n")
      try checkIn()
      #expect(try change(to: "plumplum1").status == 1)
      try Command.succeed(
        [
          Programs.server, "machine-policy", "remove", "--group", "default", "--reason", "a test", "--state",
          scene.server.state,
        ], logged: false)
      try checkIn()
      #expect(try change(to: "plumplum1").status == 0)
    }
  }
}
