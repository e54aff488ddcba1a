import Foundation
import ProgramTesting

/// A folder of this test run, which is removed when the run ends, however it ends.
final class Folder: Sendable {
  private static let made = Result { try Folder() }

  static var shared: Folder { get throws { try made.get() } }

  let path: String
  // The folder is removed when this pipe is closed, and the pipe closes with this process.
  private let input = Pipe()

  private init() throws {
    var template = Array("/tmp/pam-uaf-test-XXXXXX".utf8CString)
    // SAFETY: the array is NUL-terminated and written in place.
    guard unsafe mkdtemp(&template) != nil else { throw Failure("mkdtemp: errno \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Programs that run as other users must be able to enter the folder.
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: path)
    _ = try StartedProgram(["/bin/sh", "-c", "read -r _; rm -rf \"$1\"", "sh", path], input: .pipe(input))
  }

  /// A path in the folder that no file has yet.
  func file(_ name: String) throws -> String { path + "/\(name)-\(UUID().uuidString.prefix(8))" }

  /// Creates a folder in it, which only root can enter.
  func folder(_ name: String) throws -> String {
    let path = try file(name)
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
    return path
  }
}
