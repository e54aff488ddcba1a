import CProcess
import Glibc

/// Whether this machine could have reached a server at all.
///
/// After the message that the server is unreachable, some stacks ask for a password. Anybody who starts a login, or has an
/// account on the machine, can use up processes, descriptors, memory and ports. libcurl then reports the same as for an
/// unreachable server. So this tries what a look-up and a connection need, before the server is reported as unreachable.
enum OwnMeans {
  /// What is lacking, with the system's error number, for the log; nil if nothing is.
  ///
  /// - Parameter addresses: the addresses to which connections were tried.
  static func lack(toReach addresses: [SocketAddress]) -> String? {
    let thread = process_try_thread()
    if thread != 0 { return "no thread (errno \(thread))" }
    if let number = lackOfMemory() { return "no memory (errno \(number))" }
    if let number = lackOfSockets() { return "no socket or port for a name look-up (errno \(number))" }
    for address in addresses {
      if let number = address.lack() { return "no socket or port for a connection (errno \(number))" }
    }
    return nil
  }

  /// More memory than a look-up takes: the stack of a thread, the plug-ins of the name services.
  private static func lackOfMemory() -> CInt? {
    let size = 16 << 20
    // SAFETY: a new mapping that nothing else refers to; it is unmapped immediately.
    guard let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe memory != MAP_FAILED
    else { return errno }
    unsafe munmap(memory, size)
    return nil
  }

  /// Opens several sockets at the same time, each with its own port, as a resolver does.
  ///
  /// Nothing is sent.
  private static func lackOfSockets() -> CInt? {
    let resolver = SocketAddress(loopback: 53)
    var sockets: [CInt] = []
    defer { sockets.forEach { close($0) } }
    for _ in 0..<8 {
      let socket = Glibc.socket(AF_INET, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { return errno }
      sockets.append(socket)
      let number = resolver.connect(socket)
      if number != 0, !SocketAddress.isNetworks(number) { return number }
    }
    return nil
  }
}
