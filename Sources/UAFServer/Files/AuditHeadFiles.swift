import Glibc
import HostSystem
import UAFService

/// Where signed heads of the audit are kept beside the store.
///
/// Whoever changes the store has to change these too.
struct AuditHeadFiles: Sendable {
  let state: ServerDirectory
  /// A file to which each head is added as a line; nil for none.
  let list: String?

  /// Keeps a head: the state folder has the last one, the list all of them.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func keep(_ head: StoredHead) throws(ServerError) {
    try StateFile.replace(path: state.auditHeadPath, mode: 0o644, contents: Array("\(head.token)\n".utf8))
    guard let list else { return }
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open(list, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, mode_t(0o644))
    guard descriptor >= 0 else { throw Self.failure(list) }
    defer { close(descriptor) }
    guard DescriptorWriter.write(Array("\(head.token)\n".utf8), to: descriptor) else { throw Self.failure(list) }
  }

  /// The last head of this state folder; nil if it never signed one, or with another key.
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

  private static func failure(_ path: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableFile(path: path, reason: unsafe "cannot be written: \(String(cString: strerror(errno)))")
  }
}
