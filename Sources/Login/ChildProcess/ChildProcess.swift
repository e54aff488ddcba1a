// Purpose of this target: starting one of our own programs so that it inherits one socket and no other descriptor. Used by
// uafctl for uaf-helper, and by uaf-helper for its helper programs such as uaf-fetch. Imports Glibc and CProcess.

import CProcess
import Glibc

/// A program this process started, which ends when its socket is closed.
public struct ChildProcess {
  private let processID: pid_t

  /// The environment variables of every program that is started here; there are no others.
  public static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]

  /// The descriptor at which the program finds its socket.
  public static let socketDescriptor: CInt = 3

  // POSIX_SPAWN_SETSID of spawn.h, which is only defined with _GNU_SOURCE.
  private static let newSession: CInt = 0x80

  /// Starts `path` with `socket` as descriptor 3, /dev/null as descriptors 0 to 2, and no others.
  ///
  /// It gets a session of its own, default signal handlers, and an empty signal mask.
  ///
  /// - Parameter arguments: the arguments after the program's own path.
  /// - Throws: ``ChildProcessError``.
  public init(starting path: String, _ arguments: [String] = [], socket: CInt) throws(ChildProcessError) {
    // SAFETY: both are initialised before they are used, and destroyed when they are no longer needed.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var failure = unsafe Self.setDescriptors(&actions, socket: socket)
    if failure == 0 { failure = unsafe Self.setSignals(&attributes) }
    var started: pid_t = 0
    if failure == 0 { failure = unsafe Self.spawn(&started, [path] + arguments, &actions, &attributes) }
    guard failure == 0 else { throw ChildProcessError(path: path, number: failure) }
    processID = started
  }

  private static func setDescriptors(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, socket: CInt) -> CInt
  {
    // The socket is moved first, because it may be descriptor 0, 1 or 2 itself. If it is 3 already, the call only clears
    // close-on-exec.
    // SAFETY: the list was initialised by the caller, and lives for the calls.
    var failure = unsafe posix_spawn_file_actions_adddup2(actions, socket, socketDescriptor)
    for descriptor in STDIN_FILENO...STDERR_FILENO where failure == 0 {
      // SAFETY: the path is a literal, and the actions copy it.
      failure = unsafe posix_spawn_file_actions_addopen(actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    return failure == 0 ? unsafe posix_spawn_file_actions_addclosefrom_np(actions, socketDescriptor + 1) : failure
  }

  private static func setSignals(_ attributes: UnsafeMutablePointer<posix_spawnattr_t>) -> CInt {
    var none = sigset_t()
    var every = sigset_t()
    // SAFETY: both sets live for the calls, which copy them.
    unsafe sigemptyset(&none)
    unsafe sigfillset(&every)
    let failures = [
      unsafe posix_spawnattr_setsigmask(attributes, &none), unsafe posix_spawnattr_setsigdefault(attributes, &every),
      unsafe posix_spawnattr_setflags(attributes, Int16(newSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)),
    ]
    return failures.first { $0 != 0 } ?? 0
  }

  private static func spawn(
    _ started: inout pid_t, _ command: [String], _ actions: UnsafePointer<posix_spawn_file_actions_t>,
    _ attributes: UnsafePointer<posix_spawnattr_t>
  ) -> CInt {
    // SAFETY: both lists end with NULL, and their texts are freed after the call, which copies them.
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    // If there was no memory for a copy, its entry is NULL. That would end the list early, so the program would start without
    // the entries after it.
    guard unsafe arguments.dropLast().allSatisfy({ unsafe $0 != nil }),
      unsafe variables.dropLast().allSatisfy({ unsafe $0 != nil })
    else { return ENOMEM }
    return unsafe posix_spawn(&started, command[0], actions, attributes, &arguments, &variables)
  }

  /// Whether the program has ended; this does not wait.
  ///
  /// Once this has returned true, the process ID may belong to a different process, so do not call it again.
  public func hasEnded() -> Bool {
    var status: CInt = 0
    // SAFETY: `status` lives for the call. Until it is reaped, the process ID belongs to this child alone.
    let ended = unsafe waitpid(processID, &status, WNOHANG)
    return ended == processID || (ended < 0 && errno != EINTR)
  }

  /// Waits until the program has ended.
  ///
  /// It should end by itself once its socket is closed. If it does not, it is killed.
  public func reap() {
    var status: CInt = 0
    for _ in 0..<Self.patience {
      // SAFETY: `status` lives for the call. Until it is reaped, the process ID belongs to this child alone.
      let ended = unsafe waitpid(processID, &status, WNOHANG)
      if ended == processID || (ended < 0 && errno != EINTR) { return }
      // Without descriptors to poll, this is just a pause.
      _ = poll(nil, 0, Self.pauseMilliseconds)
    }
    end()
  }

  /// Kills the program, and waits until it has ended.
  public func end() {
    var status: CInt = 0
    // Until it is reaped, the process ID belongs to this child alone.
    kill(processID, SIGKILL)
    // SAFETY: `status` lives for the call.
    while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
  }

  // How many pauses `reap` waits before it kills the program: 200 of 10 ms.
  private static let patience = 200
  private static let pauseMilliseconds: CInt = 10
}

/// Why a program could not be started.
public struct ChildProcessError: Error, Equatable, CustomStringConvertible {
  /// The path of the program.
  public let path: String
  /// The system's error number.
  public let number: CInt

  /// The program's path, and why it could not be started.
  public var description: String {
    // SAFETY: strerror returns a NUL-terminated text for every number.
    "\(path): \(unsafe String(cString: strerror(number)))"
  }
}
