/// One record for the kernel's audit, in the words of its other programs: `op= acct= exe= hostname= addr= terminal= res=`.
///
/// Pid, uid, login uid and session the kernel adds itself.
struct AuditRecord: Equatable {
  let event: AuditEvent
  /// The account's name.
  let account: [UInt8]
  /// The terminal and the host the person comes from, as far as they are known.
  var terminal: [UInt8]?
  var remoteHost: [UInt8]?

  /// The text, without its end.
  ///
  /// - Parameter program: the path of this program.
  func text(program: String) -> String {
    let host = Self.plain(remoteHost)
    return "op=\(event.operation) acct=\(Self.untrusted(account)) exe=\(Self.untrusted(Array(program.utf8))) "
      + "hostname=\(host) addr=? terminal=\(Self.plain(terminal)) res=success"
  }

  /// The netlink message (netlink(7)), which asks for an answer.
  func message(program: String, sequence: UInt32) -> [UInt8] {
    let payload = Array(text(program: program).utf8) + [0]
    var message = Self.native(UInt32(Self.headerSize + payload.count))
    message += Self.native(event.type) + Self.native(Self.request | Self.wantsAnswer)
    message += Self.native(sequence) + Self.native(UInt32(0))
    return message + payload
  }

  /// Of a message.
  static let headerSize = 16
  private static let request: UInt16 = 1
  private static let wantsAnswer: UInt16 = 4

  /// What somebody else chose: in quotes, or as hexadecimal digits where it could end them.
  private static func untrusted(_ bytes: [UInt8]) -> String {
    let isPlain = bytes.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
    if isPlain { return "\"\(String(decoding: bytes.prefix(limit), as: UTF8.self))\"" }
    return bytes.prefix(limit).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// A name of a host or a terminal; anything else is not known.
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
