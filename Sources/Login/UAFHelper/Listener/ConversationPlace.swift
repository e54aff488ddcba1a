import Authenticator
import FidoResults
import Glibc
import UAFConfiguration
import UAFWire

/// Limits how many conversations a uid may have at the same time; root has no limit.
///
/// The uid is the peer's, or that of the caller of a host with root privileges: the caller's open prompts of su count for the
/// caller.
final class PeerSeat {
  /// The answer if the limit is reached; nothing was asked and nothing was counted.
  let refusal: Finished?
  private let slot: PeerSlot?

  /// Takes a place for as long as this value lives.
  ///
  /// The machine's own configuration counts, even if the call names a different one with `conf=`, which ``CallPolicy`` reads
  /// later: otherwise each further file would give the same person further places. If the configuration or the state cannot
  /// be used, there is no limit: the conversation then ends by itself after *begin*.
  ///
  /// - Parameters:
  ///   - uid: the uid that takes the place; nil if a host with root privileges does not name its caller.
  ///   - way: how the uid has the conversation.
  ///   - locale: the person's locale, if it is known; otherwise the configuration's language is used.
  init(
    _ uid: UInt32?, by way: PeerSlot.Way = .peer, _ log: any LogSink, locale: String? = nil,
    configurationPath: String = Configuration.defaultPath, owner: UInt32 = 0
  ) {
    guard let uid, uid != 0,
      let configuration = try? Configuration.load(
        path: nil, defaultPath: configurationPath, requiredOwner: owner)
    else {
      (slot, refusal) = (nil, nil)
      return
    }
    do throws(StateError) {
      slot = try PeerSlot.take(in: configuration.state.directory, for: uid, by: way, owner: owner)
    } catch {
      (slot, refusal) = (nil, nil)
      Self.log("no place could be taken: \(error)", uid, to: log)
      return
    }
    guard slot == nil else {
      refusal = nil
      return
    }
    let language = Language.matching(locale, default: configuration.settings(for: nil).general.language)
    let ending = Ending(
      .systemCancel, text: .tooManyConversations, log: "refused: \(way.count) conversations are open")
    refusal = PAMExit.finished(ending, text: PromptText.tooManyConversations.text(in: language))
    Self.log(ending.log, uid, to: log)
  }

  private static func log(_ detail: String, _ uid: UInt32, to log: any LogSink) {
    var line = LogLine(.peer)
    line.add(.peer, String(uid))
    line.add(.detail, detail)
    log.write(line, .warning)
  }
}

/// A descriptor that is sent to another process over a socket of packets (`SCM_RIGHTS` of unix(7)).
enum PassedDescriptor {
  /// The one byte that is sent with it.
  private static let byte: UInt8 = 0
  // CMSG_LEN and CMSG_SPACE of cmsg(3), which are macros.
  private static let offset = aligned(MemoryLayout<cmsghdr>.size)
  private static let length = offset + MemoryLayout<CInt>.size
  private static let space = offset + aligned(MemoryLayout<CInt>.size)

  private static func aligned(_ size: Int) -> Int {
    (size + MemoryLayout<Int>.size - 1) & ~(MemoryLayout<Int>.size - 1)
  }

  /// Sends a copy of `descriptor`, without waiting.
  ///
  /// - Returns: false if nobody can receive it.
  static func send(_ descriptor: CInt, over socket: CInt) -> Bool {
    var header = cmsghdr()
    header.cmsg_len = length
    header.cmsg_level = SOL_SOCKET
    header.cmsg_type = CInt(SCM_RIGHTS)
    var control = [UInt8](repeating: 0, count: space)
    // SAFETY: the control data has room for both, at these offsets.
    unsafe control.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: header, as: cmsghdr.self)
      unsafe $0.storeBytes(of: descriptor, toByteOffset: offset, as: CInt.self)
    }
    return unsafe exchange(&control) { unsafe sendmsg(socket, $0, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) } == 1
  }

  /// Waits for a descriptor; it is closed on exec.
  ///
  /// - Returns: nil if the other end was closed, or sent anything else.
  static func receive(over socket: CInt) -> CInt? {
    var control = [UInt8](repeating: 0, count: space)
    // SAFETY: the message lives for each call. The control data is as long as header and descriptor together, whatever was
    // received.
    var count = unsafe exchange(&control) { unsafe recvmsg(socket, $0, CInt(MSG_CMSG_CLOEXEC)) }
    while count < 0, errno == EINTR {
      count = unsafe exchange(&control) { unsafe recvmsg(socket, $0, CInt(MSG_CMSG_CLOEXEC)) }
    }
    guard count == 1 else { return nil }
    return unsafe control.withUnsafeBytes {
      let header = unsafe $0.loadUnaligned(as: cmsghdr.self)
      guard header.cmsg_len == length, header.cmsg_level == SOL_SOCKET, header.cmsg_type == CInt(SCM_RIGHTS)
      else { return nil }
      return unsafe $0.loadUnaligned(fromByteOffset: offset, as: CInt.self)
    }
  }

  /// Makes the message, with one byte and this control data, for a call.
  private static func exchange(_ control: inout [UInt8], _ call: (UnsafeMutablePointer<msghdr>) -> Int) -> Int {
    var byte = Self.byte
    // SAFETY: vector, message and the data that they point to live until the call returns.
    return unsafe control.withUnsafeMutableBytes { control in
      unsafe withUnsafeMutableBytes(of: &byte) { byte in
        var vector = unsafe iovec(iov_base: byte.baseAddress, iov_len: byte.count)
        return unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var message = unsafe msghdr()
          unsafe message.msg_iov = vector
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = control.count
          return unsafe call(&message)
        }
      }
    }
  }
}
