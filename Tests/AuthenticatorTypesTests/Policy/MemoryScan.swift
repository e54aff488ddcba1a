import Glibc
import SecretMemory
import Testing

/// Searches every writable page of this process for texts.
final class MemoryScan {
  enum Width { case utf8, utf32 }

  /// A text to search for; its own bytes do not count as a hit.
  final class Needle {
    let bytes: Secret
    init(_ bytes: consuming Secret) { self.bytes = bytes }
    var range: Range<UInt> {
      unsafe bytes.withUnsafeBytes { buffer in
        let start = UInt(bitPattern: buffer.baseAddress)
        return start..<start + UInt(buffer.count)
      }
    }
  }

  private let memory: CInt
  private let window: Needle

  init() throws {
    // SAFETY: the pages are zero already.
    window = Needle(try unsafe Secret(count: 1 << 20) { _ in })
    memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    try #require(memory >= 0)
  }

  deinit { close(memory) }

  /// A text of the code points that `point` gives for these numbers, written byte by byte so that no other copy of it exists.
  func needle(_ numbers: Range<UInt32>, width: Width, _ point: (UInt32) -> UInt32) throws -> Needle {
    var secret = try Secret(capacity: numbers.count * 4)
    // SAFETY: a code point takes at most four bytes.
    unsafe secret.refill { buffer in
      var place = 0
      for index in numbers {
        let value = point(index)
        let bytes: [UInt8] =
          width == .utf32
          ? [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
          : Array(String(Character(Unicode.Scalar(value) ?? "?")).utf8)
        for byte in bytes {
          unsafe buffer[place] = byte
          place += 1
        }
      }
      return place
    }
    return Needle(secret)
  }

  /// How often the text occurs outside `needle` itself.
  func hits(_ needle: Needle) throws -> Int {
    let overlap = UInt(needle.bytes.count) - 1
    var found: Set<UInt> = []
    for region in try Self.writableRegions() {
      var start = region.lowerBound
      while start < region.upperBound {
        let end = min(region.upperBound, start + (1 << 20))
        for address in finds(of: needle, from: start, to: end) { found.insert(address) }
        start = end == region.upperBound ? end : end - overlap
      }
    }
    return found.count { !needle.range.contains($0) && !window.range.contains($0) }
  }

  private func finds(of needle: Needle, from start: UInt, to end: UInt) -> [UInt] {
    // SAFETY: at most the window's size is read into it, and searched no further than what was read.
    unsafe window.bytes.withUnsafeBytes { buffer in
      guard let base = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress) else { return [] }
      defer { unsafe explicit_bzero(base, buffer.count) }
      let count = unsafe pread(memory, base, Int(end - start), off_t(start))
      guard count > 0 else { return [] }
      return unsafe needle.bytes.withUnsafeBytes { wanted in
        var addresses: [UInt] = []
        var offset = 0
        guard let first = wanted.baseAddress else { return [] }
        while let hit = unsafe memchr(base + offset, CInt(wanted[0]), count - offset) {
          offset = unsafe hit - UnsafeMutableRawPointer(base)
          guard count - offset >= wanted.count else { break }
          if unsafe memcmp(hit, first, wanted.count) == 0 { addresses.append(start + UInt(offset)) }
          offset += 1
        }
        return addresses
      }
    }
  }

  private static func writableRegions() throws -> [Range<UInt>] {
    let descriptor = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = unsafe read(descriptor, &piece, piece.count), count > 0 { text += piece.prefix(count) }
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      let ends = fields.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
      guard ends.count == 2, fields.count > 1, fields[1].hasPrefix("rw"), fields.last != "[vvar]" else { return nil }
      return ends[0]..<ends[1]
    }
  }
}
