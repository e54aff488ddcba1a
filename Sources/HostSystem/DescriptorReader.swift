import Glibc

/// Reads what a file holds, up to a limit.
package enum DescriptorReader {
  /// The first `limit` bytes, or all there are; nil with `errno` if that fails.
  package static func read(_ descriptor: CInt, atMost limit: Int) -> [UInt8]? {
    var content = [UInt8](repeating: 0, count: limit)
    var used = 0
    while used < limit {
      let start = used
      // SAFETY: at most the rest of the array is written.
      let count = unsafe content.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      used += count
    }
    return Array(content[..<used])
  }
}
