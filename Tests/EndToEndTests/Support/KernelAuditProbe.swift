import Glibc

/// Whether a program with root can speak to the kernel's audit here at all.
enum KernelAuditProbe {
  static let isThere: Bool = {
    let audit = socket(AF_NETLINK, CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 9)
    guard audit >= 0 else { return false }
    close(audit)
    return true
  }()
}
