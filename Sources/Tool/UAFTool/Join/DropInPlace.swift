import Glibc
import UAFConfiguration
import UAFMessages

/// The folder of drop-ins while a machine joins or leaves: new files get their names at the end, either all or none.
///
/// Only one process at a time uses it.
final class DropInPlace {
  /// The folder.
  let path: String
  private let descriptor: CInt
  private let wasMade: Bool
  private var isKept = false

  /// Opens the folder of a configuration, and makes it if it does not exist.
  ///
  /// - Parameter owner: the uid that must own it.
  /// - Throws: ``ToolError/join(_:)``.
  init(of configuration: String, owner: uid_t) throws(ToolError) {
    path = DropInFolder.path(of: configuration)
    guard !path.contains("'") else { throw .join(.badPath(path)) }
    // SAFETY: the path lives for the calls; `status` is a stat structure.
    wasMade = unsafe mkdir(path, 0o755) == 0
    guard wasMade || errno == EEXIST else { throw .join(.file(path, errno)) }
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .join(.file(path, errno)) }
    self.descriptor = descriptor
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_uid == owner, status.st_mode & 0o022 == 0 else {
      throw .join(.file(path, EPERM))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .join(.busy(path)) }
  }

  deinit {
    // SAFETY: the paths live for the calls.
    if !isKept { for name in ServerFiles.names { unsafe unlinkat(descriptor, Self.temporary(name), 0) } }
    if wasMade, !isKept { unsafe rmdir(path) }
    close(descriptor)
  }

  private static func temporary(_ name: String) -> String { ".\(name).new" }

  /// Writes files that are not in effect yet, and waits until they are on the disk.
  ///
  /// - Throws: ``ToolError/join(_:)``.
  func prepare(_ contents: [(name: String, bytes: [UInt8])]) throws(ToolError) {
    for (name, bytes) in contents {
      // SAFETY: the name lives for the call. The file may be left from a join that was killed.
      _ = unsafe unlinkat(descriptor, Self.temporary(name), 0)
      do throws(FileFault) {
        try Self.write(bytes, to: Self.temporary(name), in: descriptor)
      } catch { throw .join(.file("\(path)/\(name)", error.number)) }
    }
  }

  /// Gives the prepared files their names, the configuration last; removes what an earlier join left next to them.
  ///
  /// - Throws: ``ToolError/join(_:)``; then none of them is in effect.
  func commit(_ names: [String]) throws(ToolError) {
    for name in names {
      // SAFETY: the names live for the call.
      guard unsafe renameat(descriptor, Self.temporary(name), descriptor, name) == 0 else {
        let number = errno
        remove()
        throw .join(.file("\(path)/\(name)", number))
      }
    }
    isKept = true
    for name in ServerFiles.names where !names.contains(name) { _ = unsafe unlinkat(descriptor, name, 0) }
    fsync(descriptor)
  }

  /// Removes the files of a join, the configuration first; and the folder, if nothing else is in it.
  func remove() {
    // SAFETY: the names live for the calls.
    for name in ServerFiles.names.reversed() { _ = unsafe unlinkat(descriptor, name, 0) }
    fsync(descriptor)
  }

  /// Why a file could not be written.
  struct FileFault: Error {
    let number: CInt
  }

  /// Writes a new file that everybody may read.
  static func write(_ bytes: [UInt8], to name: String, in folder: CInt) throws(FileFault) {
    // SAFETY: the name lives for the call; the bytes are lent for it.
    let file = unsafe openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o644))
    guard file >= 0 else { throw FileFault(number: errno) }
    defer { close(file) }
    // The process's mask may be stricter.
    let written = fchmod(file, 0o644) == 0 ? unsafe Glibc.write(file, bytes, bytes.count) : -1
    guard written == bytes.count, fsync(file) == 0 else {
      throw FileFault(number: written >= 0 && written < bytes.count ? ENOSPC : errno)
    }
  }
}

