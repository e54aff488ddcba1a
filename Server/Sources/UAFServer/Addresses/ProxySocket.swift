import Glibc

/// The Unix socket for a proxy on the same machine.
///
/// Whoever connects to this socket is trusted to say which client a request comes from. So only the server's user and group may
/// connect, and nobody else may write to the folders above the socket.
struct ProxySocket {
  let path: String

  /// The mode of the socket: only its owner and group may connect.
  ///
  /// The server creates the socket as its own user, so the proxy must be in the server's group.
  static let mode: mode_t = 0o660

  /// Makes sure that the server can listen at the path: nothing must be there, or a socket on which nobody listens.
  ///
  /// A socket that an earlier server left behind is not removed here: it is replaced when the server listens. The caller has
  /// set a umask, so that nobody else can connect before ``open()``.
  ///
  /// - Throws: ``ServerError`` for anything else at the path, and for a socket on which somebody listens.
  func prepare() throws(ServerError) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/."
    guard try TrustedPath.open(folder, followsLinks: true) != nil else {
      throw .unusableFile(path: folder, reason: "no such folder: make it for the server's user")
    }
    var info = stat()
    // SAFETY: `info` is a stat structure; the path lives for the call.
    guard unsafe lstat(path, &info) == 0 else {
      guard errno == ENOENT else { throw .cannotListen(address: "unix:\(path)", errorNumber: errno) }
      return
    }
    guard info.st_mode & S_IFMT == S_IFSOCK else {
      throw .unusableFile(path: path, reason: "is not a socket: remove it, or give another path")
    }
    let error = connectionError()
    guard error == ECONNREFUSED else {
      throw .cannotListen(address: "unix:\(path)", errorNumber: error == 0 ? EADDRINUSE : error)
    }
  }

  /// Sets the mode of the socket once the server listens, so that those whom the mode allows can connect.
  func open(mode: mode_t = mode) throws(ServerError) {
    // SAFETY: the path lives for the call.
    guard unsafe chmod(path, mode) == 0 else {
      throw .cannotListen(address: "unix:\(path)", errorNumber: errno)
    }
  }

  /// The error number of an attempt to connect; 0 if somebody listens.
  private func connectionError() -> CInt {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: the path is shorter than `sun_path`, as `ListenAddress` has checked.
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
    // SAFETY: a sockaddr_un is passed with its length, as the call asks.
    let result = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe connect(descriptor, name, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 ? 0 : errno
  }
}
