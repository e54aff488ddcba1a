import CProcess
import ChildProcess
import Glibc
import HostSystem
import Wording

/// A program of the libexec folder: it must exist, and only root may change it.
struct ProgramCheck {
  let name: String
  let path: String
  let owner: uid_t
  /// What a program prints with `--version`; nil if it prints nothing.
  let version: (String) -> String?

  /// A larger file is a wrong build: the release build is static and stripped.
  private static let largest = 20_000_000

  func findings() -> [Finding] {
    let state: FileState
    switch FileState.of(path) {
    case .failure(let error):
      return [
        .failure(
          .programMissing, ProgramText.missing(name: name, path: path, SystemReason(error.number)))
      ]
    case .success(let found): state = found
    }
    guard state.kind == S_IFREG, state.mode & 0o111 != 0, state.size > 0 else {
      return [.failure(.programMissing, ProgramText.noProgram(name: name, path: path))]
    }
    guard state.owner == owner else {
      return [.failure(.programOpen, ProgramText.owner(name: name, path: path, uid: state.owner))]
    }
    guard state.mode & 0o022 == 0, state.mode & 0o6000 == 0 else {
      return [.failure(.programOpen, ProgramText.mode(name: name, path: path, mode: state.octal))]
    }
    if let objection = folderObjection() { return [objection] }
    guard state.size <= Self.largest else {
      return [
        .warning(.programSize, ProgramText.tooLarge(name: name, path: path, bytes: state.size))
      ]
    }
    let announced = version(path)
    guard announced == "uaf-\(name) \(ToolVersion.number)\n" else {
      return [
        .failure(
          .programVersion,
          ProgramText.version(name: name, path: path, said: announced ?? "", expected: ToolVersion.number))
      ]
    }
    return [.ok(ProgramText.fine(name: name, path: path, bytes: state.size))]
  }

  /// Anybody who can write to the folder can put a different program there.
  private func folderObjection() -> Finding? {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    guard case .success(let state) = FileState.of(folder) else { return nil }
    if state.owner != owner {
      return .failure(.programOpen, ProgramText.owner(name: name, path: folder, uid: state.owner))
    }
    if state.mode & 0o022 != 0 {
      return .failure(.programOpen, ProgramText.mode(name: name, path: folder, mode: state.octal))
    }
    return nil
  }
}

/// What a program prints.
///
/// It is started without a shell and without our environment, and has a time limit.
enum ProgramOutput {
  // The output of `sshd -T` is a tenth of this.
  private static let largest = 65_536
  private static let patienceMilliseconds: CInt = 5000

  /// Its standard output, if it ends with status 0 within 5 s of its last output; nil otherwise.
  static func text(of path: String, _ arguments: [String]) -> String? {
    guard let (status, output) = run(path, arguments, reading: STDOUT_FILENO), status == 0 else { return nil }
    return output
  }

  /// Its standard error, if it ends with any other status within 5 s of its last line, and the output is not empty; nil
  /// otherwise.
  static func errors(of path: String, _ arguments: [String]) -> String? {
    guard let (status, output) = run(path, arguments, reading: STDERR_FILENO), status != 0, let output,
      !output.isEmpty
    else { return nil }
    return output
  }

  /// Its status, and what it writes to one of its descriptors; nil if it cannot be started.
  private static func run(
    _ path: String, _ arguments: [String], reading descriptor: CInt
  ) -> (status: CInt, output: String?)? {
    var ends: [CInt] = [-1, -1]
    // SAFETY: pipe fills two numbers. This program has one thread, and what it starts gets none of its descriptors.
    guard unsafe pipe(&ends) == 0 else { return nil }
    let started = start(path, arguments, descriptor, to: ends[1])
    close(ends[1])
    defer { close(ends[0]) }
    guard let started else { return nil }
    let output = read(ends[0])
    if output == nil { kill(started, SIGKILL) }
    var status: CInt = 0
    // SAFETY: `status` lives for the call; the number belongs to this child until it is reaped.
    while unsafe waitpid(started, &status, 0) < 0 { guard errno == EINTR else { return nil } }
    return (status, output)
  }

  private static func start(
    _ path: String, _ arguments: [String], _ descriptor: CInt, to end: CInt
  ) -> pid_t? {
    // SAFETY: initialised before use and destroyed at the end; the lists end with NULL, and their texts are freed after the
    // call, which copies them.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, end, descriptor)
    let other = descriptor == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO
    unsafe posix_spawn_file_actions_addopen(&actions, other, "/dev/null", O_WRONLY, 0)
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

/// Doctor's texts about a program of the libexec folder.
enum ProgramText: FindingCatalogue {
  case missing(name: String, path: String, SystemReason)
  case noProgram(name: String, path: String)
  case owner(name: String, path: String, uid: UInt32)
  case mode(name: String, path: String, mode: String)
  case tooLarge(name: String, path: String, bytes: Int)
  case version(name: String, path: String, said: String, expected: String)
  case fine(name: String, path: String, bytes: Int)

  var english: FindingText {
    switch self {
    case .missing(let name, let path, let reason):
      FindingText("\(name): \(path): \(reason.english)", do: "reinstall the libpam-uaf package")
    case .noProgram(let name, let path):
      FindingText("\(name): \(path) is not a program", do: "reinstall the libpam-uaf package")
    case .owner(let name, let path, let uid):
      FindingText("\(name): \(path) belongs to uid \(uid)", do: "chown root:root \(path)")
    case .mode(let name, let path, let mode): FindingText("\(name): \(path) has mode \(mode)", do: "chmod 755 \(path)")
    case .tooLarge(let name, let path, let bytes):
      FindingText(
        "\(name): \(path) has \(Self.size(bytes, "bytes"))",
        do: "install a release build: static, stripped, at most 20 MB")
    case .version(let name, let path, let said, let expected):
      FindingText(
        "\(name): \(path) says it is '\(said)', not version \(expected)",
        do: "reinstall the libpam-uaf package: its programs belong together")
    case .fine(let name, let path, let bytes): FindingText("\(name): \(path), \(Self.size(bytes, "bytes"))")
    }
  }

  var korean: FindingText {
    switch self {
    case .missing(let name, let path, let reason):
      FindingText("\(name): \(path): \(reason.korean)", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .noProgram(let name, let path):
      FindingText("\(name): \(path): 프로그램이 아닙니다", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .owner(let name, let path, let uid):
      FindingText("\(name): \(path): 소유자가 uid \(uid)입니다", do: "chown root:root \(path)")
    case .mode(let name, let path, let mode): FindingText("\(name): \(path): 모드가 \(mode)입니다", do: "chmod 755 \(path)")
    case .tooLarge(let name, let path, let bytes):
      FindingText(
        "\(name): \(path): 크기가 \(Self.size(bytes, "바이트"))입니다",
        do: "릴리스 빌드를 설치하십시오. 정적 링크, strip 상태이며 20 MB 이하입니다")
    case .version(let name, let path, let said, let expected):
      FindingText(
        "\(name): \(path): 버전 \(expected)이(가) 아니라 '\(said)'(이)라고 합니다",
        do: "libpam-uaf 패키지를 다시 설치하십시오. 프로그램들은 같은 버전이어야 합니다")
    case .fine(let name, let path, let bytes): FindingText("\(name): \(path), \(Self.size(bytes, "바이트"))")
    }
  }

  private static func size(_ count: Int, _ bytes: String) -> String {
    count < 1_000_000 ? "\(count) \(bytes)" : "\(count / 1_000_000).\(count / 100_000 % 10) MB"
  }
}
