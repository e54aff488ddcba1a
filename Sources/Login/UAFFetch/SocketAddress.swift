import CCurl
import Glibc
import UAFWire

/// The address that a connection goes to.
struct SocketAddress: Equatable {
  private let family: CInt
  private let bytes: [UInt8]

  /// The address libcurl is about to open a socket for.
  init(_ address: UnsafePointer<curl_sockaddr>) {
    var bytes = [UInt8](repeating: 0, count: Int(CURL_ADDRESS_SIZE))
    // SAFETY: libcurl lends the address for the call, and writes at most `bytes.count` bytes.
    let count = unsafe curl_copy_address(address, &bytes, bytes.count)
    family = unsafe address.pointee.family
    self.bytes = Array(bytes.prefix(count))
  }

  /// A port of this machine.
  init(loopback port: UInt16) {
    family = AF_INET
    bytes = [UInt8(AF_INET), 0, UInt8(port >> 8), UInt8(port & 0xFF), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
  }

  /// Errors of a connection that are caused by the network or by the other end.
  ///
  /// EACCES comes from a firewall that forbids the connection by ICMPv6, and from a route of type `prohibit`. EINVAL comes from
  /// a route of type `blackhole`. The other errors in the third line are rare messages of ICMP.
  static func isNetworks(_ number: CInt) -> Bool {
    [
      ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, ENETDOWN, EHOSTDOWN, ECONNRESET, EAFNOSUPPORT,
      EACCES, EINVAL,
      ENONET, EPROTO, ENOPROTOOPT,
    ].contains(number)
  }

  /// The error if this machine itself prevents a connection from beginning; nil if it does not.
  ///
  /// Asked only after the connection has failed, so that no second connection is opened to a server that answers.
  func lack() -> CInt? {
    let number = attempt(CInt(SOCK_STREAM.rawValue))
    if number == 0 || number == EINPROGRESS || number == EINTR || Self.isNetworks(number) { return nil }
    return number == EADDRNOTAVAIL && lacksAddress ? nil : number
  }

  /// Whether this machine has no address from which it could reach this address.
  ///
  /// Then a datagram socket fails in the same way, but without a free port it fails differently. For IPv4, the error always means
  /// the ports.
  var lacksAddress: Bool { family == AF_INET6 && attempt(CInt(SOCK_DGRAM.rawValue)) == EADDRNOTAVAIL }

  /// The error number of an attempt that does not wait; 0 for none.
  private func attempt(_ type: CInt) -> CInt {
    let socket = Glibc.socket(family, type | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return errno }
    defer { close(socket) }
    return connect(socket)
  }

  /// Connects a socket; returns the error number, 0 for none.
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
/// A class because libcurl keeps a pointer to it during the transfer.
@safe final class Reception {
  /// Header lines of one answer, interim answers and the proxy's included.
  static let maximumHeaderCount = 256
  /// The limit for the bytes of all header lines.
  static let maximumHeaderBytes = 65_536
  /// How many addresses of a server are remembered.
  static let maximumAddressCount = 16

  /// The handle of the transfer.
  let curl: UnsafeMutableRawPointer
  /// The socket whose closing ends the transfer.
  let socket: CInt
  /// The body; at most ``WireLimit/responseBody`` bytes.
  private(set) var body: [UInt8] = []
  /// Whether a limit was exceeded, which aborts the transfer.
  private(set) var isTooLarge = false
  /// Whether the connection has completed the handshake with the server, even if an earlier connection is used again.
  private(set) var handshakeCompleted = false
  /// The server's certificate in DER.
  private(set) var certificate: [UInt8]?
  /// The addresses to which connections were tried, in order.
  private(set) var addresses: [SocketAddress] = []
  private var headerCount = 0
  private var headerBytes = 0

  /// An empty reception.
  ///
  /// - Parameter curl: A handle that outlives the reception.
  init(_ curl: UnsafeMutableRawPointer, watching socket: CInt) {
    // SAFETY: only stored, for libcurl's calls during the transfer.
    unsafe self.curl = curl
    self.socket = socket
  }

  /// Notes that the handshake is complete, and the certificate that the server showed in it.
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

  /// Keeps a part of the body; false if it would exceed the limit.
  ///
  /// libcurl's own limit does not stop a body of unknown length, so this one counts.
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
