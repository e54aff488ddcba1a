import Glibc
import HostSystem
import Synchronization
import UAFService

/// The files outside the store to which signed heads of the audit are written.
///
/// Whoever tampers with the store would have to tamper with these files too. Heads that cannot be written wait, and are written
/// later.
final class AuditHeadFiles: Sendable {
  private struct State {
    /// The last head, if it is not yet written to the state folder.
    var last: StoredHead?
    /// The heads that are not yet written to the list.
    var waiting: [StoredHead] = []
  }

  /// The most heads that wait, those of a week.
  ///
  /// If there are more, the oldest are dropped: the newer heads cover their rows too.
  private static let mostWaiting = 10_080

  let state: ServerDirectory
  /// A file to which each head is added as a line; nil for none.
  private let list: String?
  private let append: @Sendable ([UInt8], CInt) -> Bool
  private let flush: @Sendable (CInt) -> Bool
  private let unwritten = Mutex(State())

  /// - Parameters:
  ///   - list: a file to which each head is added as a line; nil for none.
  ///   - append: writes bytes to a descriptor; false if not all of them were written, and `errno` says why.
  ///   - flush: waits until what was written is on the disk; false if it is not, and `errno` says why.
  init(
    state: ServerDirectory, list: String?,
    append: @escaping @Sendable ([UInt8], CInt) -> Bool = { DescriptorWriter.write($0, to: $1) },
    flush: @escaping @Sendable (CInt) -> Bool = { fsync($0) == 0 || errno == EINVAL }
  ) {
    self.state = state
    self.list = list
    self.append = append
    self.flush = flush
  }

  /// Adds a head to those that wait to be written.
  func add(_ head: StoredHead) {
    unwritten.withLock { state in
      state.last = head
      guard list != nil else { return }
      state.waiting.append(head)
      state.waiting.removeFirst(max(0, state.waiting.count - Self.mostWaiting))
    }
  }

  /// Writes the heads that wait: the last one to the state folder, and all to the list.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``. Heads that were not written continue to wait.
  func write() throws(ServerError) {
    // If the state folder's disk is full, the list is still written: it may be on a different disk.
    do throws(ServerError) {
      try writeLast()
    } catch {
      try writeList()
      throw error
    }
    try writeList()
  }

  private func writeLast() throws(ServerError) {
    guard let head = unwritten.withLock({ $0.last }) else { return }
    try StateFile.replace(path: state.auditHeadPath, mode: 0o644, contents: Array("\(head.token)\n".utf8))
    unwritten.withLock { if $0.last == head { $0.last = nil } }
  }

  private func writeList() throws(ServerError) {
    let heads = unwritten.withLock { $0.waiting }
    guard let list, !heads.isEmpty else { return }
    let descriptor = try Self.open(list)
    defer { close(descriptor) }
    var begin = Self.isLastLineCut(list) ? "\n" : ""
    let failed = heads.firstIndex { head in
      defer { begin = "" }
      return !append(Array("\(begin)\(head.token)\n".utf8), descriptor)
    }
    let number = errno
    // A network file system may report only now that it is full.
    guard flush(descriptor) else { throw Self.failure(list, errno) }
    let written = Set(heads.prefix(failed ?? heads.count).map(\.token))
    unwritten.withLock { $0.waiting.removeAll { written.contains($0.token) } }
    guard failed == nil else { throw Self.failure(list, number) }
  }

  /// Opens a list for appending; the server does not need permission to read it.
  private static func open(_ list: String) throws(ServerError) -> CInt {
    // Opened without blocking: a pipe that nobody reads would block the server.
    // SAFETY: the string lives for the call.
    let descriptor = unsafe Glibc.open(
      list, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode_t(0o644))
    guard descriptor >= 0 else { throw failure(list, errno) }
    var status = stat()
    // SAFETY: `status` lives for the call.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFIFO else {
      close(descriptor)
      throw .unusableFile(path: list, reason: "is a pipe, which stores nothing: name a file")
    }
    return descriptor
  }

  /// Whether the last line of a file has no line end, because a crash or a full disk has cut it off.
  ///
  /// A file that cannot be read counts as complete.
  private static func isLastLineCut(_ list: String) -> Bool {
    // SAFETY: the string lives for the call.
    let descriptor = unsafe Glibc.open(list, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let length = lseek(descriptor, 0, SEEK_END)
    guard length > 0 else { return false }
    var last: UInt8 = 0
    // SAFETY: `last` has room for the one byte that is read.
    return unsafe pread(descriptor, &last, 1, length - 1) == 1 && last != UInt8(ascii: "\n")
  }

  /// The last head in this state folder; nil if there is none, or if it was signed with a key that is not among `keys`.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func last(_ keys: AuditHeadKeys) throws -> AuditHead? {
    guard let bytes = try StateFile.read(path: state.auditHeadPath, isSecret: false) else { return nil }
    return Self.tokens(bytes).first.flatMap(keys.head(of:))
  }

  /// The lines of a file with heads.
  static func tokens(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Whether a line is only the beginning of a head: it has fewer than three parts, or a signature of fewer than 64 bytes.
  static func isCut(_ line: String) -> Bool {
    let parts = line.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return parts.count < 3 }
    return parts[2].utf8.count < signatureLength
  }

  /// 64 bytes in base64url.
  private static let signatureLength = 86

  private static func failure(_ path: String, _ number: CInt) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    .unusableFile(path: path, reason: unsafe "cannot be written: \(String(cString: strerror(number)))")
  }
}

/// The file in the state folder that records when the server last knew that the whole audit was signed.
///
/// The administrator of the database cannot change it. It is written once a minute, as long as everything is signed.
struct SignedMomentFile: Sendable {
  let path: String

  init(of state: ServerDirectory) { path = state.auditSignedPath }

  /// The content of the file; nil if there is none, or it is damaged.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func read() throws(ServerError) -> SignedMoment? {
    try StateFile.read(path: path, isSecret: false).flatMap(SignedMoment.init)
  }

  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func write(_ moment: SignedMoment) throws(ServerError) {
    try StateFile.replace(path: path, mode: 0o644, contents: moment.json.bytes + Array("\n".utf8))
  }
}

/// Checks whether this server has the key that signs the audit of its store.
enum AuditKeyCheck {
  /// Refuses a store whose last head was signed with a key that is not in `audit.pub`.
  ///
  /// The usual reason is a second server to which the administrator has not copied the key files. If the last stored head is
  /// not in the form of a head, the audit records that, and the server starts all the same.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``StoreFailure``.
  static func run(_ store: any ServerStore, _ state: ServerDirectory) async throws {
    guard let last = try await store.read({ try $0.audit.lastHead() }), AuditHeadKeys.isHead(last.token) else { return }
    guard try PublicKeyFile.auditHeadKeys(path: state.auditPublicKeyPath).head(of: last.token) == nil else { return }
    throw ServerError.unusableFile(
      path: state.auditKeyPath,
      reason:
        "differs from the key that has signed this store's audit: copy audit.key and audit.pub from the other "
        + "server or from a backup; if they are lost, start once with --new-audit-key, and the audit records that "
        + "(audit-broken)"
    )
  }
}
