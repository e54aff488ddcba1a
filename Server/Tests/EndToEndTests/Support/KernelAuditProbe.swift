import Glibc

/// Whether a program that runs as root can use the kernel's audit on this machine.
enum KernelAuditProbe {
  static let isThere: Bool = {
    let audit = socket(AF_NETLINK, CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 9)
    guard audit >= 0 else { return false }
    close(audit)
    return true
  }()
}
