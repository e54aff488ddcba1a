import Foundation
import Glibc
import PostgreSQLStore
import SQLiteStore
import SecretMemory
import UAFCrypto
import UAFService

/// The state folder, which contains everything that the server stores.
struct ServerDirectory: Sendable {
  let path: String

  var databasePath: String { file("server.db") }
  /// The CA of the development certificate.
  var authorityPath: String { file("ca.pem") }
  var certificatePath: String { file("certificate.pem") }
  var privateKeyPath: String { file("key.pem") }
  /// The public keys with which verdicts are verified, PEM.
  var verdictPublicKeyPath: String { file("verdict.pub") }
  var verdictKeyPath: String { file("verdict.key") }
  /// The keys that sign heads of the audit.
  var auditKeyPath: String { file("audit.key") }
  /// The public keys of all keys that have ever signed heads, PEM.
  var auditPublicKeyPath: String { file("audit.pub") }
  /// The head that this server signed last.
  var auditHeadPath: String { file("audit.head") }
  /// When this server last knew that the whole audit was signed.
  var auditSignedPath: String { file("audit.signed") }
  var secretPath: String { file("server.secret") }
  /// The secrets from which the machines' secrets are computed.
  var machineSecretPath: String { file("machine.secret") }
  var decoySecretPath: String { file("decoy.secret") }

  /// The Unix socket for administration, which exists while the server runs.
  var adminSocketPath: String { file("admin.sock") }

  /// Exists while a backup is being restored.
  var unfinishedPath: String { file("restore.unfinished") }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The files whose contents the server trusts, so that nobody else must be able to write to them.
  private static let names = [
    "server.db", "server.db-wal", "server.db-shm", "server.db-journal", "ca.pem", "certificate.pem", "key.pem",
    "verdict.pub", "verdict.key", "audit.key", "audit.pub", "audit.head", "audit.signed", "server.secret",
    "machine.secret", "decoy.secret",
  ]

  /// Opens a folder to which nobody else can write; if it does not exist, creates it so that only its owner has access.
  ///
  /// The folder must belong to the user who runs the program. If root ran a command in the folder of the server's user, the
  /// command would leave files there that the server cannot write.
  ///
  /// - Throws: ``ServerError``, which names the file, or the part of the path, that others could have changed.
  init(path: String, create: Bool) throws {
    self.path = try TrustedPath.absolute(path)
    if try isThere() { return }
    guard create else {
      throw ServerError.unusableDirectory(
        path: path, reason: "no such folder: name the folder with which 'uaf-server serve' was started")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerError.unusableDirectory(path: path, reason: "cannot be made: \(error.localizedDescription)")
    }
    // A different process may have created the folder in the meantime, so all its checks are done now.
    guard try isThere() else { throw ServerError.unusableDirectory(path: path, reason: "no longer exists") }
  }

  /// Whether the folder exists.
  ///
  /// If it exists, this also checks that nobody else can have changed it.
  private func isThere() throws(ServerError) -> Bool {
    guard let folder = try TrustedPath.open(path, followsLinks: false) else { return false }
    guard folder.status.st_mode & S_IFMT == S_IFDIR else {
      throw .unusableDirectory(path: path, reason: "is not a folder")
    }
    guard folder.status.st_uid == geteuid() else {
      throw .unusableDirectory(
        path: path,
        reason: "belongs to uid \(folder.status.st_uid), and uaf-server runs as uid \(geteuid()): run it as that "
          + "user (runuser -u NAME), or change the folder's owner with chown")
    }
    for name in Self.names { try folder.checkFile(name, of: path) }
    guard !FileManager.default.fileExists(atPath: unfinishedPath) else {
      throw .unusableDirectory(
        path: path,
        reason: "a restore into this folder did not finish: empty the folder, and run 'uaf-server restore' again")
    }
    return true
  }

  /// Creates an empty database file to which only its owner has access.
  ///
  /// SQLite gives its additional files the same mode.
  func makeDatabaseFile() throws {
    _ = try StateFile.create(path: databasePath, mode: 0o600, contents: [])
  }
}

