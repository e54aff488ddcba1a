import Foundation
import ProgramTesting

/// The log of the programs that a test starts: a /dev/log in its own mount namespace.
final class SystemLog: Sendable {
  private static let made = Result { try SystemLog() }

  static func shared() throws -> SystemLog { try made.get() }

  /// The command that runs a program in the namespace; empty on machines without mount namespaces.
  let prefix: [String]
  private let input = Pipe()
  private let output = Pipe()

  private init() throws {
    let folder = try Folder.shared.folder("log")
    let command = ["/usr/bin/env", "unshare", "--mount", "python3", Programs.own("system-log.py"), folder]
    _ = try StartedProgram(command, input: .pipe(input), output: .pipe(output))
    let line = output.fileHandleForReading.firstLine
    guard let identifier = pid_t(line) else {
      prefix = []
      return
    }
    prefix = ["/usr/bin/nsenter", "--mount", "--target", "\(identifier)"]
  }

  /// Whether this machine lets root make a mount namespace; a container without CAP_SYS_ADMIN does not.
  static var isPossible: Bool { (try? shared().prefix.isEmpty) == false }

  /// What was logged since the last call.
  func take() throws -> [String] {
    try input.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")])
    return try JSONDecoder().decode([String].self, from: Data(output.fileHandleForReading.firstLine.utf8))
  }
}
