import Foundation
import Glibc
import SQLiteStore
import SecretMemory
import UAFCrypto
import UAFDecoder
import UAFMessages

/// A backup: a folder with everything that is needed to start the server again, later or on another machine.
///
/// `server.secret` is left out on purpose. The restored server makes a new one, so it refuses answers to requests that were
/// issued before. Otherwise an answer could be used again, since the backup does not know the challenges that were used after
/// it.
enum ServerBackup {
  static let listName = "backup.json"
  private static let database = "server.db"

  // MARK: Making

  /// Makes a backup while the server runs.
  ///
  /// - Parameters:
  ///   - store: the store in the state folder; nil if the store is a PostgreSQL database.
  ///   - path: a folder that does not exist yet.
  ///   - now: seconds since 1970.
  /// - Throws: ``ServerError``, ``StoreFailure``; the folder is removed then.
  static func make(of state: ServerDirectory, _ store: SQLiteStore?, in path: String, now: Int64) throws
    -> BackupManifest
  {
    guard !FileManager.default.fileExists(atPath: path) else { throw ServerError.unusableBackup(path, .exists) }
    let folder = try ServerDirectory(path: path, create: true)
    do {
      // No key must be rotated during the copy, so that verdict.key and verdict.pub match.
      try StateLock.wait(for: state) {
        _ = try state.heldMachineSecrets()
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

  /// Reads the list of a backup, and compares each file with the list.
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

  /// Copies a backup into a state folder that does not exist or is empty, and calls `body` to finish the restore.
  ///
  /// The folder may be the root of a new file system, which contains `lost+found`.
  ///
  /// No server starts in the folder until the restore has finished.
  ///
  /// - Throws: ``ServerError``, and the errors of `body`; the state folder is then as it was before.
  static func restore(
    _ backup: (folder: ServerDirectory, manifest: BackupManifest), to path: String,
    _ body: (ServerDirectory) async throws -> Void
  ) async throws {
    let isThere = FileManager.default.fileExists(atPath: path)
    let state = try ServerDirectory(path: path, create: true)
    if let found = try FileManager.default.contentsOfDirectory(atPath: state.path).first(where: { $0 != recovered }) {
      throw ServerError.unusableBackup(path, .notEmpty(found))
    }
    // If two restores run at the same time, only one can create this file.
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

  /// Removes everything that a restore has created.
  ///
  /// The marker file goes last, because it keeps servers from starting.
  private static func remove(from state: ServerDirectory, isThere: Bool) {
    let files = BackupManifest.names + ["-wal", "-shm", "-journal"].map { database + $0 }
    for name in files { try? FileManager.default.removeItem(atPath: state.file(name)) }
    try? FileManager.default.removeItem(atPath: state.unfinishedPath)
    // SAFETY: the string lives for the call. A folder into which somebody has put something stays.
    if !isThere { _ = unsafe rmdir(state.path) }
  }

  /// The folder that fsck(8) uses, which belongs to the file system.
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

  /// The list's entry for a file; nil if there is none.
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

/// The list of a backup's contents, `backup.json`.
///
/// It is written last, so a backup without it is incomplete.
struct BackupManifest: Equatable {
  /// One file of the backup.
  struct File: Equatable {
    let name: String
    let size: Int64
    /// Base64url of its SHA-256.
    let hash: String
  }

  /// The files that a backup may contain, apart from `backup.json`.
  static let names = [
    "server.db", "verdict.key", "verdict.pub", "audit.key", "audit.pub", "audit.head", "machine.secret", "decoy.secret",
    "ca.pem", "certificate.pem", "key.pem",
  ]
  /// The version of this format; a backup with a different version is refused.
  static let form: Int64 = 1

  /// Seconds since 1970.
  let madeAt: Int64
  /// The version of the program that made the backup.
  let version: String
  let files: [File]

  var json: JSONValue {
    .object([
      "form": .integer(Self.form), "madeAt": .integer(madeAt), "version": .string(version),
      "files": .array(
        files.map { .object(["name": .string($0.name), "size": .integer($0.size), "sha256": .string($0.hash)]) }),
    ])
  }

  init(madeAt: Int64, version: String, files: [File]) {
    self.madeAt = madeAt
    self.version = version
    self.files = files
  }

  /// Reads a list.
  ///
  /// - Throws: ``BackupError``.
  init(parsing bytes: [UInt8]) throws(BackupError) {
    guard let json = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: StateFile.maximumLength)),
      case .object(let object) = json, case .integer(let form)? = object["form"]
    else { throw .unreadable }
    guard form == Self.form else { throw .otherForm(form) }
    guard case .integer(let madeAt)? = object["madeAt"], case .string(let version)? = object["version"],
      case .array(let entries)? = object["files"]
    else { throw .unreadable }
    var files: [File] = []
    for case .object(let entry) in entries {
      guard case .string(let name)? = entry["name"], case .integer(let size)? = entry["size"], size >= 0,
        case .string(let hash)? = entry["sha256"]
      else { throw .unreadable }
      // Only known names are accepted: a path in a name could lead out of the folder.
      guard Self.names.contains(name), !files.contains(where: { $0.name == name }) else {
        throw .unknownFile(name)
      }
      files.append(File(name: name, size: size, hash: hash))
    }
    guard files.count == entries.count else { throw .unreadable }
    self.init(madeAt: madeAt, version: version, files: files)
  }
}

/// Copies files from one folder to another inside the kernel, so that no key enters this program's memory, and flushes them.
enum FolderCopy {
  /// The most bytes that one call copies or reads.
  private static let part = 1 << 16

  /// Copies a file, keeping its name.
  ///
  /// - Throws: ``ServerError``, which names the file.
  static func copy(
    _ name: String, from source: ServerDirectory, to target: ServerDirectory, mode: mode_t
  ) throws(ServerError) {
    guard let file = try TrustedPath.open(source.file(name), followsLinks: false) else {
      throw .unusableFile(path: source.file(name), reason: "no longer exists")
    }
    let path = target.file(name)
    // SAFETY: the string lives for the call.
    let copy = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard copy >= 0 else { throw failure(path) }
    defer { close(copy) }
    var left = Int(file.status.st_size)
    while left > 0 {
      let count = sendfile(copy, file.descriptor, nil, min(left, part))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { throw .unusableFile(path: source.file(name), reason: "became shorter meanwhile") }
      left -= count
    }
    // The mode is set again because the umask has reduced it.
    guard fchmod(copy, mode) == 0, fsync(copy) == 0 else { throw failure(path) }
  }

  /// The length and the SHA-256 of a file; nil if there is none.
  ///
  /// - Throws: ``ServerError``; ``CryptoError``.
  static func figures(of path: String) throws -> (size: Int64, hash: [UInt8])? {
    guard let file = try TrustedPath.open(path, followsLinks: false) else { return nil }
    var stream = try SHA256Stream()
    var size: Int64 = 0
    while true {
      var count = 0
      // A file may be a key, so it is read into memory that is wiped.
      // SAFETY: no more is read than there is room for.
      let bytes = try unsafe Secret(count: part) { count = unsafe read(file.descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { break }
      try bytes.withBytes { try stream.add($0.extracting(0..<count)) }
      size += Int64(count)
    }
    return (size, try stream.hash())
  }

  /// Waits until the entries of a folder are on the disk.
  ///
  /// - Throws: ``ServerError``.
  static func flush(_ path: String) throws(ServerError) {
    // SAFETY: the string lives for the call.
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure(path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    .unusableFile(path: path, reason: unsafe "cannot be copied: \(String(cString: strerror(errno)))")
  }
}

/// Why a backup cannot be made or used; nothing is changed then.
enum BackupError: Error, Equatable, CustomStringConvertible {
  /// The target exists already.
  case exists
  /// The state folder is not empty: it contains this file.
  case notEmpty(String)
  /// The list is missing.
  case incomplete
  /// The list cannot be read.
  case unreadable
  /// The list has a different version.
  case otherForm(Int64)
  /// The list names a file that no backup contains.
  case unknownFile(String)
  /// A file does not match the list.
  case changed(String)
  /// The backup contains no store, and no `--store` was given.
  case withoutStore

  var description: String {
    switch self {
    case .exists: "already exists: name a folder that does not exist, or move this folder away"
    case .notEmpty(let name):
      "is not empty: it has \(ShownValue.quoted(name, maximumCount: 80)): name an empty folder, "
        + "or move its contents away"
    case .incomplete: "it has no backup.json: it is incomplete, or is not a backup: use another backup"
    case .unreadable: "backup.json cannot be read: the backup was changed or cut: use another backup"
    case .otherForm(let form): "its form is \(form): restore it with the uaf-server that made it"
    case .unknownFile(let name):
      "backup.json names \(ShownValue.quoted(name, maximumCount: 80)), which no backup has: use another backup"
    case .changed(let name):
      "\(name) differs from what was backed up: the backup was changed or cut: use another backup"
    case .withoutStore:
      "it has no server.db because it was made with --store: restore that database first, and name it with --store"
    }
  }
}
