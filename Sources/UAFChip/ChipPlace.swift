import Glibc
import UAFWire

/// Where the chip is: a character device of the kernel, or the socket of a TPM that is a program.
enum ChipPlace {
  /// Opens the place, or connects to it.
  ///
  /// - Returns: a descriptor over which commands go out and responses come in, in the TPM's own form.
  /// - Throws: ``ChipFailure``.
  static func open(_ path: String) throws(ChipFailure) -> CInt {
    var info = stat()
    // SAFETY: `info` is a stat structure, and the path lives for the call.
    guard unsafe stat(path, &info) == 0 else { throw failure(errno, "stat") }
    switch info.st_mode & S_IFMT {
    case S_IFSOCK: return try connected(to: path)
    case S_IFCHR:
      // SAFETY: the path lives for the call.
      let descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { throw failure(errno, "open") }
      return descriptor
    default: throw ChipFailure(.absent, "place")
    }
  }

  private static func connected(to path: String) throws(ChipFailure) -> CInt {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure(errno, "socket") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The protocol limits the path to what fits.
    // SAFETY: the path and its final NUL fit into sun_path, and connect reads no further than the structure's size.
    let number = unsafe withUnsafeMutablePointer(to: &address) { pointer -> CInt in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) {
        unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
      }
      return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
    guard number == 0 else {
      close(descriptor)
      throw failure(number, "connect")
    }
    return descriptor
  }

  /// What an error number of the system means here.
  static func failure(_ number: CInt, _ step: String) -> ChipFailure {
    let outcome: ChipOutcome =
      switch number {
      case EACCES, EPERM: .forbidden
      case EBUSY, EAGAIN: .busy
      default: .absent
      }
    return ChipFailure(outcome, step, number: UInt32(clamping: number))
  }
}
