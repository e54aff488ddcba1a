import CProcess
import Glibc

/// The kernel's audit (AUDIT_USER messages over netlink), opened once before anything is asked.
///
/// One small message needs no library. A kernel or a container without audit is no failure of a login: the caller gets the error
/// number.
final class KernelAudit: AuditSink {
  private let socket: CInt
  private let openingError: CInt
  private let program: String

  /// Opens the socket to the kernel, and gives up its other uses: to change or read the audit.
  ///
  /// - Parameter program: the path of this program, which stands in each record.
  init(program: String) {
    self.program = program
    let type = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let opened = Glibc.socket(AF_NETLINK, type, Self.protocolNumber)
    guard opened >= 0 else {
      (socket, openingError) = (-1, errno)
      return
    }
    guard process_drop_audit_control() == 0 else {
      openingError = errno
      close(opened)
      socket = -1
      return
    }
    (socket, openingError) = (opened, 0)
  }

  deinit { if socket >= 0 { close(socket) } }

  func write(_ records: [AuditRecord]) -> CInt {
    guard socket >= 0 else { return openingError }
    for (index, record) in records.enumerated() {
      let message = record.message(program: program, sequence: UInt32(truncatingIfNeeded: index &+ 1))
      // SAFETY: the array is valid for the call. Without an address it goes to the kernel.
      guard unsafe send(socket, message, message.count, CInt(MSG_DONTWAIT)) == message.count else {
        return errno
      }
      let failure = answer()
      guard failure == 0 else { return failure }
    }
    return 0
  }

  /// The kernel answers before `send` returns.
  ///
  /// A later answer is not waited for.
  private func answer() -> CInt {
    var bytes = [UInt8](repeating: 0, count: 512)
    // SAFETY: the array has room for as many bytes as are asked for.
    let count = unsafe recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT))
    return Self.failure(in: bytes.prefix(max(0, count)))
  }

  /// The error number of an answer (nlmsgerr); 0 for a good one, and for none.
  static func failure(in answer: some Collection<UInt8>) -> CInt {
    let bytes = Array(answer)
    let size = AuditRecord.headerSize
    guard bytes.count >= size + 4, Array(bytes[4..<6]) == AuditRecord.native(answerType) else { return 0 }
    let number = Array(bytes[size..<size + 4])
    return (1...4095).first { AuditRecord.native(-$0) == number } ?? 0
  }

  private static let protocolNumber: CInt = 9
  private static let answerType: UInt16 = 2
}
