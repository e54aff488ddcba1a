import Glibc
import SecretMemory

/// Searches the writable memory of this process for what an operation has left behind.
enum OwnMemory {
  struct Failure: Error {
    let file: String
  }

  private static let chunk = 1 << 20

  /// How often one half of `secret` occurs outside the secret's own page.
  ///
  /// It searches for halves because the allocator overwrites the first bytes of a freed block.
  static func copies(of secret: borrowing Secret) throws -> Int {
    let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw Failure(file: "/proc/self/mem") }
    defer { close(memory) }
    var buffer = try Secret(capacity: chunk)
    // The addresses of the secret itself and of the search buffer, where hits do not count.
    let own = [addresses(of: secret), addresses(of: buffer)]
    var copies = 0
    for range in try writableRanges() {
      // Pieces overlap by one byte less than a half: a half that crosses the end of a piece is complete in the next one, and
      // none is in both.
      for start in stride(from: range.lowerBound, to: range.upperBound, by: chunk - secret.count / 2 + 1) {
        let length = min(chunk, range.upperBound - start)
        unsafe buffer.refill { unsafe pread(memory, $0.baseAddress, length, off_t(start)) }
        copies += places(ofHalvesOf: secret, in: buffer).count { place in
          !own.contains { $0.contains(start + place) }
        }
      }
    }
    return copies
  }

  private static func addresses(of secret: borrowing Secret) -> Range<Int> {
    let start = unsafe secret.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    return start..<start + max(secret.capacity, 4096)
  }

  private static func places(ofHalvesOf secret: borrowing Secret, in buffer: borrowing Secret) -> [Int] {
    unsafe secret.withUnsafeBytes { needle in
      unsafe buffer.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress, let first = needle.baseAddress else { return [] }
        let half = needle.count / 2
        var places: [Int] = []
        for offset in [0, half] {
          let part = unsafe first + offset
          var from = 0
          // The C library's fast search finds the first byte, and only its hits are compared in full.
          while bytes.count - from >= half,
            let found = unsafe memchr(base + from, CInt(part.load(as: UInt8.self)), bytes.count - half - from + 1)
          {
            let place = unsafe base.distance(to: UnsafeRawPointer(found))
            if unsafe memcmp(found, part, half) == 0 { places.append(place) }
            from = place + 1
          }
        }
        return places
      }
    }
  }

  private static func writableRanges() throws -> [Range<Int>] {
    let file = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure(file: "/proc/self/maps") }
    defer { close(file) }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(file, &piece, piece.count)
      guard count > 0 else { break }
      text += piece[..<count]
    }
    // The kernel returns its list page by page. If other threads map and unmap memory, a mapping can grow between two pages and
    // be in both; it must be searched only once.
    var end = 0
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard ends.count == 2, words[1] == "rw-p", max(end, ends[0]) < ends[1] else { return nil }
      defer { end = ends[1] }
      return max(end, ends[0])..<ends[1]
    }
  }
}
