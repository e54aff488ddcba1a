import Glibc
import SecretMemory
import UAFWire

/// The keyring of the session in which this program runs: GNOME's, which takes a password on a socket of its own.
///
/// The conversation is that of pam_gnome_keyring (gnome-keyring, `pam/gkr-pam-client.c` and
/// `daemon/control/gkd-control-codes.h`): one byte, then a request of its length, an operation and the password, each number
/// with four bytes, the high one first. The answer is its length and a result.
struct SessionKeyring {
  /// The folder of the socket; nil if the environment names none.
  var folder: String?
  /// The file of the keyring that a login opens.
  var file: String
  /// The uid of this program's caller, to which the socket, the file and the daemon must belong.
  var userID: uid_t

  /// What came of trying a password.
  enum Trial: Equatable, Sendable {
    /// The daemon accepted it; a locked keyring is open now.
    case opens
    /// The daemon refused it.
    case wrong
    /// Nobody could be asked: there is no such daemon, or no keyring yet.
    case unknown
  }

  /// The keyring that the environment of this process names.
  static func ofThisProcess(userID: uid_t) -> SessionKeyring {
    let home = ProcessSetup.variable("HOME") ?? "/"
    let data = ProcessSetup.variable("XDG_DATA_HOME") ?? home + "/.local/share"
    let runtime = ProcessSetup.variable("XDG_RUNTIME_DIR").map { $0 + "/keyring" }
    return SessionKeyring(
      folder: ProcessSetup.variable("GNOME_KEYRING_CONTROL") ?? runtime, file: data + "/keyrings/login.keyring",
      userID: userID)
  }

  /// How long the daemon may take, in seconds: it derives a key.
  private static let patienceSeconds = 10
  /// `GKD_CONTROL_OP_UNLOCK`.
  private static let unlock: UInt32 = 1
  /// `GKD_CONTROL_RESULT_OK` and `GKD_CONTROL_RESULT_DENIED`.
  private static let (done, denied): (UInt32, UInt32) = (0, 1)

  /// Tries a password.
  ///
  /// Without a file nothing is tried: the daemon would make a keyring with this password.
  func opens(with password: borrowing Secret) -> Trial {
    guard let folder, isOwn(file, S_IFREG), isOwn(folder + "/control", S_IFSOCK),
      let descriptor = connected(to: folder + "/control")
    else { return .unknown }
    defer { close(descriptor) }
    guard isOwnDaemon(descriptor), send(password, to: descriptor), let result = result(from: descriptor) else {
      return .unknown
    }
    return result == Self.done ? .opens : result == Self.denied ? .wrong : .unknown
  }

  private func isOwn(_ path: String, _ kind: mode_t) -> Bool {
    var info = stat()
    // SAFETY: `info` is a stat structure, and the path lives for the call.
    return unsafe lstat(path, &info) == 0 && info.st_mode & S_IFMT == kind && info.st_uid == userID
  }

  private func connected(to path: String) -> CInt? {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
    // SAFETY: both options read a timeval; the path fits with its NUL, and connect reads no further than the structure.
    let isConnected =
      unsafe [SO_RCVTIMEO, SO_SNDTIMEO].allSatisfy { option in
        unsafe setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size)) == 0
      }
      && path.utf8.count < MemoryLayout.size(ofValue: address.sun_path)
      && withUnsafeMutablePointer(to: &address) { pointer in
        unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
    guard isConnected else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Whether the program at the other end runs as the caller, so that nobody else gets the password.
  private func isOwnDaemon(_ descriptor: CInt) -> Bool {
    // struct ucred (process, user, group: 32 bits each), which Swift's Glibc module does not contain.
    var peer: [UInt32] = [0, .max, 0]
    var length = socklen_t(peer.count * MemoryLayout<UInt32>.size)
    // SAFETY: the option writes no more than the announced length.
    let isTold = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0
    return isTold && peer[1] == userID
  }

  private func send(_ password: borrowing Secret, to descriptor: CInt) -> Bool {
    let length = UInt32(clamping: password.count)
    let head = [0] + Self.bytes(12 + length) + Self.bytes(Self.unlock) + Self.bytes(length)
    // MSG_NOSIGNAL: a daemon that ends must not end this program.
    let flags = CInt(MSG_NOSIGNAL)
    // SAFETY: both buffers are as long as announced, and live for the calls.
    guard unsafe Glibc.send(descriptor, head, head.count, flags) == head.count else { return false }
    return unsafe password.withUnsafeBytes { bytes in
      unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) == bytes.count
    }
  }

  private func result(from descriptor: CInt) -> UInt32? {
    var answer = [UInt8](repeating: 0, count: 8)
    // SAFETY: the buffer is as long as announced.
    guard unsafe recv(descriptor, &answer, answer.count, CInt(MSG_WAITALL)) == answer.count else { return nil }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    return number(answer[..<4]) == 8 ? number(answer[4...]) : nil
  }

  private static func bytes(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 0xff) } }
}

/// A person who is asked for the password of the keyring again if it does not open the keyring of the session.
struct KeyringPerson<Other: Person & ~Copyable>: Person, ~Copyable {
  private var other: Other
  private let context: ToolContext

  /// How often a password may be tried.
  private static var rounds: Int { 3 }

  init(_ other: consuming Other, in context: ToolContext) {
    self.other = other
    self.context = context
  }

  var checks: Set<Check> { other.checks }

  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    guard prompt.check == .keyring else { return try other.answer(prompt) }
    for _ in 0..<Self.rounds {
      let entry = try other.answer(prompt)
      guard case .value(let password) = consume entry else { return .cancelled }
      switch context.keyring(password) {
      case .opens: return .value(password)
      case .unknown:
        context.note(ToolText.keyringUnchecked)
        return .value(password)
      case .wrong: context.note(ToolText.keyringPasswordWrong)
      }
    }
    return .cancelled
  }

  mutating func isReady() throws(ToolError) -> Bool { try other.isReady() }

  mutating func hear(_ text: String, isError: Bool) { other.hear(text, isError: isError) }
}
