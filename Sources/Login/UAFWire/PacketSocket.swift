import Glibc
import SecretMemory

/// One end of a conversation: a connected `SOCK_SEQPACKET` socket.
///
/// It is closed when this value is destroyed.
public struct PacketSocket: ~Copyable {
  private let descriptor: CInt

  /// Takes over `descriptor`, which must be a connected `SOCK_SEQPACKET` socket.
  ///
  /// - Throws: ``PacketSocketError/notASocket`` for anything else; the descriptor is then left open.
  public init(takingOver descriptor: CInt) throws(PacketSocketError) {
    var type: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    // SAFETY: `type` is as large as `length` says.
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0, type == CInt(SOCK_SEQPACKET.rawValue)
    else { throw .notASocket }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Connects to the socket at `path`.
  ///
  /// - Throws: ``PacketSocketError``: `notConnected` with the system's error number.
  public init(connectingTo path: String) throws(PacketSocketError) {
    let descriptor = socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .notConnected(errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= room, !path.utf8.contains(0) else {
      close(descriptor)
      throw .notConnected(ENAMETOOLONG)
    }
    // SAFETY: the path and its final NUL fit into sun_path, and connect reads no further than the
    // size of the structure.
    let failure = unsafe withUnsafeMutablePointer(to: &address) { pointer -> CInt in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
    guard failure == 0 else {
      close(descriptor)
      throw .notConnected(failure)
    }
    self.descriptor = descriptor
  }

  /// The uid of the peer, as the kernel recorded it when the connection was made.
  ///
  /// - Throws: ``PacketSocketError/noPeer``.
  public borrowing func peerUserID() throws(PacketSocketError) -> uid_t { try peer()[1] }

  /// The process id of the peer, as the kernel recorded it when the connection was made.
  ///
  /// - Throws: ``PacketSocketError/noPeer``.
  public borrowing func peerProcessID() throws(PacketSocketError) -> pid_t { pid_t(bitPattern: try peer()[0]) }

  private borrowing func peer() throws(PacketSocketError) -> [uid_t] {
    // struct ucred (process, user, group: 32 bits each), which Swift's Glibc module does not contain.
    var credentials: [uid_t] = [0, uid_t.max, 0]
    let size = socklen_t(3 * MemoryLayout<uid_t>.size)
    var length = size
    // SAFETY: `credentials` is as large as `length` says.
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == size
    else { throw .noPeer }
    return credentials
  }

  /// Sends one packet; waits at most `timeoutMilliseconds` until the socket has room for it.
  ///
  /// - Throws: ``PacketSocketError``.
  public borrowing func send(_ packet: [UInt8], timeoutMilliseconds: Int32 = 5000) throws(PacketSocketError) {
    try send(packet.span, timeoutMilliseconds: timeoutMilliseconds)
  }

  /// Sends one packet with a secret in it.
  ///
  /// - Throws: ``PacketSocketError``.
  public borrowing func send(_ packet: borrowing Secret, timeoutMilliseconds: Int32 = 5000) throws(PacketSocketError) {
    let socket = descriptor
    try packet.withBytes { (span: Span<UInt8>) throws(PacketSocketError) in
      try Self.send(span, on: socket, timeoutMilliseconds: timeoutMilliseconds)
    }
  }

  private borrowing func send(_ packet: Span<UInt8>, timeoutMilliseconds: Int32) throws(PacketSocketError) {
    try Self.send(packet, on: descriptor, timeoutMilliseconds: timeoutMilliseconds)
  }

  private static func send(
    _ packet: Span<UInt8>, on descriptor: CInt, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) {
    guard try wait(descriptor, for: Int16(POLLOUT), timeoutMilliseconds: timeoutMilliseconds) else { throw .timedOut }
    while true {
      // SAFETY: the span's bytes are valid for the call.
      let sent = unsafe packet.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if sent == packet.count { return }
      guard sent < 0, errno == EINTR else { throw .closed }
    }
  }

  /// Waits for a packet and puts it into `buffer`, whose capacity must exceed ``WireLimit/packet``.
  ///
  /// - Parameters:
  ///   - timeoutMilliseconds: -1 waits without a limit.
  ///     - readsAfterReset: whether to read what the peer sent even if it closed its end without reading everything. In that
  ///       case, the system first returns ECONNRESET once, and only then the data.
  /// - Throws: ``PacketSocketError``: `timedOut`; `closed` at the end of the stream or for an empty packet; `malformed` for a
  ///   packet that was cut off, carries descriptors, or is refused by ``Packet/init(_:)``.
  public borrowing func receive(
    into buffer: inout Secret, timeoutMilliseconds: Int32, readsAfterReset: Bool = false
  ) throws(PacketSocketError) -> Packet {
    guard try Self.wait(descriptor, for: Int16(POLLIN), timeoutMilliseconds: timeoutMilliseconds) else {
      throw .timedOut
    }
    let descriptor = descriptor
    var flags: CInt = 0
    // SAFETY: the vector names exactly the buffer lent to the closure. No room is given for control
    // data, so descriptors somebody passes are closed by the kernel and MSG_CTRUNC reports it.
    try unsafe buffer.refill { (bytes: UnsafeMutableRawBufferPointer) throws(PacketSocketError) -> Int in
      var received = unsafe Self.receive(descriptor, bytes, &flags)
      if received < 0, errno == ECONNRESET, readsAfterReset {
        received = unsafe Self.receive(descriptor, bytes, &flags)
      }
      guard received > 0 else { throw .closed }
      return received
    }
    guard flags & CInt(MSG_TRUNC | MSG_CTRUNC) == 0 else { throw .malformed(.size) }
    return try buffer.withBytes { (span: Span<UInt8>) throws(PacketSocketError) -> Packet in
      do throws(PacketError) { return try Packet(span) } catch { throw .malformed(error) }
    }
  }

  private static func receive(
    _ descriptor: CInt, _ bytes: UnsafeMutableRawBufferPointer, _ flags: inout CInt
  ) -> Int {
    // SAFETY: it points to the buffer that the caller lends, for this call only.
    var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
    // SAFETY: vector and message live until recvmsg returns.
    return unsafe withUnsafeMutablePointer(to: &vector) { vector in
      var message = unsafe msghdr()
      unsafe message.msg_iov = vector
      unsafe message.msg_iovlen = 1
      while true {
        let received = unsafe recvmsg(descriptor, &message, CInt(MSG_CMSG_CLOEXEC))
        if received < 0, errno == EINTR { continue }
        flags = unsafe message.msg_flags
        return received
      }
    }
  }

  /// Whether the peer has closed its end, not only stopped sending.
  public borrowing func isHungUp() -> Bool {
    (try? Self.wait(descriptor, for: 0, timeoutMilliseconds: 0)) ?? true
  }

  /// Waits until the peer has closed its end, and returns whether it left something unread.
  ///
  /// - Returns: false if the peer has not closed its end in time, because it may still read the rest.
  public borrowing func leftUnread(timeoutMilliseconds: Int32) -> Bool {
    guard (try? Self.wait(descriptor, for: 0, timeoutMilliseconds: timeoutMilliseconds)) == true else { return false }
    var error: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    // SAFETY: `error` is as large as `length` says.
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == ECONNRESET
  }

  /// Waits for a packet at this socket.
  ///
  /// The wait also ends if the peer of the other socket closes its end.
  ///
  /// - Throws: ``PacketSocketError``: `timedOut`; `closed` if the other socket's peer has closed its end.
  public borrowing func awaitPacket(
    whilePeerOf other: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) {
    let start = Self.milliseconds()
    while true {
      let left = Int32(clamping: max(0, Int64(timeoutMilliseconds) - (Self.milliseconds() - start)))
      var entries = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: other.descriptor, events: 0, revents: 0),
      ]
      // SAFETY: the count is that of the entries passed.
      let ready = unsafe poll(&entries, nfds_t(entries.count), left)
      if ready < 0, errno == EINTR { continue }
      guard ready >= 0, entries[1].revents == 0 else { throw .closed }
      guard ready > 0 else { throw .timedOut }
      return
    }
  }

  /// Waits until a packet has arrived at this socket or the other one, or the peer of either has closed its end.
  ///
  /// - Parameter timeoutMilliseconds: -1 waits without a limit.
  /// - Returns: whether this socket is ready, and whether the other one is; neither is if the time is over.
  /// - Throws: ``PacketSocketError``.
  public borrowing func awaitPacket(
    orOf other: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> (own: Bool, other: Bool) {
    let start = Self.milliseconds()
    while true {
      let passed = Self.milliseconds() - start
      let left = timeoutMilliseconds < 0 ? -1 : Int32(clamping: max(0, Int64(timeoutMilliseconds) - passed))
      var entries = [descriptor, other.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // SAFETY: the count is that of the entries passed.
      let ready = unsafe poll(&entries, nfds_t(entries.count), left)
      if ready < 0, errno == EINTR { continue }
      guard ready >= 0 else { throw .closed }
      return (entries[0].revents != 0, entries[1].revents != 0)
    }
  }

  /// Whether the socket became ready, or its peer closed its end, within the time.
  private static func wait(
    _ descriptor: CInt, for events: Int16, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> Bool {
    let start = Self.milliseconds()
    while true {
      let passed = Self.milliseconds() - start
      let left = timeoutMilliseconds < 0 ? -1 : Int32(clamping: max(0, Int64(timeoutMilliseconds) - passed))
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      // SAFETY: one entry is passed, and the count is one.
      let ready = unsafe poll(&entry, 1, left)
      if ready > 0 { return true }
      if ready == 0 { return false }
      guard errno == EINTR else { throw .closed }
    }
  }

  /// The time since the boot in milliseconds.
  ///
  /// It includes suspension, so that closing the lid does not extend a deadline.
  private static func milliseconds() -> Int64 {
    var time = timespec()
    // SAFETY: `time` is a timespec.
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Two connected descriptors with the close-on-exec flag: one for this process to take over, the other for a program that it
  /// will start.
  ///
  /// - Throws: ``PacketSocketError/notConnected(_:)``.
  public static func pair() throws(PacketSocketError) -> (mine: CInt, theirs: CInt) {
    var ends: [CInt] = [-1, -1]
    // SAFETY: room for two descriptors.
    let failed = unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends)
    guard failed == 0 else { throw .notConnected(errno) }
    return (ends[0], ends[1])
  }
}

/// Why a packet could not be sent or received.
public enum PacketSocketError: Error, Equatable, Sendable {
  /// The descriptor is not a packet socket.
  case notASocket
  /// No connection could be made. The payload is the system's error number.
  case notConnected(CInt)
  /// The peer's uid cannot be determined.
  case noPeer
  /// Nothing arrived within the time.
  case timedOut
  /// The other end was closed.
  case closed
  /// The received bytes are not a packet.
  case malformed(PacketError)
}

extension PacketSocketError: CustomStringConvertible {
  /// What failed.
  public var description: String {
    switch self {
    case .notASocket: "not a packet socket: this program is started by pam_uaf.so, systemd or uafctl, not by hand"
    // SAFETY: strerror returns a NUL-terminated text for every number.
    case .notConnected(let number): "cannot connect: \(unsafe String(cString: strerror(number)))"
    case .noPeer: "the peer's user id cannot be determined"
    case .timedOut: "no message within the time"
    case .closed: "the other end has closed the connection"
    case .malformed(let error): "malformed packet: \(error)"
    }
  }
}

/// What the core and the programs that it starts have in common: a packet socket at descriptor 3, and a text for people who
/// start the program by hand.
public enum SocketProgram {
  /// The descriptor at which the starting program leaves the socket.
  public static let socket: CInt = 3

  /// If the program has arguments, somebody started it by hand: prints the version if that was requested, or else the usage.
  ///
  /// - Parameters:
  ///   - name: the program's name.
  ///   - usage: the usage, which ends with a newline.
  /// - Returns: whether the version was requested; nil if there are no arguments.
  public static func answer(
    _ arguments: [String], name: String, version: String, usage: String
  ) -> Bool? {
    guard arguments.count > 1 else { return nil }
    let asksForVersion = arguments.dropFirst() == ["--version"]
    if asksForVersion { say("\(name) \(version)\n", to: STDOUT_FILENO) } else { say(usage) }
    return asksForVersion
  }

  /// Writes a text.
  ///
  /// If it cannot be written, that is ignored.
  public static func say(_ text: String, to descriptor: CInt = STDERR_FILENO) {
    var text = text
    // SAFETY: the bytes are valid for the call.
    text.withUTF8 { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
