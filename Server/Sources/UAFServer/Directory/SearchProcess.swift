import CProcess
import FidoResults
import Glibc
import Invocation
import SecretMemory
import UAFDecoder

/// The process of a search: it has a pipe for its output, one for complaints, one with the password, and nothing else.
///
/// It leads a process group of its own, so that whatever it starts ends with it if it takes too long.
final class SearchProcess {
  /// The descriptor at which the process finds the password.
  static let passwordDescriptor: CInt = 3
  /// LDAPNOINIT: no configuration of libldap is read, neither the machine's nor a user's.
  private static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "LDAPNOINIT=1"]
  /// The longest complaint that is kept, in bytes.
  private static let longestComplaint = 4096
  /// How long a killed process may take to end, in milliseconds; one that the kernel holds longer is left behind.
  private static let patienceWithKilled: CInt = 5_000

  private let program: String
  private let processID: pid_t
  /// A descriptor of the process, which can be read once the process has ended (pidfd_open(2)).
  private let life: CInt
  /// The reading ends; -1 once they are closed.
  private var outputs: CInt
  private var complaints: CInt
  private var complaint: [UInt8] = []
  private var isReaped = false

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: the program's path, and its arguments.
  ///   - password: its bytes with zero bytes at the end; nil if the program needs none.
  ///   - owner: the user who opens the pipe with the password; nil for this process's user.
  /// - Throws: ``ServerError/directory(_:)``.
  init(_ command: [String], password: consuming Secret?, owner: uid_t?) throws(ServerError) {
    program = command[0]
    let output = try Self.pipe(program)
    let error = try Self.pipe(program)
    var secret: CInt = -1
    if let password = consume password { secret = try Self.filled(with: password, owner, program) }
    var inherited = [(output.write, STDOUT_FILENO), (error.write, STDERR_FILENO)]
    if secret >= 0 { inherited.append((secret, Self.passwordDescriptor)) }
    defer { for (descriptor, _) in inherited { close(descriptor) } }
    var started: pid_t = 0
    let failure = Self.spawn(&started, command, inherited)
    let life = failure == 0 ? process_descriptor(started) : -1
    guard life >= 0 else {
      let reason = failure == 0 ? errno : failure
      close(output.read)
      close(error.read)
      if failure == 0 { Self.kill(started) }
      throw .directory(DirectorySearchFailure(.notStarted(program: program, errorNumber: reason)))
    }
    (outputs, complaints, processID, self.life) = (output.read, error.read, started, life)
  }

  deinit {
    stop()
    if outputs >= 0 { close(outputs) }
    if complaints >= 0 { close(complaints) }
    close(life)
  }

  /// The next part of the output; nil at its end.
  ///
  /// - Parameters:
  ///   - end: when to give up, by the clock `now`, in milliseconds.
  /// - Throws: ``ServerError/directory(_:)`` if that takes too long.
  func output(by end: Int64, now: () -> Int64) throws(ServerError) -> [UInt8]? {
    while outputs >= 0 {
      guard try isReady(outputs, by: end, now: now) else { continue }
      let bytes = Self.read(&outputs)
      if !bytes.isEmpty { return bytes }
    }
    return nil
  }

  /// Waits for the end of a process whose output has ended.
  ///
  /// - Parameter end: as for ``output(by:now:)``.
  /// - Throws: ``ServerError/directory(_:)`` if it did not end well, or takes too long.
  func ended(by end: Int64, now: () -> Int64) throws(ServerError) {
    while try !isReady(life, by: end, now: now) {}
    var status: CInt = 0
    // SAFETY: `status` lives for the call, which returns at once: the process has ended.
    while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
    isReaped = true
    // What it has said is in the pipe, whoever else holds the other end.
    while complaints >= 0, Self.wait(for: [complaints], 0)?[0] == true { readComplaint() }
    guard status != 0 else { return }
    // The lower seven bits are the signal that has ended the process, or zero.
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    let said = Text.cleaned(String(decoding: complaint, as: UTF8.self), limit: 512)
    throw .directory(DirectorySearchFailure(code.map(DirectorySearchFailure.Cause.init) ?? .killed, said: said))
  }

  /// Waits until a descriptor can be read, and keeps what the process says meanwhile.
  ///
  /// - Returns: false if it cannot be read yet.
  /// - Throws: ``ServerError/directory(_:)`` if that takes too long; the process and its group are killed then.
  private func isReady(_ descriptor: CInt, by end: Int64, now: () -> Int64) throws(ServerError) -> Bool {
    let left = end - now()
    guard left > 0, let ready = Self.wait(for: [descriptor, complaints], CInt(clamping: left)) else {
      stop()
      throw .directory(DirectorySearchFailure(.tookTooLong))
    }
    if ready[1] { readComplaint() }
    return ready[0]
  }

  private func readComplaint() {
    let bytes = Self.read(&complaints)
    complaint += bytes.prefix(max(0, Self.longestComplaint - complaint.count))
  }

  private func stop() {
    guard !isReaped else { return }
    isReaped = true
    Self.kill(processID, life)
  }

  /// Kills a process and its group, and waits for its end.
  ///
  /// - Parameter life: its descriptor; -1 if it has none.
  private static func kill(_ processID: pid_t, _ life: CInt = -1) {
    // Until it is reaped, the process ID belongs to this child alone, and so does the group's.
    Glibc.kill(-processID, SIGKILL)
    if life >= 0 { _ = wait(for: [life], patienceWithKilled) }
    var status: CInt = 0
    // SAFETY: `status` lives for the call.
    while unsafe waitpid(processID, &status, life >= 0 ? WNOHANG : 0) < 0, errno == EINTR {}
  }

  // MARK: Descriptors

  /// Waits until one of some descriptors can be read; those that are negative never can.
  ///
  /// - Returns: whether each can be read; none after a signal. nil if the wait has failed.
  private static func wait(for descriptors: [CInt], _ milliseconds: CInt) -> [Bool]? {
    // poll ignores descriptors that are negative.
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // SAFETY: `entries` has as many elements as its count says.
    guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) >= 0 else {
      return errno == EINTR ? descriptors.map { _ in false } : nil
    }
    return entries.map { $0.revents != 0 }
  }

  /// Reads what is there, and closes the descriptor at its end or when it cannot be read.
  private static func read(_ descriptor: inout CInt) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      // SAFETY: `bytes` has the room that its count states.
      let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
      if count > 0 { return Array(bytes.prefix(count)) }
      if count < 0, errno == EINTR { continue }
      close(descriptor)
      descriptor = -1
      return []
    }
  }

  /// A pipe whose ends no other program inherits, and which are above the descriptors that the process gets.
  private static func pipe(_ program: String) throws(ServerError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    // SAFETY: `ends` has two elements.
    guard unsafe Glibc.pipe(&ends) == 0 else { throw failure(program) }
    let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 16) }
    for end in ends { close(end) }
    guard moved.allSatisfy({ $0 >= 0 }) else {
      for end in moved where end >= 0 { close(end) }
      throw failure(program)
    }
    return (moved[0], moved[1])
  }

  /// The reading end of a pipe that contains a password.
  private static func filled(
    with password: borrowing Secret, _ owner: uid_t?, _ program: String
  ) throws(ServerError) -> CInt {
    let (reading, writing) = try pipe(program)
    defer { close(writing) }
    // SAFETY: the bytes live for the call. A pipe has room for 4096 bytes at least, and a password file has at most 1024.
    let isWritten = unsafe password.withUnsafeBytes { bytes in
      var count = bytes.count
      while count > 0, unsafe bytes[count - 1] == 0 { count -= 1 }
      return unsafe count > 0 && write(writing, bytes.baseAddress, count) == count
    }
    // ldapsearch opens the pipe by its name, which only its owner may.
    guard isWritten, owner.map({ fchown(reading, $0, $0) }) ?? 0 == 0 else {
      close(reading)
      throw failure(program)
    }
    return reading
  }

  private static func failure(_ program: String) -> ServerError {
    .directory(DirectorySearchFailure(.notStarted(program: program, errorNumber: errno)))
  }

  // MARK: The start

  private static func spawn(
    _ started: inout pid_t, _ command: [String], _ inherited: [(from: CInt, to: CInt)]
  ) -> CInt {
    // SAFETY: initialised before it is used, and destroyed when it is no longer needed; the path is a literal.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var failure = unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (from, to) in inherited where failure == 0 {
      failure = unsafe posix_spawn_file_actions_adddup2(&actions, from, to)
    }
    let first = (inherited.map(\.to).max() ?? STDERR_FILENO) + 1
    if failure == 0 { failure = unsafe posix_spawn_file_actions_addclosefrom_np(&actions, first) }
    // SAFETY: as `actions`. The process group 0 is one with the process's own number.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    if failure == 0 { failure = unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
    if failure == 0 { failure = unsafe posix_spawnattr_setpgroup(&attributes, 0) }
    guard failure == 0 else { return failure }
    // SAFETY: both lists end with NULL, and their texts are freed after the call, which copies them.
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    // Without memory for a copy, the list would end early, and ldapsearch would start without the options after it.
    guard unsafe arguments.dropLast().allSatisfy({ unsafe $0 != nil }),
      unsafe variables.dropLast().allSatisfy({ unsafe $0 != nil })
    else { return ENOMEM }
    return unsafe posix_spawn(&started, command[0], &actions, &attributes, &arguments, &variables)
  }
}

