import Foundation
import Glibc

/// The folder that holds everything the server keeps.
struct StateDirectory: Sendable {
  let path: String

  var databasePath: String { file("server.db") }
  /// The certificate authority of a development certificate.
  var authorityPath: String { file("ca.pem") }
  var certificatePath: String { file("certificate.pem") }
  var privateKeyPath: String { file("key.pem") }
  /// The public half of the key that signs verdicts, PEM.
  var verdictPublicKeyPath: String { file("verdict.pub") }
  var verdictKeyPath: String { file("verdict.key") }
  var secretPath: String { file("server.secret") }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Uses a folder, and makes it for its owner alone if it is not there.
  ///
  /// - Throws: ``ServerError/unusableDirectory(path:reason:)``.
  init(path: String, create: Bool) throws {
    self.path = path
    var isDirectory: ObjCBool = false
    // SAFETY: the flag lives for the call.
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    guard !exists || isDirectory.boolValue else {
      throw ServerError.unusableDirectory(path: path, reason: "is not a folder")
    }
    if exists { return }
    guard create else {
      throw ServerError.unusableDirectory(path: path, reason: "no such folder: run 'uaf-server serve' first")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerError.unusableDirectory(path: path, reason: "cannot be made: \(error.localizedDescription)")
    }
  }

  /// Makes an empty database file for its owner alone; SQLite gives its companions the same mode.
  func makeDatabaseFile() throws {
    _ = try StateFile.create(path: databasePath, mode: 0o600, contents: [])
  }
}
