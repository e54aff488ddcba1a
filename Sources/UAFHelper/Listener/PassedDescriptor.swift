import Glibc

/// A descriptor that goes to another process over a socket of packets (`SCM_RIGHTS` of unix(7)).
enum PassedDescriptor {
  /// The one byte that it goes with.
  private static let byte: UInt8 = 0
  // CMSG_LEN and CMSG_SPACE of cmsg(3), which are macros.
  private static let offset = aligned(MemoryLayout<cmsghdr>.size)
  private static let length = offset + MemoryLayout<CInt>.size
  private static let space = offset + aligned(MemoryLayout<CInt>.size)

  private static func aligned(_ size: Int) -> Int {
    (size + MemoryLayout<Int>.size - 1) & ~(MemoryLayout<Int>.size - 1)
  }

  /// Sends a copy of `descriptor`, and waits for nothing.
  ///
  /// - Returns: false if nobody can receive it.
  static func send(_ descriptor: CInt, over socket: CInt) -> Bool {
    var header = cmsghdr()
    header.cmsg_len = length
    header.cmsg_level = SOL_SOCKET
    header.cmsg_type = CInt(SCM_RIGHTS)
    var control = [UInt8](repeating: 0, count: space)
    // SAFETY: the control data has room for both, at these places.
    unsafe control.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: header, as: cmsghdr.self)
      unsafe $0.storeBytes(of: descriptor, toByteOffset: offset, as: CInt.self)
    }
    return unsafe exchange(&control) { unsafe sendmsg(socket, $0, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) } == 1
  }

  /// Waits for a descriptor; it is closed on exec.
  ///
  /// - Returns: nil if the other end was closed, or sent anything else.
  static func receive(over socket: CInt) -> CInt? {
    var control = [UInt8](repeating: 0, count: space)
    // SAFETY: the message lives for each call. The control data is as long as both together, whatever was received.
    var count = unsafe exchange(&control) { unsafe recvmsg(socket, $0, CInt(MSG_CMSG_CLOEXEC)) }
    while count < 0, errno == EINTR {
      count = unsafe exchange(&control) { unsafe recvmsg(socket, $0, CInt(MSG_CMSG_CLOEXEC)) }
    }
    guard count == 1 else { return nil }
    return unsafe control.withUnsafeBytes {
      let header = unsafe $0.loadUnaligned(as: cmsghdr.self)
      guard header.cmsg_len == length, header.cmsg_level == SOL_SOCKET, header.cmsg_type == CInt(SCM_RIGHTS)
      else { return nil }
      return unsafe $0.loadUnaligned(fromByteOffset: offset, as: CInt.self)
    }
  }

  /// Makes the message, with one byte and this control data, for a call.
  private static func exchange(_ control: inout [UInt8], _ call: (UnsafeMutablePointer<msghdr>) -> Int) -> Int {
    var byte = Self.byte
    // SAFETY: vector, message and what they name live until the call returns.
    return unsafe control.withUnsafeMutableBytes { control in
      unsafe withUnsafeMutableBytes(of: &byte) { byte in
        var vector = unsafe iovec(iov_base: byte.baseAddress, iov_len: byte.count)
        return unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var message = unsafe msghdr()
          unsafe message.msg_iov = vector
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = control.count
          return unsafe call(&message)
        }
      }
    }
  }
}