/// Why a directory did not answer a search completely.
struct DirectorySearchFailure: Error, Equatable, CustomStringConvertible {
  enum Cause: Equatable {
    case notStarted(program: String, errorNumber: CInt)
    case tookTooLong
    case killed
    /// The directory cannot be reached, or TLS with it has failed.
    case away
    case busy
    case timeLimit
    case sizeLimit
    case referral
    case noPages
    case withoutTLS
    case noSuchBase
    case credentials
    case forbidden
    /// The settings have a malformed filter (RFC 4515).
    case badFilter(String)
    /// Another result code of LDAP (RFC 4511, section 4.1.9).
    case code(CInt)

    /// - Parameter status: the exit status of ldapsearch: a result code of LDAP; 1 for failures of its own such as StartTLS;
    ///   255 for libldap's -1, without a connection. setpriv has 127 if it cannot start the program.
    init(_ status: CInt) {
      switch status {
      case 1, 255: self = .away
      case 3: self = .timeLimit
      case 4, 11: self = .sizeLimit
      case 10: self = .referral
      case 12: self = .noPages
      case 13: self = .withoutTLS
      case 32: self = .noSuchBase
      case 48, 49: self = .credentials
      case 50: self = .forbidden
      case 51, 52: self = .busy
      case 127: self = .notStarted(program: "/usr/bin/ldapsearch", errorNumber: ENOENT)
      default: self = .code(status)
      }
    }
  }

