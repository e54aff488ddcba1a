import Glibc

/// A pipe; enough for what the tool writes, which is far below its 64 KiB.
///
/// No program that a different test starts keeps an end of it open.
package final class Pipe {
  package let reading: CInt
  package private(set) var writing: CInt

  package init() {
    var ends: [CInt] = [-1, -1]
    // SAFETY: room for two descriptors.
    _ = unsafe pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }

  deinit {
    closeWriting()
    close(reading)
  }

  package func closeWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// Everything written so far.
  package func text() -> String {
    closeWriting()
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // SAFETY: the buffer is as long as announced.
      let count = unsafe read(reading, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += buffer[..<count]
    }
  }
}
