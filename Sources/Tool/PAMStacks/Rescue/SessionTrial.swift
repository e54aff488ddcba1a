import CPAM
import Glibc
import HostSystem

/// A person as a session needs to know them.
struct SessionPerson {
  let name: String
  let userID: uid_t
  let group: gid_t
  /// All groups of the person, the primary one as well.
  let groups: [gid_t]
  let home: String
  /// The login shell; empty for the standard shell.
  let shell: String
  /// The variable `PATH`, as login(1) sets it.
  var path = Self.usualPath

  /// The value of `PATH` if login.defs(5) has none.
  static let usualPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
}

/// The shells of people who would be a way in, each started once.
final class TriedSessions {
  private let tester: any StackTester
  private let folder: TrialFolder
  private let lines: [UInt8]
  private let begin = SessionTrial.milliseconds()
  private var flaws: [String: SessionFlaw?] = [:]

  /// - Parameters:
  ///   - folder: gets the lines of `login` that set variables and limits.
  ///   - reader: the services.
  init(by tester: any StackTester, in folder: TrialFolder, _ reader: PAMDirectory) {
    self.tester = tester
    self.folder = folder
    let entries = reader.entries(of: "login", in: "session").filter { !$0.isSubstack && $0.line.isWellFormed }
    let rows = entries.map(\.line).filter { Self.modules.contains($0.moduleName) }.map { line in
      "session optional \(line.module) \(line.arguments.map(Self.quoted).joined(separator: " "))\n"
    }
    lines = Array(rows.joined().utf8)
  }

  private static let modules: Set<String> = ["pam_env.so", "pam_limits.so"]
  // No program uses a service of this name.
  private static let service = "uaf-session-trial"

  /// An argument as a line of PAM has it: brackets keep its spaces.
  private static func quoted(_ argument: String) -> String {
    argument.contains(where: \.isWhitespace) ? "[" + argument.replacing("]", with: "\\]") + "]" : argument
  }

  // Three shells that do not end; whoever waits longer believes that uafctl hangs.
  private static let limit = 60_000

  /// What is wrong with a person's session; nil if nothing is.
  ///
  /// - Parameter tell: called before a shell is started.
  func flaw(
    of name: String, _ shell: String, _ needsSudo: Bool, telling tell: (StackText) -> Void = { _ in }
  ) -> SessionFlaw? {
    if let known = flaws[name] { return known }
    guard SessionTrial.milliseconds() - begin < Self.limit else { return .late }
    tell(.startsShell(name))
    guard lines.isEmpty || (try? folder.put(lines, as: Self.service)) != nil else { return .notTried(EIO) }
    let flaw = tester.session(
      of: name, shell: shell, opening: lines.isEmpty ? nil : Self.service, in: folder.path, needsSudo: needsSudo)
    flaws[name] = flaw
    return flaw
  }
}

/// Starts a person's login shell, as that person and at a terminal of its own, and looks whether it comes to a prompt.
///
/// What a profile does cannot be read from its text. So it runs, with the person's own rights, as after a login: with the
/// variables of login(1), and with the limits and variables of the service's `pam_limits` and `pam_env`. Nothing else of PAM
/// runs, so no log and no list of sessions says that the person has logged in. Everything that the shell started, in the
/// background too, ends with it.
struct SessionTrial {
  let person: SessionPerson
  /// The service whose session lines are opened first, and the folder that has it; nil if there is none.
  var service: (name: String, folder: String)?
  var times = SessionDialogue.Times()

  /// What is wrong with the session; nil if nothing is.
  ///
  /// - Parameters:
  ///   - shell: the shell to start, in place of the person's own; nil for that.
  ///   - needsSudo: whether the shell must be able to run sudo.
  func run(shell: String? = nil, needsSudo: Bool) -> SessionFlaw? {
    let chosen = shell ?? person.shell
    let program = chosen.isEmpty ? _PATH_BSHELL : chosen
    let name = program.split(separator: "/").last.map(String.init) ?? program
    var running = session_running()
    guard begin(program, named: name, &running) == 0 else { return .notTried(errno) }
    // SAFETY: the session was started, and is finished once.
    defer { unsafe session_finish(&running) }
    var numbers = SystemRandomNumberGenerator()
    let mark = "uaf" + String(numbers.next(), radix: 36)
    let dialogue = SessionDialogue(mark: mark, home: person.home, needsSudo: needsSudo, times: times)
    return Self.talk(dialogue, at: running.terminal)
  }

  private func begin(_ program: String, named name: String, _ running: inout session_running) -> CInt {
    let variables = [
      "HOME=\(person.home)", "HUSHLOGIN=FALSE", "LOGNAME=\(person.name)", "MAIL=/var/mail/\(person.name)",
      "PATH=\(person.path)", "SHELL=\(program)", "TERM=linux", "USER=\(person.name)",
    ]
    // SAFETY: both lists end with NULL, and their texts are freed after the call; the new process has copies of them.
    var arguments = unsafe [strdup("-" + name), nil]
    var environment = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
    let texts = unsafe [program, person.home, person.name, service?.name, service?.folder].map { text in
      unsafe text.flatMap { unsafe strdup($0) }
    }
    defer { unsafe texts.forEach { unsafe free($0) } }
    // SAFETY: all texts and lists live for the call; the new process has copies of them.
    return unsafe person.groups.withUnsafeBufferPointer { groups in
      unsafe arguments.withUnsafeMutableBufferPointer { arguments in
        unsafe environment.withUnsafeMutableBufferPointer { environment in
          var start = unsafe session_start(
            program: texts[0], arguments: arguments.baseAddress, environment: environment.baseAddress, home: texts[1],
            name: texts[2], user: person.userID, group: person.group, groups: groups.baseAddress,
            group_count: groups.count, service: texts[3], folder: texts[4])
          return unsafe session_begin(&start, &running)
        }
      }
    }
  }

  private static func talk(_ start: SessionDialogue, at terminal: CInt) -> SessionFlaw? {
    var dialogue = start
    let begin = milliseconds()
    var received: [UInt8] = []
    var isEnded = false
    while true {
      switch dialogue.next(at: milliseconds() - begin, received: received, isEnded: isEnded) {
      case .end(let flaw): return flaw
      case .type(let line):
        received = []
        // A terminal that takes nothing more is that of a shell that reads nothing: the time limit ends it.
        let bytes = Array(line.utf8)
        // SAFETY: the bytes live for the call.
        _ = unsafe write(terminal, bytes, bytes.count)
      case .wait(let time):
        (received, isEnded) = read(from: terminal, within: time)
      }
    }
  }

  private static func read(from terminal: CInt, within time: Int) -> (bytes: [UInt8], isEnded: Bool) {
    var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry, which lives for the call.
    guard unsafe poll(&state, 1, CInt(time)) > 0 else { return ([], false) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    // SAFETY: the buffer has that much room.
    let count = unsafe Glibc.read(terminal, &buffer, buffer.count)
    if count < 0, errno == EINTR { return ([], false) }
    // A terminal that nobody has open any more answers EIO.
    return count > 0 ? (Array(buffer.prefix(count)), false) : ([], true)
  }

  fileprivate static func milliseconds() -> Int {
    var now = timespec()
    // SAFETY: the call fills exactly one timespec.
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
  }
}
