import CProcess
import Glibc

/// Checks whether this machine was able to reach a server at all.
///
/// If the server is reported as unreachable, some PAM stacks fall back to a password. Anybody who starts a login, or has an
/// account on the machine, can use up its processes, descriptors, memory and ports, and libcurl then returns the same error as
/// for an unreachable server. So before the server is reported as unreachable, this type checks that the resources for a
/// look-up and a connection are available.
enum OwnMeans {
  /// The resource that is lacking, with the system's error number, for the log; nil if none is.
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

  /// Tries to allocate more memory than a look-up takes for the stack of a thread and the plug-ins of the name services;
  /// returns the error number, or nil.
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
  /// Nothing is sent. Returns the error number; nil if it worked.
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
