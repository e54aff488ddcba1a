import Glibc
import SecretMemory

/// Lines of an input that is no terminal: read byte by byte, so that nothing beyond the line is taken and nothing of it is
/// left in a buffer.
package struct LineInput {
  /// What came.
  package enum Line: ~Copyable {
    /// The bytes before the line's end; at most as many as there was room for, the others were dropped.
    case bytes(Secret)
    /// A line with a NUL.
    case unusable
    /// No further line.
    case end
  }

  private let descriptor: CInt

  /// The lines of a descriptor, which stays the caller's.
  package init(descriptor: CInt) { self.descriptor = descriptor }

  /// The next line.
  ///
  /// The input's end ends a line as well, if there is anything before it.
  ///
  /// - Throws: ``TerminalError/outOfMemory``.
  package func next(capacity: Int) throws(TerminalError) -> Line {
    // One byte more, for bytes that do not fit, so that no byte of an entry is ever outside this memory.
    guard var line = try? Secret(capacity: capacity + 1) else { throw .outOfMemory }
    var total = 0
    var hasNUL = false
    var ended = false
    // SAFETY: at most `capacity` + 1 bytes are written, all inside the buffer.
    unsafe line.refill { buffer in
      while true {
        // SAFETY: `total` is at most `capacity`, which is the last position.
        let place = unsafe buffer.baseAddress.map { unsafe $0 + total }
        let count = unsafe read(descriptor, place, 1)
        if count < 0, errno == EINTR { continue }
        ended = count != 1
        if ended { return total }
        let byte = unsafe buffer[total]
        if byte == 0x0A { return total }
        if byte == 0 { hasNUL = true }
        total = min(total + 1, capacity)
      }
    }
    if ended, total == 0 { return .end }
    return hasNUL ? .unusable : .bytes(line)
  }
}
