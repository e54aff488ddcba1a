import CProcess
import Glibc

/// uafctl as a process of its own at a terminal, to test signals that the test process itself must not receive.
final class StartedTool {
  private var process: pid_t = -1

  // POSIX_SPAWN_SETSID, which the Swift module of Glibc does not have.
  private static let ownSession: CInt = 0x80

  /// The path of uafctl: the build puts it next to the tests.
  static var path: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: the buffer is as long as announced, and one byte longer than what is written.
    _ = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/uafctl"
  }

  /// Starts uafctl, or a copy of it at `path`; nil if that fails.
  init?(_ arguments: [String], at terminal: Terminal, path: String = StartedTool.path) {
    var files = unsafe posix_spawn_file_actions_t()
    // SAFETY: initialised here and destroyed at the end; the arguments are copies that live for the call.
    unsafe posix_spawn_file_actions_init(&files)
    defer { unsafe posix_spawn_file_actions_destroy(&files) }
    for descriptor in 0..<CInt(3) { unsafe posix_spawn_file_actions_adddup2(&files, terminal.program, descriptor) }
    // The child inherits no descriptor of another test.
    unsafe posix_spawn_file_actions_addclosefrom_np(&files, 3)
    // A session of its own, so that uafctl prompts at this terminal. No signal is blocked, as it is in threads of the tests, or
    // ignored, as it is if the tests run in the background.
    var attributes = posix_spawnattr_t()
    // SAFETY: as the files; the set of signals lives for the call.
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var (none, every) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&none)
    unsafe sigfillset(&every)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &every)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | Self.ownSession))
    // SAFETY: strdup's copies are ours, and freed once.
    var vector: [UnsafeMutablePointer<CChar>?] = unsafe (["uafctl"] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe vector.indices { unsafe free(vector[index]) } }
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("TERM=xterm"), nil]
    defer { unsafe free(environment[0]) }
    // SAFETY: all of them live for the call; both lists end with NULL.
    guard unsafe posix_spawn(&process, path, &files, &attributes, &vector, &environment) == 0 else { return nil }
  }

  func send(_ signal: CInt) { kill(process, signal) }

  /// Waits for the end; returns the signal that ended the process, or nil if none did.
  func signalOfEnd() -> CInt? {
    var status: CInt = 0
    // SAFETY: `status` is what waitpid fills.
    guard unsafe waitpid(process, &status, 0) == process else { return nil }
    process = -1
    let number = status & 0x7F
    return number == 0 ? nil : number
  }

  deinit { if process > 0 { kill(process, SIGKILL) } }
}
