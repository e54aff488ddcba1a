import Glibc
import Testing

/// A TCP listener on 127.0.0.1 whose queue is full, so that the kernel answers no further connection.
final class FullListener {
  let port: Int
  private let descriptors: [CInt]

  init() throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // SAFETY: the address lives for the calls, and has the length that they are given.
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        let isListening = unsafe bind(listener, place, length) == 0 && listen(listener, 0) == 0
        return unsafe isListening && getsockname(listener, place, &length) == 0
      }
    }
    try #require(isBound)
    port = Int(UInt16(bigEndian: address.sin_port))
    // One connection that nobody accepts fills the queue. The second one gets no answer, like the sink's connection later.
    let clients = (0..<2).map { _ in
      socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    }
    for client in clients {
      // SAFETY: as above.
      unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
          _ = unsafe connect(client, place, length)
        }
      }
    }
    descriptors = [listener] + clients
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
