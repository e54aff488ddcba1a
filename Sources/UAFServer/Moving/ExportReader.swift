import Glibc

/// Reads the lines of a file, one at a time.
struct ExportReader: ~Copyable {
  private static let part = 1 << 16

  private let descriptor: CInt
  private let path: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of the line that was read last.
  private(set) var number = 0

  /// Begins with the first line of an open file.
  init(_ descriptor: CInt, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw ServerError.unusableFile(path: path, reason: "is no plain file: an export is read twice")
    }
  }

  /// The next line with its end; nil after the last one.
  ///
  /// - Throws: ``ExportFault/tooLong(line:)``, ``ExportFault/cut`` for a line without an end; ``ServerError``.
  mutating func next() throws -> ArraySlice<UInt8>? {
    var looked = start
    while true {
      if let end = buffer[looked...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        number += 1
        return buffer[start...end]
      }
      guard buffer.count - start <= ExportFault.longestLine else { throw ExportFault.tooLong(line: number + 1) }
      if isAtEnd {
        guard start == buffer.count else { throw ExportFault.cut }
        return nil
      }
      buffer.removeFirst(start)
      start = 0
      looked = buffer.count
      try fill()
    }
  }

  private mutating func fill() throws {
    var bytes = [UInt8](repeating: 0, count: Self.part)
    while true {
      // SAFETY: at most as much is read as there is room.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        // SAFETY: strerror's text is copied at once.
        throw ServerError.unusableFile(
          path: path, reason: unsafe "cannot be read: \(String(cString: strerror(errno)))")
      }
      isAtEnd = count == 0
      buffer += bytes.prefix(count)
      return
    }
  }
}
