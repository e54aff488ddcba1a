import ArgumentParser
import Foundation
import UAFDecoder

/// `uaf-server decode`: shows a UAF message to a person.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Print a UAF message with the names of its parts, and verify what can be verified.",
    discussion: """
      Accepts a request or response, a transport body around it, a bare assertion, or bare fcParams in base64url. \
      Needs no state. The exit status is 1 if the input is not a message, or if something in it fails verification.
      """)

  /// The most bytes that are read; a server accepts fewer.
  private static let largest = 262_144

  @Argument(help: "A file (default: standard input).", completion: .file()) var file: String?

  func run() throws {
    let bytes = try read()
    guard let message = try? DecodedMessage(bytes) else {
      Terminal.note(
        "\(file ?? "standard input") contains neither JSON nor base64url: give a UAF message as it was sent")
      throw ExitCode.failure
    }
    for line in message.lines { Terminal.result(line) }
    if !message.holds { throw ExitCode.failure }
  }

  private func read() throws -> [UInt8] {
    let name = file ?? "standard input"
    do {
      let handle = try file.map { try FileHandle(forReadingFrom: URL(filePath: $0)) } ?? .standardInput
      // A read from a pipe may return less than requested; only an empty read means the end.
      var bytes = Data()
      while bytes.count <= Self.largest, let more = try handle.read(upToCount: Self.largest + 1 - bytes.count),
        !more.isEmpty
      {
        bytes += more
      }
      guard bytes.count <= Self.largest else {
        throw ValidationError("\(name) is longer than \(Self.largest) bytes, the maximum for a UAF message.")
      }
      return Array(bytes)
    } catch let error as ValidationError {
      throw error
    } catch {
      throw ValidationError("\(name) cannot be read: \(error.localizedDescription)")
    }
  }
}
