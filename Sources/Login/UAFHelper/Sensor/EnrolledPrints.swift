import FidoResults
import Glibc
import UAFCrypto

/// A hash of what a service of sensors, such as the fingerprint service, has stored for a person.
///
/// The service stores it in ordinary files that root owns: in `FOLDER/NAME`, or beneath it.
struct EnrolledPrints {
  /// The state of the stored prints.
  enum State: Equatable {
    /// No prints are stored.
    case none
    /// SHA-256 over the names and contents of all files.
    case prints([UInt8])
    /// The prints cannot be read; the payload is the reason, for the log.
    case unreadable(String)
  }

  /// The folder of the person's prints.
  let path: String
  private let owner: uid_t

  /// The folder in which fprintd stores the prints of all people.
  static let folder = "/var/lib/fprint"
  // These limits are higher than any sensor needs: ten fingers for each of several sensors, at most a few hundred KiB each.
  private static let (maximumFiles, maximumDepth, maximumBytes) = (64, 3, 1 << 20)

  /// - Parameters:
  ///   - name: the account's name.
  ///   - owner: the uid that must own the stored files.
  /// - Returns: nil for a name that cannot be a file name.
  init?(of name: [UInt8], in folder: String, owner: uid_t) {
    guard let text = String(validating: name, as: UTF8.self), Self.isNameOfFolder(name) else { return nil }
    path = "\(folder)/\(text)"
    self.owner = owner
  }

  /// Whether an account's name can be the name of a folder.
  static func isNameOfFolder(_ name: [UInt8]) -> Bool {
    guard let text = String(validating: name, as: UTF8.self) else { return false }
    return !["", ".", ".."].contains(text) && !text.contains("/")
  }

  /// The current state of the stored prints.
  func state() -> State {
    var found: [(name: String, hash: [UInt8])] = []
    do throws(Trouble) { try read(path, as: "", depth: 0, into: &found) } catch {
      return error.isAbsent ? .none : .unreadable(error.text)
    }
    guard !found.isEmpty else { return .none }
    var whole: [UInt8] = []
    // A name contains no NUL, and every hash has the same length, so two different sets of files never give the same bytes.
    for file in found.sorted(by: { $0.name < $1.name }) { whole += Array(file.name.utf8) + [0] + file.hash }
    guard let hash = try? SHA256.hash(whole) else { return .unreadable("no hash could be made") }
    return .prints(hash)
  }

  private struct Trouble: Error {
    let text: String
    var isAbsent = false

    init(_ path: String, _ number: CInt) {
      // SAFETY: strerror returns a NUL-terminated text for every number.
      text = "\(path): \(unsafe String(cString: strerror(number)))"
      isAbsent = number == ENOENT
    }

    init(_ path: String, _ why: String) { text = "\(path): \(why)" }
  }

  private func read(
    _ path: String, as name: String, depth: Int, into found: inout [(name: String, hash: [UInt8])]
  ) throws(Trouble) {
    // SAFETY: the path lives for the call; the descriptor is closed by the `defer`.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { throw Trouble(path, errno) }
    defer { close(file) }
    var info = stat()
    // SAFETY: `info` is a stat structure.
    guard unsafe fstat(file, &info) == 0 else { throw Trouble(path, errno) }
    guard info.st_uid == owner else { throw Trouble(path, "not root's") }
    switch info.st_mode & S_IFMT {
    case S_IFREG: found.append((name, try hash(file, path)))
    case S_IFDIR:
      guard depth <= Self.maximumDepth else { throw Trouble(path, "a folder too deep") }
      for entry in try names(file, path) {
        try read("\(path)/\(entry)", as: "\(name)/\(entry)", depth: depth + 1, into: &found)
      }
    default: throw Trouble(path, "neither a file nor a folder")
    }
    guard found.count <= Self.maximumFiles else { throw Trouble(path, "more than \(Self.maximumFiles) files") }
  }

  private func hash(_ file: CInt, _ path: String) throws(Trouble) -> [UInt8] {
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while bytes.count <= Self.maximumBytes {
      // SAFETY: the array has room for the number of bytes asked for.
      let count = unsafe Glibc.read(file, &part, part.count)
      guard count >= 0 else { throw Trouble(path, errno) }
      guard count > 0 else {
        guard let hash = try? SHA256.hash(bytes) else { throw Trouble(path, "no hash could be made") }
        return hash
      }
      bytes += part.prefix(count)
    }
    throw Trouble(path, "more than \(Self.maximumBytes) bytes")
  }

  private func names(_ folder: CInt, _ path: String) throws(Trouble) -> [String] {
    // The stream closes its descriptor, so it gets a copy.
    let own = fcntl(folder, F_DUPFD_CLOEXEC, 0)
    // SAFETY: the stream is ours until the `defer` closes it, and each entry is read before the next call.
    guard own >= 0, let stream = unsafe fdopendir(own) else {
      if own >= 0 { close(own) }
      throw Trouble(path, errno)
    }
    defer { unsafe _ = closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
      guard names.count <= Self.maximumFiles else { throw Trouble(path, "more than \(Self.maximumFiles) names") }
    }
    return names
  }
}
