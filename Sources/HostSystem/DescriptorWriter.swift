import Glibc

/// Writes whole runs of bytes.
package enum DescriptorWriter {
  /// Whether all of `bytes` went out; where not, `errno` says why.
  package static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    var offset = 0
    while offset < bytes.count {
      // SAFETY: the bytes from `offset` on are valid for the call.
      let written = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + offset }, $0.count - offset)
      }
      if written > 0 {
        offset += written
      } else if written == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}
