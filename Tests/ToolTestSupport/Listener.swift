import Glibc

/// A packet socket that accepts as many connections as its queue holds, and never sends anything.
package final class Listener {
  private let descriptor: CInt

  package init(_ path: String) {
    descriptor = socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: a test's path is short, and bind reads no further than the structure.
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    listen(descriptor, 4)
  }

  deinit { close(descriptor) }
}
