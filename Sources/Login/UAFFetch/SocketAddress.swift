import CCurl
import Glibc
import UAFWire

/// The address of a connection's other end.
struct SocketAddress: Equatable {
  private let family: CInt
  private let bytes: [UInt8]

  /// The address for which libcurl is about to open a socket.
  init(_ address: UnsafePointer<curl_sockaddr>) {
    var bytes = [UInt8](repeating: 0, count: Int(CURL_ADDRESS_SIZE))
    // SAFETY: libcurl lends the address for the call, and writes at most `bytes.count` bytes.
    let count = unsafe curl_copy_address(address, &bytes, bytes.count)
    family = unsafe address.pointee.family
    self.bytes = Array(bytes.prefix(count))
  }

  /// A port on this machine's loopback address.
  init(loopback port: UInt16) {
    family = AF_INET
    bytes = [UInt8(AF_INET), 0, UInt8(port >> 8), UInt8(port & 0xFF), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
  }

  /// Whether the error of a connection was caused by the network or by the other end, not by this machine.
  ///
  /// EACCES comes from a firewall that forbids the connection by ICMPv6, and from a route of type `prohibit`. EINVAL comes from
  /// a route of type `blackhole`. The other errors in the third line come from rare ICMP messages.
  static func isNetworks(_ number: CInt) -> Bool {
    [
      ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, ENETDOWN, EHOSTDOWN, ECONNRESET, EAFNOSUPPORT,
      EACCES, EINVAL,
      ENONET, EPROTO, ENOPROTOOPT,
    ].contains(number)
  }

  /// The error number if this machine itself cannot start a connection; nil if it can.
  ///
  /// Call this only after a connection has failed, so that no second connection is opened to a server that answers.
  func lack() -> CInt? {
    let number = attempt(CInt(SOCK_STREAM.rawValue))
    if number == 0 || number == EINPROGRESS || number == EINTR || Self.isNetworks(number) { return nil }
    return number == EADDRNOTAVAIL && lacksAddress ? nil : number
  }

  /// Whether EADDRNOTAVAIL means that this machine has no address from which it could reach this one.
  ///
  /// In that case, connecting a datagram socket fails with the same error; if only ports are lacking, it does not. For IPv4,
  /// EADDRNOTAVAIL always means that no port is free.
  var lacksAddress: Bool { family == AF_INET6 && attempt(CInt(SOCK_DGRAM.rawValue)) == EADDRNOTAVAIL }

  /// Tries to connect a socket of this type, without waiting.
  ///
  /// Returns the error number, or 0.
  private func attempt(_ type: CInt) -> CInt {
    let socket = Glibc.socket(family, type | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return errno }
    defer { close(socket) }
    return connect(socket)
  }

  /// Connects a socket to this address.
  ///
  /// Returns the error number, or 0.
  func connect(_ socket: CInt) -> CInt {
    // SAFETY: the bytes are an address in the kernel's form, lent for the call with their length.
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return EINVAL }
      return unsafe Glibc.connect(socket, start, socklen_t(bytes.count)) == 0 ? 0 : errno
    }
  }
}

/// What one transfer has received so far, and its limits.
///
/// It is a class because libcurl keeps a pointer to it during the transfer.
@safe final class Reception {
  /// The maximum number of header lines of one answer, including those of interim answers and of the proxy.
  static let maximumHeaderCount = 256
  /// The maximum length of all header lines together, in bytes.
  static let maximumHeaderBytes = 65_536
  /// How many addresses of a server are remembered.
  static let maximumAddressCount = 16

  /// The handle of the transfer.
  let curl: UnsafeMutableRawPointer
  /// The socket whose closing ends the transfer.
  let socket: CInt
  /// The body so far; at most ``WireLimit/responseBody`` bytes.
  private(set) var body: [UInt8] = []
  /// Whether a limit was exceeded, which aborts the transfer.
  private(set) var isTooLarge = false
  /// Whether the connection has completed the TLS handshake with the server; also true if an earlier connection is reused.
  private(set) var handshakeCompleted = false
  /// The server's certificate in DER.
  private(set) var certificate: [UInt8]?
  /// The addresses to which connections were tried, in order.
  private(set) var addresses: [SocketAddress] = []
  private var headerCount = 0
  private var headerBytes = 0

  /// Makes an empty reception.
  ///
  /// - Parameter curl: A handle that outlives the reception.
  init(_ curl: UnsafeMutableRawPointer, watching socket: CInt) {
    // SAFETY: only stored, for libcurl's calls during the transfer.
    unsafe self.curl = curl
    self.socket = socket
  }

  /// Records that the handshake is complete, and the certificate that the server presented.
  func noteHandshake(with certificate: [UInt8]?) {
    handshakeCompleted = true
    self.certificate = certificate
  }

  /// Opens the socket of a connection, and remembers its address.
  func open(_ address: UnsafePointer<curl_sockaddr>) -> CInt {
    // SAFETY: libcurl lends the address for the call, here and below.
    let goal = unsafe SocketAddress(address)
    if addresses.count < Self.maximumAddressCount, !addresses.contains(goal) { addresses.append(goal) }
    return unsafe Glibc.socket(
      address.pointee.family, address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
  }

  /// Appends a part of the body; returns false if the body would exceed the limit.
  ///
  /// libcurl's own limit does not apply to a body of unknown length, so the bytes are counted here.
  func receive(body bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= WireLimit.responseBody - body.count else {
      isTooLarge = true
      return false
    }
    for index in bytes.indices { body.append(bytes[index]) }
    return true
  }

  /// Counts a header line; false if there are too many.
  func receive(headerOf count: Int) -> Bool {
    headerCount += 1
    headerBytes += min(count, Self.maximumHeaderBytes + 1)
    isTooLarge = headerCount > Self.maximumHeaderCount || headerBytes > Self.maximumHeaderBytes
    return !isTooLarge
  }
}
