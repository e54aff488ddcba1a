import Foundation
import Testing

extension EndToEnd {
  struct `A server that starts` {
    @Test func `a server that gets SIGHUP while it starts survives, and listens afterwards`() throws {
      let folder = try Folder.shared.folder("hangup")
      let program = try Command(
        [Programs.server, "serve", "--state", folder, "--listen", "127.0.0.1:0", "--development"], logged: false)
      // Until the program ignores SIGHUP, the signal's default action would end it.
      try Wait.until("the first lines of the program") { isIgnored(by: program) }
      try Wait.until("the address") {
        kill(program.identifier, SIGHUP)
        return program.text.contains("listening on") || !program.isRunning
      }
      #expect(program.isRunning, "\(program.text)")
    }

    private func isIgnored(by program: Command) -> Bool {
      let ignored = ProcessTable.status(program.identifier, "SigIgn").flatMap { UInt64($0, radix: 16) } ?? 0
      return ignored & 1 << UInt64(SIGHUP - 1) != 0
    }
  }
}
