import CProcess
import Foundation
import Glibc
import Synchronization

/// A program that a test started, and how it ended.
///
/// Tests do not use Foundation's `Process`. Up to Swift 6.3 its `run` copies 256 bytes of each entry of /proc/self/fd, however
/// short the entry is (swift-corelibs-foundation, issue 5472). The tests have a thousand descriptors open: now and then an
/// entry is at the end of a mapping, and the copy ends all tests.
public final class StartedProgram: Sendable {
  /// Its number.
  public let identifier: pid_t
  // The result of waitpid, once the program has ended.
  private let status = Mutex<CInt?>(nil)
  private let hasEnded = DispatchGroup()

  /// Starts a program with default signals, an empty mask, and no descriptor except its three streams.
  ///
  /// - Parameters:
  ///   - command: the path of the program, and its arguments.
  ///   - environment: all of its variables; nil for the tests' variables.
  /// - Throws: `POSIXError` if it cannot be started.
  public init(
    _ command: [String], environment: [String: String]? = nil, input: ProgramStream = .shared,
    output: ProgramStream = .shared, errors: ProgramStream = .shared
  ) throws {
    let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
    let streams = [input.descriptor(reads: true), output.descriptor(reads: false), errors.descriptor(reads: false)]
    identifier = try Self.spawn(command, variables, streams)
    // Only the program has these ends now, so that the test sees their closing.
    input.closeFarEnd(reads: true)
    output.closeFarEnd(reads: false)
    errors.closeFarEnd(reads: false)
    hasEnded.enter()
    // Whether somebody waits or not: tests that expect this process's copy to end wait for any child, and see no other child as
    // long as there is one that nobody has reaped.
    Thread.detachNewThread { [self] in reap() }
  }

  private static func spawn(_ command: [String], _ variables: [String], _ streams: [CInt?]) throws -> pid_t {
    // SAFETY: both are initialised before they are used, and destroyed when the call has copied them.
    var files = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&files)
    defer { unsafe posix_spawn_file_actions_destroy(&files) }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    for (number, stream) in streams.enumerated() {
      guard let stream else { continue }
      unsafe posix_spawn_file_actions_adddup2(&files, stream, CInt(number))
    }
    unsafe posix_spawn_file_actions_addclosefrom_np(&files, 3)
    var (none, every) = (sigset_t(), sigset_t())
    // SAFETY: both sets live for the calls, which copy them.
    unsafe sigemptyset(&none)
    unsafe sigfillset(&every)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &every)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // SAFETY: strdup's copies are ours, and freed once; both lists end with NULL.
    var words: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
    var names: [UnsafeMutablePointer<CChar>?] = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + names).forEach { unsafe free($0) } }
    var started: pid_t = 0
    let failure = unsafe posix_spawn(&started, command[0], &files, &attributes, &words, &names)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
    return started
  }

  /// Whether it is still running.
  public var isRunning: Bool { status.withLock { $0 == nil } }

  /// Waits for its end: its exit status, or the negative number of the signal that ended it.
  @discardableResult
  public func wait() -> CInt {
    hasEnded.wait()
    let status = status.withLock { $0 ?? 0 }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
  }

  /// Ends it immediately.
  public func kill() {
    status.withLock { status in
      // Until it is reaped the process id belongs only to this program.
      if status == nil { _ = Glibc.kill(identifier, SIGKILL) }
    }
  }

  /// Waits for the end, and reaps the program while nobody sends a signal.
  private func reap() {
    var information = unsafe siginfo_t()
    // SAFETY: both live for the calls.
    while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    status.withLock { status in
      var ended: CInt = 0
      unsafe waitpid(identifier, &ended, 0)
      status = ended
    }
    hasEnded.leave()
  }
}
