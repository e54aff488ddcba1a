import Foundation
import ProgramTesting

/// A server by a different maker, which runs as long as the tests: a program of interop/, which prints a line of JSON when it
/// is ready.
final class InteropServer<Announcement: Decodable & Sendable>: Sendable {
  /// What the program printed when it was ready, or why it did not start.
  let announced: Result<Announcement, any Error>
  private let input = Pipe()
  private let output = Pipe()

  /// Starts the program.
  ///
  /// It ends with this process, because that closes its standard input.
  init(_ program: String) {
    let (input, output) = (input, output)
    let lines = output.fileHandleForReading
    let command = [
      "/usr/bin/python3", "-W", "ignore", Programs.own(program), ForeignServer.model, ForeignServer.facetID,
    ]
    announced = Result {
      _ = try StartedProgram(
        command, environment: ["PYTHONDONTWRITEBYTECODE": "1"], input: .pipe(input), output: .pipe(output),
        errors: .file(.nullDevice))
      return try JSONDecoder().decode(Announcement.self, from: Data(lines.firstLine.utf8))
    }
  }

  /// Tells the program how to reply to right answers from now on, and waits until it does.
  func say(_ word: String) throws {
    guard try ask(word) == word else { throw Failure("the program does not listen") }
  }

  /// Gives the program a line, and returns the line with which it replies.
  func ask(_ word: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((word + "\n").utf8))
    return output.fileHandleForReading.firstLine
  }
}
