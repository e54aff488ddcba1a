import Foundation
import Testing

extension EndToEnd {
  struct `A server that starts` {
    @Test func `survives SIGHUP, and listens afterwards`() throws {
      let folder = try Folder.shared.folder("hangup")
      let program = try Command(
        [Programs.server, "serve", "--state", folder, "--listen", "127.0.0.1:0", "--development"], logged: false)
      // The system starts the program with the signal's default, which ends it.
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
