import Glibc
import UAFConfiguration
import UAFMessages

/// The folder of drop-ins while a machine joins or leaves.
///
/// New files get their names at the end, either all or none.
///
/// Only one process at a time can have it open.
final class DropInPlace {
  /// The path of the folder.
  let path: String
  private let descriptor: CInt
  private let wasMade: Bool
  private var isKept = false

  /// Opens the folder of a configuration's drop-ins, and creates it if it does not exist.
  ///
  /// - Parameter owner: the uid to which the folder must belong.
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

  /// Writes files under names that are not in effect, and waits until they are on the disk.
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

  /// Gives the prepared files their names, the configuration last, and removes what an earlier join left in the folder.
  ///
  /// - Throws: ``ToolError/join(_:)``; then none of the files is in effect.
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

  /// Removes the files of a join, the configuration first, and then the folder if it is empty.
  func remove() {
    // SAFETY: the names live for the calls.
    for name in ServerFiles.names.reversed() { _ = unsafe unlinkat(descriptor, name, 0) }
    fsync(descriptor)
  }

  /// The reason why a file could not be written.
  struct FileFault: Error {
    let number: CInt
  }

  /// Writes a new file that everybody may read.
  static func write(_ bytes: [UInt8], to name: String, in folder: CInt) throws(FileFault) {
    // SAFETY: the name lives for the call; the bytes are lent for it.
    let file = unsafe openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o644))
    guard file >= 0 else { throw FileFault(number: errno) }
    defer { close(file) }
    // The process's umask may be stricter than this mode.
    let written = fchmod(file, 0o644) == 0 ? unsafe Glibc.write(file, bytes, bytes.count) : -1
    guard written == bytes.count, fsync(file) == 0 else {
      throw FileFault(number: written >= 0 && written < bytes.count ? ENOSPC : errno)
    }
  }
}

/// A copy of the configuration with the files of a join.
///
/// The core joins with it, before any of these files is in effect.
final class TrialConfiguration {
  /// The path of the copy's main file.
  let path: String
  private let folder: String
  private var files: [String] = []

  /// Makes the copy in a folder of its own next to the configuration.
  ///
  /// - Parameters:
  ///   - documents: the documents of the present configuration that the copy should have.
  ///   - main: the path of the main file, which need not be among the documents.
  ///   - server: the files about the server.
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

  /// The name of a file without the path of its folder.
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

/// The files that a machine needs about the server that it joined.
///
/// They are in the folder of drop-ins, and contain nothing that root wrote.
struct ServerFiles {
  /// The configuration that names the server.
  static let configurationName = "50-server.conf"
  /// The authorities that the server's certificate is checked against.
  static let authorityName = "50-server-ca.pem"
  /// The keys with which the server signs its verdicts.
  static let verdictKeyName = "50-server-verdict.pem"
  /// The names of all files of a join.
  ///
  /// The configuration is last, because it puts the others into effect.
  static let names = [authorityName, verdictKeyName, configurationName]

  /// The first line of a configuration that a join has written: `uafctl leave` removes only such a file.
  static let mark = "# Written by 'uafctl join'."

  private let payload: MachinePayload

  init(_ payload: MachinePayload) { self.payload = payload }

  /// The names and contents of the files in a folder.
  ///
  /// The texts of a payload contain no quote character: ``JoinPayload`` has checked that.
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