extension ServerDirectory {
  /// Opens the store in this folder, which other processes may have open too.
  ///
  /// - Parameters:
  ///   - create: whether the store is created if it does not exist. Only `serve` and `import` do that, so that a wrong folder
  ///     on the command line is not changed.
  ///   - allowsUnfinished: whether the store is opened even if an import into it has not finished.
  ///   - allowsMoved: whether the store is opened even if it was moved away.
  /// - Throws: ``ServerError``; ``StoreFailure``.
  func openStore(
    create: Bool = false, allowsUnfinished: Bool = false, allowsMoved: Bool = false
  ) throws -> SQLiteStore {
    guard create || FileManager.default.fileExists(atPath: databasePath) else { throw ServerError.noStore(path: path) }
    if create { try makeDatabaseFile() }
    do {
      return try SQLiteStore(path: databasePath, allowsUnfinished: allowsUnfinished, allowsMoved: allowsMoved)
    } catch StoreError.newer {
      throw ServerError.newerDatabase
    } catch StoreError.unfinished {
      throw ServerError.unusableStore(StoreError.unfinishedText)
    } catch StoreError.moved(let place) {
      throw ServerError.unusableStore(StoreError.movedText(to: place))
    }
  }

  /// Prevents all other processes from writing to the store in this folder.
  ///
  /// - Throws: ``ServerError``; ``StoreFailure``.
  func holdStore() throws -> StoreHold {
    do {
      return try StoreHold(path: databasePath)
    } catch StoreError.busy {
      throw ServerError.unusableStore(StoreError.busyText)
    } catch StoreError.moved(let place) {
      throw ServerError.unusableStore(StoreError.movedText(to: place))
    }
  }
}

extension ServerKeys {
  /// Reads the keys of a state folder, and creates them if they are missing.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``CryptoError/invalidKey``.
  convenience init(state: ServerDirectory, now: @escaping @Sendable () -> Int64) throws {
    let decoySecret = try Self.decoySecret(of: state)
    try self.init(Rings(state: state), decoySecret: decoySecret, now: now)
    try publish(in: state)
  }

  /// Reads the keys again, which may have been rotated.
  ///
  /// - Throws: what ``init(state:now:)`` throws; if the keys cannot be read, the old ones stay in use.
  func reload(from state: ServerDirectory) throws {
    replace(by: try Rings(state: state))
    try publish(in: state)
  }

  /// Writes the public keys for the workstations, unless the file has them already.
  ///
  /// This completes a rotation that was interrupted between the two files.
  private func publish(in state: ServerDirectory) throws {
    if try StateFile.read(path: state.verdictPublicKeyPath, isSecret: false) != acceptedPEM {
      try StateFile.replace(path: state.verdictPublicKeyPath, mode: 0o644, contents: acceptedPEM)
    }
    try publishAuditKeys(in: state)
  }

  /// Adds the public keys of the audit to those in the file.
  ///
  /// Earlier ones stay, because heads are verified long after their keys were replaced.
  private func publishAuditKeys(in state: ServerDirectory) throws {
    let known = try StateFile.read(path: state.auditPublicKeyPath, isSecret: false) ?? []
    let old = String(decoding: known, as: UTF8.self)
    let new = rings.auditKeys.entries.map { String(decoding: $0.key.publicKeyPEM, as: UTF8.self) }
      .filter { !old.contains($0) }
    guard !new.isEmpty else { return }
    try StateFile.replace(path: state.auditPublicKeyPath, mode: 0o644, contents: known + Array(new.joined().utf8))
  }

  /// The secret from which decoys are derived.
  ///
  /// Earlier versions of the server derived decoys from the secret for session data. If there is such a secret and none for
  /// decoys, it is copied, so that the decoys stay the same.
  private static func decoySecret(of state: ServerDirectory) throws -> ServerSecret {
    let isOld = FileManager.default.fileExists(atPath: state.secretPath)
    let file = KeyFile(
      path: state.decoySecretPath,
      new: {
        let lengths = KeyFile<ServerSecret>.lengths
        guard isOld, let secret = try StateFile.readSecret(path: state.secretPath, counts: lengths) else {
          return try RandomBytes.makeSecret(32)
        }
        guard secret.count == 32 else {
          throw ServerError.unusableFile(
            path: state.decoySecretPath, reason: "is missing: copy it from the other server, or from a backup")
        }
        return secret
      }, key: { try ServerSecret($0) })
    return try file.ring().current(at: 0)
  }
}

extension ServerKeys.Rings {
  /// Reads the keys that are rotated, and creates them if they are missing.
  init(state: ServerDirectory) throws {
    // Before `server.secret` is made, which is not copied if it is new.
    let machineSecrets = try state.heldMachineSecrets()
    try self.init(
      secrets: state.secrets.ring(), verdictKeys: state.verdictKeys.ring(),
      auditKeys: state.auditKeys.ring(), machineSecrets: machineSecrets)
  }
}

