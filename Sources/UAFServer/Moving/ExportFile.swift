import Glibc

/// The file of an export, which is made new, for its owner alone.
enum ExportFile {
  /// Makes the file, and has `body` fill it.
  ///
  /// - Throws: ``ServerError``, and what `body` throws; then there is no file.
  static func make<Value>(_ path: String, _ body: (CInt) async throws -> Value) async throws -> Value {
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ServerError.cannotMake(path) }
    defer { close(descriptor) }
    do {
      let value = try await body(descriptor)
      guard fsync(descriptor) == 0 else { throw ServerError.unusableFile(path: path, system: "cannot be written") }
      return value
    } catch {
      // SAFETY: the string lives for the call. A part of an export is of no use.
      unsafe unlink(path)
      throw error
    }
  }
}
