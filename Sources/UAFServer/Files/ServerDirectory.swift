import Foundation
import Glibc

/// The folder with everything that the server stores.
struct ServerDirectory: Sendable {
  let path: String

  var databasePath: String { file("server.db") }
  /// The certificate authority of a development certificate.
  var authorityPath: String { file("ca.pem") }
  var certificatePath: String { file("certificate.pem") }
  var privateKeyPath: String { file("key.pem") }
  /// The public half of the key that signs verdicts, PEM.
  var verdictPublicKeyPath: String { file("verdict.pub") }
  var verdictKeyPath: String { file("verdict.key") }
  /// The keys that sign heads of the audit.
  var auditKeyPath: String { file("audit.key") }
  /// The public halves of all keys that have ever signed heads, PEM.
  var auditPublicKeyPath: String { file("audit.pub") }
  /// The head that this server has signed last.
  var auditHeadPath: String { file("audit.head") }
  /// When this server last knew that the whole audit was signed.
  var auditSignedPath: String { file("audit.signed") }
  var secretPath: String { file("server.secret") }
  var decoySecretPath: String { file("decoy.secret") }

  /// The socket for administration, while the server runs.
  var adminSocketPath: String { file("admin.sock") }

  /// Is there while a backup is being restored.
  var unfinishedPath: String { file("restore.unfinished") }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The files of the folder whose contents the server trusts.
  private static let names = [
    "server.db", "server.db-wal", "server.db-shm", "server.db-journal", "ca.pem", "certificate.pem", "key.pem",
    "verdict.pub", "verdict.key", "audit.key", "audit.pub", "audit.head", "audit.signed", "server.secret",
    "decoy.secret",
  ]

  /// Uses a folder that nobody else can write to; if it does not exist, makes it for its owner alone.
  ///
  /// The folder must belong to the user who runs the program. A command that root runs in the folder of the server's user would
  /// leave files there that the server cannot write.
  ///
  /// - Throws: ``ServerError``, which names the file or the part of the path that others could have changed.
  init(path: String, create: Bool) throws {
    self.path = try TrustedPath.absolute(path)
    if try isThere() { return }
    guard create else {
      throw ServerError.unusableDirectory(
        path: path, reason: "no such folder: name the one that 'uaf-server serve' was started with")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerError.unusableDirectory(path: path, reason: "cannot be made: \(error.localizedDescription)")
    }
    // Another process may have been faster, or the folder around it may not be trusted.
    guard try isThere() else { throw ServerError.unusableDirectory(path: path, reason: "is not there any more") }
  }

  /// Whether the folder exists.
  ///
  /// If it does, nobody else can have changed it.
  private func isThere() throws(ServerError) -> Bool {
    guard let folder = try TrustedPath.open(path, followsLinks: false) else { return false }
    guard folder.status.st_mode & S_IFMT == S_IFDIR else {
      throw .unusableDirectory(path: path, reason: "is not a folder")
    }
    guard folder.status.st_uid == geteuid() else {
      throw .unusableDirectory(
        path: path,
        reason: "belongs to uid \(folder.status.st_uid), and uaf-server runs as uid \(geteuid()): run it as that user "
          + "(runuser -u NAME), or give the folder away with chown")
    }
    for name in Self.names { try folder.checkFile(name, of: path) }
    guard !FileManager.default.fileExists(atPath: unfinishedPath) else {
      throw .unusableDirectory(
        path: path, reason: "a restore did not end here: empty the folder, and run 'uaf-server restore' again")
    }
    return true
  }

  /// Makes an empty database file for its owner alone.
  ///
  /// SQLite gives its other files the same mode.
  func makeDatabaseFile() throws {
    _ = try StateFile.create(path: databasePath, mode: 0o600, contents: [])
  }
}
