import CCurl
import Glibc
import UAFWire

/// What one transfer has received so far, and its limits.
///
/// A class because libcurl keeps a pointer to it during the transfer.
@safe final class Reception {
  /// Header lines of one answer, interim answers and the proxy's included.
  static let maximumHeaderCount = 256
  /// Bytes of all of them.
  static let maximumHeaderBytes = 65_536
  /// Addresses of a server that are remembered.
  static let maximumAddressCount = 16

  /// The handle of the transfer.
  let curl: UnsafeMutableRawPointer
  /// The socket whose end is the end of the transfer.
  let socket: CInt
  /// The body; at most ``WireLimit/responseBody`` bytes.
  private(set) var body: [UInt8] = []
  /// Whether a limit was passed, which breaks the transfer off.
  private(set) var isTooLarge = false
  /// Whether the connection, an earlier one that is used again included, is through the handshake with the
  /// server.
  private(set) var handshakeCompleted = false
  /// The server's certificate in DER.
  private(set) var certificate: [UInt8]?
  /// Where connections were tried, in their order.
  private(set) var addresses: [SocketAddress] = []
  private var headerCount = 0
  private var headerBytes = 0

  /// An empty reception.
  ///
  /// - Parameter curl: A handle that outlives the reception.
  init(_ curl: UnsafeMutableRawPointer, watching socket: CInt) {
    // SAFETY: only kept, for the calls of libcurl during the transfer.
    unsafe self.curl = curl
    self.socket = socket
  }

  /// Notes that the handshake is through, and the certificate that the server showed in it.
  func noteHandshake(with certificate: [UInt8]?) {
    handshakeCompleted = true
    self.certificate = certificate
  }

  /// Opens the socket of a connection, and remembers where it goes.
  func open(_ address: UnsafePointer<curl_sockaddr>) -> CInt {
    // SAFETY: libcurl lends the address for the call, here and below.
    let goal = unsafe SocketAddress(address)
    if addresses.count < Self.maximumAddressCount, !addresses.contains(goal) { addresses.append(goal) }
    return unsafe Glibc.socket(
      address.pointee.family, address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
  }

  /// Keeps a part of the body; false if that would be more than may be kept.
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

  /// Counts a header line; false if there are more than may be.
  func receive(headerOf count: Int) -> Bool {
    headerCount += 1
    headerBytes += min(count, Self.maximumHeaderBytes + 1)
    isTooLarge = headerCount > Self.maximumHeaderCount || headerBytes > Self.maximumHeaderBytes
    return !isTooLarge
  }
}
