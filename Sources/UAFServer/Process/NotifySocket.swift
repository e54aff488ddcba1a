import Glibc

/// The socket on which a service tells systemd how it is (sd_notify(3), "protocol").
struct NotifySocket: Sendable {
  private let address: [UInt8]

  /// Takes the name that systemd gives: a path, or `@` and an abstract name.
  ///
  /// - Returns: nil for another name, and for one that is too long.
  init?(_ name: String) {
    var bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count > 1, bytes.count < 108, !bytes.contains(0) else { return nil }
    switch first {
    case UInt8(ascii: "@"): bytes[0] = 0
    case UInt8(ascii: "/"): break
    default: return nil
    }
    address = bytes
  }

  /// Sends a message such as `READY=1`.
  ///
  /// A failure is not reported, and nobody waits for a manager that does not read: it acts as if the service had said nothing.
  func send(_ message: String) {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: the name is shorter than `sun_path`, as `init` has checked.
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: address) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
    let bytes = Array(message.utf8)
    // SAFETY: a sockaddr_un is passed with its length, as the call asks; both buffers live for it.
    _ = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT), name, length)
      }
    }
  }
}
