import CTSS2
import Glibc
import UAFWire

/// The transport over which tpm2-tss sends its commands.
///
/// It uses one descriptor that was opened before the sandbox was entered.
///
/// It follows TSS 2.0 TCTI, version 1. The transports that come with tpm2-tss cannot be used: they open paths and host names by
/// themselves, and are loaded as plug-ins.
@safe final class ChipTransport {
  // SAFETY: allocated in init, freed in deinit, after the library's context that uses it.
  private let context: UnsafeMutablePointer<chip_transport>

  /// How long a chip may take for one command, in milliseconds; even slow chips need far less.
  static let patienceMilliseconds: CInt = 15_000

  /// Takes over `descriptor`.
  init(over descriptor: CInt) {
    // SAFETY: allocated for one value, which is initialised below.
    unsafe context = UnsafeMutablePointer<chip_transport>.allocate(capacity: 1)
    var transport = chip_transport()
    transport.common.magic = 0x7561_662d_6368_6970
    transport.common.version = 1
    // SAFETY: the library calls these with this context and its own buffers.
    unsafe transport.common.transmit = { unsafe ChipTransport.transmit($0, $1, $2) }
    unsafe transport.common.receive = { unsafe ChipTransport.receive($0, $1, $2, $3) }
    transport.descriptor = descriptor
    unsafe context.initialize(to: transport)
  }

  deinit {
    // SAFETY: the library no longer uses it.
    close(unsafe context.pointee.descriptor)
    unsafe context.deinitialize(count: 1)
    unsafe context.deallocate()
  }

  /// The transport in the form that the library expects.
  // SAFETY: the allocation lives as long as this object.
  var handle: OpaquePointer { unsafe OpaquePointer(context) }

  // TSS2_TCTI_RC_BAD_REFERENCE, BAD_SEQUENCE, IO_ERROR, INSUFFICIENT_BUFFER, MALFORMED_RESPONSE of tss2_common.h.
  private static let badReference: TSS2_RC = 0xA_0005
  private static let badSequence: TSS2_RC = 0xA_0007
  private static let ioError: TSS2_RC = 0xA_000A
  private static let smallBuffer: TSS2_RC = 0xA_0006
  private static let malformed: TSS2_RC = 0xA_000F

  /// The length of a response's header in bytes: tag, size, code.
  private static let headerLength = 10

  private static func transmit(_ handle: OpaquePointer?, _ size: Int, _ command: UnsafePointer<UInt8>?) -> TSS2_RC {
    // SAFETY: the library lends the command for the call.
    guard let handle = unsafe handle, let command = unsafe command else { return badReference }
    // SAFETY: the library passes back what ``handle`` gave it, and a command of that many bytes.
    let transport = unsafe UnsafeMutablePointer<chip_transport>(handle)
    guard unsafe transport.pointee.is_pending == 0 else { return badSequence }
    var sent = 0
    while sent < size {
      let count = unsafe write(transport.pointee.descriptor, command + sent, size - sent)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return ioError }
      sent += count
    }
    unsafe transport.pointee.is_pending = 1
    return 0
  }

  private static func receive(
    _ handle: OpaquePointer?, _ size: UnsafeMutablePointer<Int>?, _ response: UnsafeMutablePointer<UInt8>?,
    _ timeout: Int32
  ) -> TSS2_RC {
    // SAFETY: the library lends the buffer for the call.
    guard let handle = unsafe handle, let size = unsafe size else { return badReference }
    // SAFETY: the library passes back what ``handle`` gave it, and a buffer of `size` bytes.
    let transport = unsafe UnsafeMutablePointer<chip_transport>(handle)
    guard unsafe transport.pointee.is_pending != 0 else { return badSequence }
    // Without a buffer, the library only wants the size of the response. It gets the size of the largest possible one.
    guard let response = unsafe response else {
      unsafe size.pointee = 4096
      return 0
    }
    let room = unsafe UnsafeMutableRawBufferPointer(start: response, count: size.pointee)
    unsafe transport.pointee.is_pending = 0
    switch unsafe read(transport.pointee.descriptor, into: room) {
    case .success(let count):
      unsafe size.pointee = count
      return 0
    case .failure(let problem): return problem.code
    }
  }

  private struct Problem: Error { let code: TSS2_RC }

  /// Reads one response: a device delivers it in one piece, a socket may deliver it in parts.
  private static func read(_ descriptor: CInt, into room: UnsafeMutableRawBufferPointer) -> Result<Int, Problem> {
    var (count, length) = (0, headerLength)
    while count < length {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // SAFETY: one entry is passed, and the count is one.
      let ready = unsafe poll(&entry, 1, patienceMilliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return .failure(Problem(code: ioError)) }
      // For a device, the buffer must have room for the whole response in each call, even if only a part is still missing.
      // SAFETY: the buffer is lent with its length by the caller.
      let got = unsafe Glibc.read(descriptor, room.baseAddress?.advanced(by: count), room.count - count)
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return .failure(Problem(code: ioError)) }
      count += got
      guard count >= headerLength else { continue }
      length = (2..<6).reduce(0) { unsafe $0 << 8 | Int(room[$1]) }
      guard length >= headerLength else { return .failure(Problem(code: malformed)) }
      guard length <= room.count else { return .failure(Problem(code: smallBuffer)) }
    }
    return count == length ? .success(count) : .failure(Problem(code: malformed))
  }
}

/// Where the chip is: a character device of the kernel, or the socket of a program that emulates a TPM.
enum ChipPlace {
  /// Opens the device, or connects to the socket.
  ///
  /// - Returns: a descriptor to which the TPM's commands are written, and from which its responses are read, without further
  ///   framing.
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
    // The core's protocol limits the path to a length that fits.
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

  /// The failure that a system error number stands for.
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