extension ServerDirectory {
  /// The file of the secrets for session data.
  var secrets: KeyFile<ServerSecret> {
    KeyFile(path: secretPath, new: { try RandomBytes.makeSecret(32) }, key: { try ServerSecret($0) })
  }

  /// The file of the secrets for machines.
  var machineSecrets: KeyFile<ServerSecret> {
    KeyFile(path: machineSecretPath, new: { try RandomBytes.makeSecret(32) }, key: { try ServerSecret($0) })
  }

  /// The secrets for machines; if there is no file, it is created.
  ///
  /// Earlier versions of the server computed the machines' secrets from the secret for session data. If there is such a secret
  /// and none for machines, it is copied, so that the server knows the same machines as before.
  func heldMachineSecrets() throws -> KeyRing<ServerSecret> {
    let file = KeyFile(
      path: machineSecretPath,
      new: {
        let lengths = KeyFile<ServerSecret>.lengths
        guard let secret = try StateFile.readSecret(path: secretPath, counts: lengths) else {
          return try RandomBytes.makeSecret(32)
        }
        return secret
      }, key: { try ServerSecret($0) })
    return try file.ring()
  }

  /// Removes `server.secret`, so that responses to earlier requests are refused; the machines stay known.
  ///
  /// The folder must be locked (``StateLock``).
  ///
  /// - Throws: ``ServerError``; ``CryptoError``; an error of the file system.
  func dropSecret() throws {
    guard FileManager.default.fileExists(atPath: secretPath) else { return }
    _ = try heldMachineSecrets()
    try FileManager.default.removeItem(atPath: secretPath)
  }

  /// The file of the keys that sign verdicts.
  var verdictKeys: KeyFile<TokenKey> {
    KeyFile(path: verdictKeyPath, new: Self.makeTokenKey, key: { try TokenKey($0) })
  }

  /// The file of the keys that sign heads of the audit.
  var auditKeys: KeyFile<TokenKey> {
    KeyFile(path: auditKeyPath, new: Self.makeTokenKey, key: { try TokenKey($0, for: .auditHead) })
  }

  private static func makeTokenKey() throws -> sending Secret {
    let pair = try P256.generate()
    return pair.privateKey
  }
}

/// The URL of the database that is the store, together with the source of its password.
struct DatabaseURL {
  /// The name of the systemd credential with the password.
  static let credential = "store.password"

  private let address: PostgreSQLAddress

  /// Hosts and database, for people.
  var place: String { address.place }

  /// Reads a URL.
  ///
  /// The password is in the passfile that the URL or PGPASSFILE names, or in the file `store.password` of the folder that
  /// CREDENTIALS_DIRECTORY names.
  ///
  /// - Throws: ``ServerError/unusableStore(_:)``, which does not repeat the URL.
  init(_ url: String, environment: [String: String]) throws(ServerError) {
    guard environment["PGPASSWORD"] == nil else {
      throw .unusableStore("PGPASSWORD is set: change that password, and name a passfile in the URL of --store")
    }
    // The service file could contain any setting, even a password.
    guard environment["PGSERVICE"] == nil else {
      throw .unusableStore("PGSERVICE is set: unset it, and write out its settings in the URL of --store")
    }
    let file = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(Self.credential)" }
    do throws(PostgreSQLRefusal) {
      address = try PostgreSQLAddress(url) {
        guard let file else { return nil }
        return try StateFile.readPassword(path: file)
      }
    } catch {
      throw .unusableStore(error.description)
    }
  }

  /// Connects, and upgrades the store's tables to the current version.
  ///
  /// - Parameters:
  ///   - allowsUnfinished: whether a store is used even if an import into it has not finished.
  ///   - deadline: how long one transaction may take.
  /// - Throws: ``ServerError``.
  func openStore(
    create: Bool, allowsAsynchronous: Bool, allowsUnfinished: Bool = false, deadline: Duration = .seconds(10)
  ) throws -> PostgreSQLStore {
    do {
      return try PostgreSQLStore(
        address, create: create, allowsUnfinished: allowsUnfinished, allowsAsynchronous: allowsAsynchronous,
        deadline: deadline, now: { ContinuousClock.now })
    } catch let refusal as PostgreSQLRefusal {
      throw ServerError.unusableStore(refusal.description)
    } catch let failure as PostgreSQLError {
      throw ServerError.unusableStore(failure.text)
    }
  }
}