  /// The exit status of ldapsearch for a filter that it cannot read: libldap's LDAP_FILTER_ERROR, -7.
  static let filterStatus: CInt = 249

  let cause: Cause
  /// What ldapsearch said about it, for people.
  let said: String

  init(_ cause: Cause, said: String = "") {
    self.cause = cause
    self.said = said
  }

  var description: String {
    let text =
      switch cause {
      case .notStarted(let program, ENOENT): "there is no \(program): install the package ldap-utils"
      // SAFETY: strerror's text is copied immediately.
      case .notStarted(let program, let number):
        "\(program) cannot be started: \(unsafe String(cString: strerror(number)))"
      case .tookTooLong: "the directory has not answered completely within 10 minutes"
      case .killed: "the search was killed"
      case .away:
        "the directory cannot be reached, or its certificate does not fit url and authorities, which everybody must be "
          + "able to read"
      case .busy: "the directory is busy or stops: try again"
      case .timeLimit: "the directory's time limit has ended the search"
      case .sizeLimit: "the directory's size limit has ended the search: allow bindDN more entries in pages"
      case .referral: "the directory refers to another one, which is not followed: put its address into url"
      case .noPages: "the directory cannot send its entries in pages (RFC 2696)"
      case .withoutTLS: "the directory demands more protection of the connection"
      case .noSuchBase: "the directory has no such base, or bindDN may not see it"
      case .credentials: "the directory refuses bindDN with the password of passwordFile"
      case .forbidden: "bindDN may not search there"
      case .badFilter(let filter):
        "the settings have a malformed filter (RFC 4515): \(ShownValue.quoted(filter, maximumCount: 256))"
      case .code(let code): "the directory refuses the search with result \(code)"
      }
    return said.isEmpty ? text : "\(text) (\(said))"
  }

  /// The exit status of the program.
  var exit: ExitStatus {
    switch cause {
    case .notStarted, .tookTooLong, .killed, .away, .busy, .timeLimit: .unreachable
    case .badFilter: .usage
    case .sizeLimit, .referral, .noPages, .withoutTLS, .noSuchBase, .credentials, .forbidden, .code: .refused
    }
  }
}
