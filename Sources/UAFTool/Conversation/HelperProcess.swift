import Glibc

/// A program of the libexec folder that this program started, and takes away again.
struct HelperProcess {
  private let processID: pid_t

  /// The environment, which is all of it (security.md, "What a module inherits": A19).
  static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]

  // The conversation's place, as the module has it.
  private static let socketDescriptor: CInt = 3

  /// Starts `path` with `socket` as descriptor 3, nothing above it, and /dev/null as 0 to 2.
  ///
  /// It gets a session of its own, default signals and an empty mask.
  ///
  /// - Throws: ``ToolError/coreNotStarted(path:_:)``.
  init(starting path: String, socket: CInt) throws(ToolError) {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    // SAFETY: both are initialised before they are used, and destroyed when they are not needed any more.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var failure = unsafe Self.setDescriptors(&actions, socket: socket)
    if failure == 0 { failure = unsafe Self.setSignals(&attributes) }
    var started: pid_t = 0
    if failure == 0 { failure = unsafe Self.spawn(&started, path, &actions, &attributes) }
    guard failure == 0 else { throw .coreNotStarted(path: path, failure) }
    processID = started
  }

  private static func setDescriptors(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, socket: CInt) -> CInt
  {
    // The socket goes first: it may be one of 0 to 2 itself. With equal numbers the call takes close-on-exec away.
    var failure = unsafe posix_spawn_file_actions_adddup2(actions, socket, socketDescriptor)
    for descriptor in STDIN_FILENO...STDERR_FILENO where failure == 0 {
      // SAFETY: the path is a literal, and the actions copy it.
      failure = unsafe posix_spawn_file_actions_addopen(actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    return failure == 0 ? unsafe closeRest(actions) : failure
  }

  /// Adds posix_spawn_file_actions_addclosefrom_np, which the system has (glibc 2.34) and Glibc's module leaves out.
  private static func closeRest(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>) -> CInt {
    typealias AddCloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
    // SAFETY: nil is RTLD_DEFAULT; the type is that of the declaration in spawn.h.
    guard let symbol = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return ENOSYS }
    return unsafe unsafeBitCast(symbol, to: AddCloseFrom.self)(actions, socketDescriptor + 1)
  }

  private static func setSignals(_ attributes: UnsafeMutablePointer<posix_spawnattr_t>) -> CInt {
    // POSIX_SPAWN_SETSID of spawn.h, which Glibc's module leaves out.
    let newSession: CInt = 0x80
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
    _ started: inout pid_t, _ path: String, _ actions: UnsafePointer<posix_spawn_file_actions_t>,
    _ attributes: UnsafePointer<posix_spawnattr_t>
  ) -> CInt {
    // SAFETY: both lists end with NULL, and their texts are freed after the call, which copies them.
    var arguments = unsafe [strdup(path), nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    return unsafe posix_spawn(&started, path, actions, attributes, &arguments, &variables)
  }

  /// Waits for its end, which it owes once its socket is closed; one that does not keep to that is killed.
  func reap() {
    var status: CInt = 0
    for _ in 0..<Self.patience {
      // SAFETY: `status` lives for the call. Until it is reaped the number belongs to this child alone.
      let ended = unsafe waitpid(processID, &status, WNOHANG)
      if ended == processID || (ended < 0 && errno != EINTR) { return }
      // Without entries it is a pause.
      _ = poll(nil, 0, Self.pauseMilliseconds)
    }
    kill(processID, SIGKILL)
    while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
  }

  // 200 pauses of 10 ms.
  private static let patience = 200
  private static let pauseMilliseconds: CInt = 10
}