/// A copy of the configuration with the files of a join, which the core uses to join before any of them is in effect.
final class TrialConfiguration {
  /// Its main file.
  let path: String
  private let folder: String
  private var files: [String] = []

  /// Makes the copy, in a separate folder next to the configuration.
  ///
  /// - Parameters:
  ///   - documents: the documents of the present configuration that should stay.
  ///   - main: the path of the main file, which need not be among them.
  ///   - server: the files of the server.
  /// - Throws: ``ToolError/join(_:)``.
  init(of documents: [ConfigurationDocument], main: String, _ server: ServerFiles) throws(ToolError) {
    folder = main + ".joining"
    path = folder + "/pam_uaf.conf"
    let dropIns = DropInFolder.path(of: path)
    try Self.make(folder)
    try Self.make(dropIns)
    try write(documents.first { $0.path == main }?.bytes ?? [], to: path)
    for document in documents where document.path != main {
      try write(document.bytes, to: dropIns + "/" + Self.name(document.path))
    }
    for (name, bytes) in server.contents(in: dropIns) { try write(bytes, to: dropIns + "/" + name) }
  }

  deinit {
    // SAFETY: the paths live for the calls.
    for file in files { unsafe unlink(file) }
    unsafe rmdir(DropInFolder.path(of: path))
    unsafe rmdir(folder)
  }

  /// The name of a file without its folder.
  static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  private static func make(_ path: String) throws(ToolError) {
    // SAFETY: the path lives for the call. The folder may be left from a join that was killed.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .join(.file(path, errno)) }
  }

  private func write(_ bytes: [UInt8], to path: String) throws(ToolError) {
    // SAFETY: the path lives for the call. The file may be left from a join that was killed.
    _ = unsafe unlink(path)
    files.append(path)
    do throws(DropInPlace.FileFault) { try DropInPlace.write(bytes, to: path, in: AT_FDCWD) } catch {
      throw .join(.file(path, error.number))
    }
  }
}

/// The files that a machine needs about the server that it joined: they are in the folder of drop-ins, and contain nothing else
/// of root's.
struct ServerFiles {
  /// The configuration that names the server.
  static let configurationName = "50-server.conf"
  /// The server's authorities.
  static let authorityName = "50-server-ca.pem"
  /// The keys of its verdicts.
  static let verdictKeyName = "50-server-verdict.pem"
  /// All of them; the configuration is the last, because it puts the others into effect.
  static let names = [authorityName, verdictKeyName, configurationName]

  /// How a configuration of ours begins: `uafctl leave` removes only such a file.
  static let mark = "# Written by 'uafctl join'."

  private let payload: MachinePayload

  init(_ payload: MachinePayload) { self.payload = payload }

  /// Names and contents for a folder.
  ///
  /// The texts of a payload have no quote character: ``JoinPayload`` has checked them.
  func contents(in folder: String) -> [(name: String, bytes: [UInt8])] {
    var contents: [(String, [UInt8])] = []
    if let authorities = payload.ca { contents.append((Self.authorityName, Array(authorities.utf8))) }
    contents.append((Self.verdictKeyName, Array(payload.verdictKeys.utf8)))
    contents.append((Self.configurationName, Array(configuration(in: folder).utf8)))
    return contents
  }

  private func configuration(in folder: String) -> String {
    var lines = [
      "\(Self.mark) 'uafctl leave' removes it.", "# Group of machines: \(payload.group)", "[server]",
      "request_url = '\(payload.server)/uaf/get'", "response_url = '\(payload.server)/uaf/respond'",
      "require_signed_verdict = true", "verdict_key = '\(folder)/\(Self.verdictKeyName)'",
    ]
    if payload.ca != nil { lines.append("ca_file = '\(folder)/\(Self.authorityName)'") }
    return lines.joined(separator: "\n") + "\n"
  }
}
