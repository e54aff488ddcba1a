import Foundation
import ProgramTesting
import Testing
import UAFWire

/// The servers of Tests/Servers/https_servers.py, started once and ended with the test run.
@dynamicMemberLookup
struct Servers: Decodable {
  let folder, authority, leaf: String
  private let ports: [String: Int]

  /// The port of the server with this name.
  ///
  /// If there is none: 0, where nobody listens.
  subscript(dynamicMember name: String) -> Int { ports[name] ?? 0 }

  /// Keeps one end of a pipe open; the servers end when it is closed.
  private final class Running: Sendable {
    let servers: Result<Servers, any Error>
    private let input = Pipe()

    init() {
      let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Servers/https_servers.py")
      let (input, output) = (input, Pipe())
      servers = Result {
        _ = try StartedProgram(
          ["/usr/bin/env", "python3", "-W", "ignore", script.path], input: .pipe(input), output: .pipe(output))
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
          let more = output.fileHandleForReading.availableData
          if more.isEmpty { break }
          line += more
        }
        return try JSONDecoder().decode(Servers.self, from: line)
      }
    }
  }

  private static let running = Running()

  /// The servers, which the first caller starts.
  static func shared() throws -> Servers { try running.servers.get() }

  /// A GET request that trusts the CA of the servers.
  func get(_ port: Int, _ path: String = "/ok", timeout: UInt32 = 20_000) -> FetchRequest {
    var request = FetchRequest(.get, url: "https://127.0.0.1:\(port)\(path)", timeoutMilliseconds: timeout)
    request.certificateAuthorities = authority
    return request
  }

  /// The same with POST and a body.
  func post(_ port: Int, _ path: String, _ body: [UInt8]?) -> FetchRequest {
    var request = get(port, path)
    request.method = .post
    request.body = body
    return request
  }
}
