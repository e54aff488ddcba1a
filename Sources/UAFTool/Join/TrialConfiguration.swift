import Glibc
import UAFConfiguration

/// A copy of the configuration with the files of a join in it, which the core joins with before any of them counts.
final class TrialConfiguration {
  /// Its main file.
  let path: String
  private let folder: String
  private var files: [String] = []

  /// Makes the copy, in a folder of its own beside the configuration.
  ///
  /// - Parameters:
  ///   - documents: those of today's configuration that are to stay.
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
    // SAFETY: the path lives for the call. The folder may be there from a join that was killed.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .join(.file(path, errno)) }
  }

  private func write(_ bytes: [UInt8], to path: String) throws(ToolError) {
    // SAFETY: the path lives for the call. The file may be there from a join that was killed.
    _ = unsafe unlink(path)
    files.append(path)
    do throws(DropInPlace.FileFault) { try DropInPlace.write(bytes, to: path, in: AT_FDCWD) } catch {
      throw .join(.file(path, error.number))
    }
  }
}
