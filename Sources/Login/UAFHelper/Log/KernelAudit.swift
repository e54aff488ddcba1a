import CProcess
import Glibc

/// The kernel's audit (AUDIT_USER messages over netlink), opened once before the first prompt.
///
/// The message is small, so no library is used. If the kernel or container has no audit, logins still work; the caller gets the
/// error number.
final class KernelAudit: AuditSink {
  private let socket: CInt
  private let openingError: CInt
  private let program: String

  /// Opens the socket to the kernel, and gives up the other uses of such a socket: to configure or read the audit.
  ///
  /// - Parameter program: the path of this program, which each record contains.
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
      // SAFETY: the array is valid for the call. Without an address, the message goes to the kernel.
      guard unsafe send(socket, message, message.count, CInt(MSG_DONTWAIT)) == message.count else {
        return errno
      }
      let failure = answer()
      guard failure == 0 else { return failure }
    }
    return 0
  }

  /// The error number in the kernel's answer.
  ///
  /// The kernel has answered by the time that `send` returns.
  ///
  /// This does not wait for a later answer.
  private func answer() -> CInt {
    var bytes = [UInt8](repeating: 0, count: 512)
    // SAFETY: the array has room for the number of bytes asked for.
    let count = unsafe recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT))
    return Self.failure(in: bytes.prefix(max(0, count)))
  }

  /// The error number of an answer (nlmsgerr); 0 for success, and for no answer.
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

/// The destination of the records for the kernel's audit.
protocol AuditSink {
  /// Writes as many of the records as possible.
  ///
  /// - Returns: 0, or the error number of the first record that could not be written.
  func write(_ records: [AuditRecord]) -> CInt
}

/// One record for the kernel's audit, with the same field names as the records of other programs: `op= acct= exe= hostname=
/// addr= terminal= res=`.
///
/// The kernel itself adds pid, uid, login uid and session.
struct AuditRecord: Equatable {
  let event: AuditEvent
  /// The account's name.
  let account: [UInt8]
  /// The terminal and the host that the person comes from, as far as they are known.
  var terminal: [UInt8]?
  var remoteHost: [UInt8]?

  /// The record's text, without the final NUL.
  ///
  /// - Parameter program: the path of this program.
  func text(program: String) -> String {
    let host = Self.plain(remoteHost)
    return "op=\(event.operation) acct=\(Self.untrusted(account)) exe=\(Self.untrusted(Array(program.utf8))) "
      + "hostname=\(host) addr=? terminal=\(Self.plain(terminal)) res=success"
  }

  /// The netlink message (netlink(7)) with this record; it requests an acknowledgement.
  func message(program: String, sequence: UInt32) -> [UInt8] {
    let payload = Array(text(program: program).utf8) + [0]
    var message = Self.native(UInt32(Self.headerSize + payload.count))
    message += Self.native(event.type) + Self.native(Self.request | Self.wantsAnswer)
    message += Self.native(sequence) + Self.native(UInt32(0))
    return message + payload
  }

  /// The size of a message's header.
  static let headerSize = 16
  private static let request: UInt16 = 1
  private static let wantsAnswer: UInt16 = 4

  /// The form of a value that somebody else chose: in quotes, or in hexadecimal digits if it could end the quotes.
  private static func untrusted(_ bytes: [UInt8]) -> String {
    let isPlain = bytes.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
    if isPlain { return "\"\(String(decoding: bytes.prefix(limit), as: UTF8.self))\"" }
    return bytes.prefix(limit).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// A name of a host or a terminal; anything else becomes `?`.
  private static func plain(_ bytes: [UInt8]?) -> String {
    guard let bytes, (1...limit).contains(bytes.count) else { return "?" }
    let isPlain = bytes.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || Array("./:-_%".utf8).contains(byte)
    }
    return isPlain ? String(decoding: bytes, as: UTF8.self) : "?"
  }

  private static let limit = 256

  /// The bytes of a number in this machine's order.
  static func native(_ number: some FixedWidthInteger) -> [UInt8] {
    let shifts = stride(from: 0, to: number.bitWidth, by: 8).map { $0 }
    return (isLittleEndian ? shifts : shifts.reversed()).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static let isLittleEndian = UInt32(1).littleEndian == 1
}

/// The events that are written to the kernel's audit, with their record types from libaudit.h and their `op=`.
enum AuditEvent: CaseIterable {
  /// AUDIT_ANOM_LOGIN_FAILURES: the limit of wrong entries is reached.
  case tooManyFailures
  /// AUDIT_RESP_ACCT_LOCK_TIMED: locked for a while.
  case lockedForAWhile
  /// AUDIT_RESP_ACCT_LOCK: locked until somebody ends the lock.
  case locked
  /// AUDIT_RESP_ACCT_REMOTE: locked for attempts over the network.
  case lockedFromAfar
  /// AUDIT_RESP_ACCT_LOCK_TIMED: locked for a while, but only for other local users.
  case lockedForOthers
  /// AUDIT_RESP_ACCT_UNLOCK_TIMED: a lock has ended because its time was over.
  case unlockedByTime
  /// AUDIT_ACCT_UNLOCK: root has ended the locks.
  case unlockedByRoot
  /// AUDIT_ACCT_UNLOCK: an unlock from the server's helpdesk was used.
  case unlockedByHelpdesk
  /// AUDIT_ACCT_UNLOCK: a lock was removed together with the authenticator that it protected.
  case unlockedByRemoval
  /// AUDIT_USER_MGMT: root has let a different name of the account use its registration.
  case renamed

  /// The number of the record's type.
  var type: UInt16 {
    switch self {
    case .tooManyFailures: 2100
    case .lockedForAWhile, .lockedForOthers: 2205
    case .locked: 2207
    case .lockedFromAfar: 2204
    case .unlockedByTime: 2206
    case .unlockedByRoot, .unlockedByHelpdesk, .unlockedByRemoval: 1136
    case .renamed: 1102
    }
  }

  /// The name of the operation in `op=`.
  var operation: String {
    switch self {
    case .tooManyFailures: "pam_uaf:failures"
    case .lockedForAWhile: "pam_uaf:lock-timed"
    case .locked: "pam_uaf:lock"
    case .lockedFromAfar: "pam_uaf:lock-remote"
    case .lockedForOthers: "pam_uaf:lock-other-user"
    case .unlockedByTime: "pam_uaf:unlock-timed"
    case .unlockedByRoot: "pam_uaf:unlock"
    case .unlockedByHelpdesk: "pam_uaf:unlock-helpdesk"
    case .unlockedByRemoval: "pam_uaf:unlock-removed"
    case .renamed: "pam_uaf:rename"
    }
  }
}
