import Foundation
import Glibc
import SQLiteStore
import UAFMessages

/// A folder with everything that a server needs to be started again, elsewhere or later.
///
/// `server.secret` is left out on purpose. A restored server makes a new one, and so answers to requests of before are refused:
/// the challenges that were used since the backup are not in it.
enum ServerBackup {
  static let listName = "backup.json"
  private static let database = "server.db"

  // MARK: Making

  /// Makes a backup while the server serves.
  ///
  /// - Parameters:
  ///   - store: the store of the state folder; nil for one that is a database.
  ///   - path: a folder that is not there yet.
  ///   - now: seconds since 1970.
  /// - Throws: ``ServerError``, ``StoreFailure``; then there is no folder.
  static func make(of state: ServerDirectory, _ store: SQLiteStore?, in path: String, now: Int64) throws
    -> BackupManifest
  {
    guard !FileManager.default.fileExists(atPath: path) else { throw ServerError.unusableBackup(path, .exists) }
    let folder = try ServerDirectory(path: path, create: true)
    do {
      // No key may be exchanged meanwhile: verdict.key and verdict.pub belong together.
      try StateLock.wait(for: state) {
        for name in BackupManifest.names where name != database {
          try copyIfThere(name, from: state, to: folder, of: path)
        }
      }
      if let store {
        try folder.makeDatabaseFile()
        try store.copy(to: folder.databasePath)
      }
      let manifest = BackupManifest(
        madeAt: now, version: ServerVersion.current,
        files: try BackupManifest.names.compactMap { try file($0, in: folder, of: path) })
      try FolderCopy.flush(folder.path)
      guard try StateFile.create(path: folder.file(listName), mode: 0o600, contents: Array(manifest.json.text.utf8))
      else {
        throw ServerError.unusableBackup(folder.file(listName), .exists)
      }
      try FolderCopy.flush(folder.path)
      return manifest
    } catch {
      try? FileManager.default.removeItem(atPath: folder.path)
      throw error
    }
  }

  // MARK: Restoring

  /// Reads the list of a backup, and compares each file with it.
  ///
  /// - Throws: ``ServerError``.
  static func check(_ path: String) throws -> (folder: ServerDirectory, manifest: BackupManifest) {
    let folder = try ServerDirectory(path: path, create: false)
    guard let list = try StateFile.read(path: folder.file(listName), isSecret: true) else {
      throw ServerError.unusableBackup(path, .incomplete)
    }
    let manifest: BackupManifest
    do {
      manifest = try BackupManifest(parsing: list)
    } catch {
      throw ServerError.unusableBackup(path, error)
    }
    for entry in manifest.files { try compare(entry, in: folder, of: path) }
    return (folder, manifest)
  }

  /// Copies a backup into a state folder that is not there or empty, and has `body` finish the work.
  ///
  /// The folder may be the root of a file system, which has `lost+found` from its beginning.
  ///
  /// Until that has ended, no server starts there.
  ///
  /// - Throws: ``ServerError``, and what `body` throws; then the state folder is as it was.
  static func restore(
    _ backup: (folder: ServerDirectory, manifest: BackupManifest), to path: String,
    _ body: (ServerDirectory) async throws -> Void
  ) async throws {
    let isThere = FileManager.default.fileExists(atPath: path)
    let state = try ServerDirectory(path: path, create: true)
    if let found = try FileManager.default.contentsOfDirectory(atPath: state.path).first(where: { $0 != recovered }) {
      throw ServerError.unusableBackup(path, .notEmpty(found))
    }
    // Of two that restore at once, one makes the file.
    guard try StateFile.create(path: state.unfinishedPath, mode: 0o600, contents: []) else {
      throw ServerError.unusableBackup(path, .exists)
    }
    do {
      for entry in backup.manifest.files {
        try FolderCopy.copy(entry.name, from: backup.folder, to: state, mode: mode(of: entry.name))
        try compare(entry, in: state, of: backup.folder.path)
      }
      try await body(state)
      try FolderCopy.flush(state.path)
      try FileManager.default.removeItem(atPath: state.unfinishedPath)
      try FolderCopy.flush(state.path)
    } catch {
      remove(from: state, isThere: isThere)
      throw error
    }
  }

  /// Removes what a restore has made, the mark last: until then no server starts there.
  private static func remove(from state: ServerDirectory, isThere: Bool) {
    let files = BackupManifest.names + ["-wal", "-shm", "-journal"].map { database + $0 }
    for name in files { try? FileManager.default.removeItem(atPath: state.file(name)) }
    try? FileManager.default.removeItem(atPath: state.unfinishedPath)
    // SAFETY: the string lives for the call. A folder that somebody has put something into stays.
    if !isThere { _ = unsafe rmdir(state.path) }
  }

  /// The folder of fsck(8), which belongs to the file system.
  private static let recovered = "lost+found"

  // MARK: Files

  private static func mode(of name: String) -> mode_t {
    ["verdict.pub", "audit.pub", "audit.head", "ca.pem", "certificate.pem"].contains(name) ? 0o644 : 0o600
  }

  private static func copyIfThere(
    _ name: String, from state: ServerDirectory, to folder: ServerDirectory, of path: String
  ) throws {
    guard FileManager.default.fileExists(atPath: state.file(name)) else { return }
    try FolderCopy.copy(name, from: state, to: folder, mode: mode(of: name))
  }

  /// What the list says of a file; nil if there is none.
  private static func file(_ name: String, in folder: ServerDirectory, of path: String) throws -> BackupManifest.File? {
    guard let (size, hash) = try FolderCopy.figures(of: folder.file(name)) else { return nil }
    return BackupManifest.File(name: name, size: size, hash: Base64URL.encode(hash))
  }

  private static func compare(_ entry: BackupManifest.File, in folder: ServerDirectory, of path: String) throws {
    guard try file(entry.name, in: folder, of: path) == entry else {
      throw ServerError.unusableBackup(path, .changed(entry.name))
    }
  }
}
