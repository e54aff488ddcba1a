import Glibc
import SecretMemory

/// What is about to be shown: a picture of a stroke is the stroke, so it is wiped as one.
struct ScreenBuffer: ~Copyable {
  private var bytes: Secret
  /// Bytes in use.
  private(set) var count = 0

  // 200 rows of 80 characters of four bytes; what is beyond it is not shown.
  private static let capacity = 65_536

  /// - Throws: ``TerminalError/outOfMemory``.
  init() throws(TerminalError) {
    // SAFETY: nothing is written: the pages are fresh, and so zero.
    guard let bytes = unsafe try? Secret(count: Self.capacity, filledBy: { _ in }) else { throw .outOfMemory }
    self.bytes = bytes
  }

  /// Adds text at the end.
  mutating func append(_ text: String) {
    guard count + text.utf8.count <= Self.capacity else { return }
    var position = count
    // SAFETY: there is room for all of the text.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      for byte in text.utf8 {
        unsafe buffer[position] = byte
        position += 1
      }
    }
    count = position
  }

  /// Lends what was added.
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    bytes.withBytes { body($0.extracting(0..<count)) }
  }

  /// Writes everything, and forgets it.
  mutating func flush(to descriptor: CInt) {
    let count = count
    // SAFETY: the bytes from `offset` on, up to `count`, are the buffer's.
    unsafe bytes.withUnsafeBytes { buffer in
      var offset = 0
      while offset < count {
        let written = unsafe write(descriptor, buffer.baseAddress.map { unsafe $0 + offset }, count - offset)
        if written > 0 { offset += written } else if written == 0 || errno != EINTR { return }
      }
    }
    // SAFETY: the whole buffer is ours.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      for index in 0..<count { unsafe buffer[index] = 0 }
    }
    self.count = 0
  }
}
