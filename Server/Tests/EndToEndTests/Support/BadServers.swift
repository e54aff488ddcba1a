import Foundation
import ProgramTesting

/// The servers of Tests/Servers/https_servers.py: a good one, and others with one fault each.
struct BadServers: Decodable {
  /// The CA, in PEM, that signed most of their certificates.
  let authority: String
  private let ports: [String: Int]

  private final class Running: Sendable {
    let servers: Result<BadServers, any Error>
    private let input = Pipe()

    init() {
      let (input, output) = (input, Pipe())
      servers = Result {
        _ = try StartedProgram(
          ["/usr/bin/env", "python3", "-W", "ignore", Programs.badServers], input: .pipe(input), output: .pipe(output))
        let line = output.fileHandleForReading.firstLine
        return try JSONDecoder().decode(BadServers.self, from: Data(line.utf8))
      }
    }
  }

  private static let running = Running()

  static func shared() throws -> BadServers { try running.servers.get() }

  /// The URL of a path at one of these servers.
  func url(_ name: String, _ path: String = "/ok") throws -> String {
    guard let port = ports[name] else { throw Failure("https_servers.py has no server \(name)") }
    return "https://127.0.0.1:\(port)\(path)"
  }
}
