import Glibc

/// The system's error numbers in words.
enum SystemError {
  /// What `number` means.
  static func text(_ number: CInt) -> String {
    // SAFETY: strerror returns a NUL-terminated text for every number, and this program has one thread.
    unsafe String(cString: strerror(number))
  }
}
