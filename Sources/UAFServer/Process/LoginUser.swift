import Glibc

/// The user who logged in, whoever they have become since.
enum LoginUser {
  /// The login of a process.
  ///
  /// - Parameter process: its number, or `self`.
  /// - Returns: nil if nobody has logged in, or it cannot be told.
  static func id(of process: String) -> UInt32? {
    var bytes = [UInt8](repeating: 0, count: 32)
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open("/proc/\(process)/loginuid", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // SAFETY: the buffer is as long as is read.
    let count = unsafe read(descriptor, &bytes, bytes.count)
    let digits = String(decoding: bytes.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
    // The kernel's number for "nobody has logged in".
    return UInt32(digits).flatMap { $0 == .max ? nil : $0 }
  }
}
