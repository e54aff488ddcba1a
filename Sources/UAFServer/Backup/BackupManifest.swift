import UAFMessages

/// The list of what a backup holds, `backup.json`: it is written last, so a backup without it was cut.
struct BackupManifest: Equatable {
  /// One file of the backup.
  struct File: Equatable {
    let name: String
    let size: Int64
    /// Base64url of its SHA-256.
    let hash: String
  }

  /// The files that a backup may have, but for this list.
  static let names = [
    "server.db", "verdict.key", "verdict.pub", "audit.key", "audit.pub", "audit.head", "decoy.secret", "ca.pem",
    "certificate.pem", "key.pem",
  ]
  /// The number of this form; a backup with another one is refused.
  static let form: Int64 = 1

  /// Seconds since 1970.
  let madeAt: Int64
  /// The program that made it.
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
      // A name of another folder would be a file of another folder.
      guard Self.names.contains(name), !files.contains(where: { $0.name == name }) else {
        throw .unknownFile(name)
      }
      files.append(File(name: name, size: size, hash: hash))
    }
    guard files.count == entries.count else { throw .unreadable }
    self.init(madeAt: madeAt, version: version, files: files)
  }
}
