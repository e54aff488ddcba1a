import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A text to be confirmed` {
    private func scene() throws -> Scene {
      try Scene.registered { $0.more = "[service.demo]\ntransaction = true" }
    }

    /// The lines of the server's output about texts that the account confirmed, without number and time.
    private func confirmed(_ scene: Scene) throws -> [[Substring]] {
      let output = try scene.server.audit(scene.user)
      #expect(output.status == 0)
      return output.lines.filter { $0.contains("\t") }.map { Array($0.split(separator: "\t").dropFirst(2)) }
    }

    @Test func `a text to be confirmed is shown with the prompt, signed, and stored so that it can be checked again`()
      throws
    {
      let scene = try scene()
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .success)
      let host = ProcessInfo.processInfo.hostName
      let text = "\(scene.user)@\(host): demo"
      #expect(login.output.says("Your passcode confirms: \(text)"))
      #expect(try confirmed(scene) == [[Substring(scene.user), "ok", Substring(text)]])
    }

    @Test func `a wrong passcode confirms no text`() throws {
      let scene = try scene()
      #expect(try scene.logIn("wrong1111").code == .authenticationError)
      #expect(try confirmed(scene).isEmpty)
    }

    @Test func `a confirmed text fails the server's check after somebody changed it in the server's store`() throws {
      let scene = try scene()
      #expect(try scene.logIn(Scene.passcode).code == .success)
      let change = """
        import sqlite3, sys
        store = sqlite3.connect(sys.argv[1])
        store.execute("UPDATE confirmation SET shown = 'mina@desk: sudo true' WHERE username = ?", sys.argv[2:])
        store.commit()
        """
      try Command.succeed(["python3", "-c", change, scene.server.state + "/server.db", scene.user], logged: false)
      let output = try scene.server.audit(scene.user)
      #expect(output.status == 1)
      #expect(output.says("a different text was signed"))
    }

    @Test func `a text is not confirmed with a passcode that was entered for an earlier PAM module`() throws {
      let scene = try scene()
      try scene.stack("auth required MODULE use_first_pass")
      let login = try scene.logIn(Scene.passcode)
      #expect(login.code == .serviceError)
      #expect(try confirmed(scene).isEmpty)
    }
  }
}
