import CProcess
import ChildProcess
import Glibc

/// What a program prints.
///
/// It is started without a shell and without our environment, and gets a limited time.
enum ProgramOutput {
  // The output of `sshd -T` is a tenth of this.
  private static let largest = 65_536
  private static let patienceMilliseconds: CInt = 5000

  /// Its standard output, if it ends with status 0 within 5 s of its last output; nil otherwise.
  static func text(of path: String, _ arguments: [String]) -> String? {
    var ends: [CInt] = [-1, -1]
    // SAFETY: pipe fills two numbers. This program has one thread, and what it starts gets none of its descriptors.
    guard unsafe pipe(&ends) == 0 else { return nil }
    let started = start(path, arguments, output: ends[1])
    close(ends[1])
    defer { close(ends[0]) }
    guard let started else { return nil }
    let output = read(ends[0])
    if output == nil { kill(started, SIGKILL) }
    var status: CInt = 0
    // SAFETY: `status` lives for the call; the number belongs to this child until it is reaped.
    while unsafe waitpid(started, &status, 0) < 0 { guard errno == EINTR else { return nil } }
    return status == 0 ? output : nil
  }

  private static func start(_ path: String, _ arguments: [String], output: CInt) -> pid_t? {
    // SAFETY: initialised before use and destroyed at the end; the lists end with NULL, and their texts are freed after the
    // call, which copies them.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe ChildProcess.environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var started: pid_t = 0
    guard unsafe posix_spawn(&started, path, &actions, nil, &words, &variables) == 0 else { return nil }
    return started
  }

  private static func read(_ descriptor: CInt) -> String? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= largest {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // SAFETY: one entry; the buffer is as long as announced.
      let ready = unsafe poll(&wait, 1, patienceMilliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = unsafe Glibc.read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
      bytes += part[..<count]
    }
    return nil
  }
}
