import Glibc
import HostSystem
import Wording

/// Whether an account's shell allows a session.
package enum LoginShell: Equatable, Catalogued {
  case usable
  /// A program that ends the session immediately.
  case refuses(String)
  /// There is no program with that name.
  case missing(String)
  /// A program that the person has no right to run.
  case closed(String)
  /// A file that is no program of this machine, or only a part of one.
  case damaged(String)
  /// A program whose interpreter or library does not exist, or that the person has no right to use.
  case needs(String, interpreter: String)
  /// A program that shells(5) does not list.
  case unlisted(String)
  /// A script, which may end immediately.
  case script(String)
  /// A program that shells(5) lists, but whose name is not that of a shell.
  case unknown(String)

  private static let refusing: Set<String> = ["false", "halt", "nologin", "shutdown", "sync", "true"]

  /// Names of programs that are shells, restricted ones as well: sudo can be started in all of them.
  static let names: Set<String> = [
    "ash", "bash", "bash-static", "bsd-csh", "csh", "dash", "elvish", "es", "fish", "ksh", "ksh2020",
    "ksh93",
    "lksh", "mksh", "mksh-static", "nu", "oksh", "osh", "posh", "pwsh", "rbash", "rc", "rksh", "rksh93", "rzsh", "sash",
    "sh", "tcsh", "xonsh", "yash", "zsh", "zsh-static", "zsh5", "zsh5-static",
  ]

  /// Programs that act according to the name by which they are started, each with the names by which it is a shell.
  ///
  /// By any other name, its own included, it ends immediately.
  static let manyNamed: [String: Set<String>] = ["busybox": ["ash", "sh"], "toybox": []]

  /// - Parameters:
  ///   - path: the shell in the account's entry; without one, login(1) uses the standard shell.
  ///   - userID: the person's uid; nil to leave the person's rights to the program unchecked.
  ///   - isMember: whether the person is in the group with a gid.
  ///   - isListed: whether shells(5) lists a path. An unlisted one may be any program, even one that ends immediately. Nil if
  ///     the program need not be a shell.
  package init(
    path: String, of userID: uid_t? = nil, isMember: (gid_t) -> Bool = { _ in false },
    isListed: ((String) -> Bool)? = nil
  ) {
    let path = path.isEmpty ? _PATH_BSHELL : path
    guard let program = ResolvedPath.of(path) else {
      self = Self.isRefusing(path) ? .refuses(path) : .missing(path)
      return
    }
    guard !Self.isRefusing(path), !Self.isRefusing(program) else {
      self = .refuses(path)
      return
    }
    guard Self.isProgram(program) else {
      self = .missing(path)
      return
    }
    guard Self.isOpen(program, to: userID, isMember: isMember) else {
      self = .closed(path)
      return
    }
    let start = ScriptStart(of: program)
    guard start.isScript || ELFFile.isStartable(program) else {
      self = .damaged(path)
      return
    }
    func isReadable(_ file: String) -> Bool { Self.isOpen(file, to: userID, isLibrary: true, isMember: isMember) }
    var (next, seen, last) = (Self.interpreter(of: program), 1, program)
    while let interpreter = next {
      guard seen < Self.deepest, let program = ResolvedPath.of(interpreter), Self.isProgram(program),
        Self.isOpen(program, to: userID, isMember: isMember),
        ScriptStart(of: program).isScript || ELFFile.isStartable(program)
      else {
        self = .needs(path, interpreter: interpreter)
        return
      }
      if let library = SharedLibraries.missing(for: last, isOpen: isReadable) {
        self = .needs(path, interpreter: library)
        return
      }
      next = Self.interpreter(of: program)
      seen += 1
      last = program
    }
    if start.isScript {
      self = isListed.map { Self.contains($0, path, program) } ?? true ? .script(path) : .unlisted(path)
    } else if let isListed {
      // The name of a link is not that of the program.
      let (name, own) = (Self.name(of: path), Self.name(of: program))
      let isKnown = Self.manyNamed[own]?.contains(name) ?? [name, own].allSatisfy(Self.names.contains)
      self = !Self.contains(isListed, path, program) ? .unlisted(path) : isKnown ? .usable : .unknown(path)
    } else {
      self = .usable
    }
  }

  /// Whether a list has a program, however its path is written there.
  private static func contains(_ isListed: (String) -> Bool, _ path: String, _ program: String) -> Bool {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return [path, parts.map { "/" + $0 }.joined(), program].contains(where: isListed)
  }

  private static func interpreter(of program: String) -> String? {
    ScriptStart(of: program).interpreter ?? ELFFile(program)?.interpreter
  }

  // The kernel follows a few interpreters of interpreters.
  private static let deepest = 6

  private static func isProgram(_ path: String) -> Bool {
    guard let state = FileState.following(path) else { return false }
    return state.kind == S_IFREG && state.mode & 0o111 != 0
  }

  /// Whether a person's rights to a file, and to the folders on the way to it, are enough to run it or to load it as a library.
  private static func isOpen(
    _ program: String, to userID: uid_t?, isLibrary: Bool = false, isMember: (gid_t) -> Bool
  ) -> Bool {
    if MountOptions(of: program)?.contains(.noExecution) ?? false { return false }
    guard let userID, userID != 0 else { return true }
    let steps = ResolvedPath.steps(to: program)
    return steps.allSatisfy { place in
      guard let state = FileState.following(place) else { return false }
      return isLibrary && place == steps.last
        ? state.isReadable(by: userID, isMember: isMember) : state.isExecutable(by: userID, isMember: isMember)
    }
  }

  /// Whether a program ends immediately, by its name.
  static func isRefusing(_ path: String) -> Bool { refusing.contains(name(of: path)) }

  private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The text in English.
  package var english: String {
    switch self {
    case .usable: "has a shell"
    case .refuses(let path): "has \(ShownText.line(path)) for a shell, which ends every session"
    case .missing(let path): "has \(ShownText.line(path)) for a shell, which is not there"
    case .closed(let path): "has \(ShownText.line(path)) for a shell, which they have no right to run"
    case .damaged(let path):
      "has \(ShownText.line(path)) for a shell, which is no program of this machine, or only a part of one"
    case .needs(let path, let interpreter):
      "has \(ShownText.line(path)) for a shell, which needs \(ShownText.line(interpreter)): that is not there, or they have no right to run it"
    case .unlisted(let path): "has \(ShownText.line(path)) for a shell, which /etc/shells does not list"
    case .script(let path):
      "has \(ShownText.line(path)) for a shell, a script, which may end instead of giving a session"
    case .unknown(let path):
      "has \(ShownText.line(path)) for a shell, but uafctl does not know it as one"
    }
  }

  /// The text in Korean.
  package var korean: String {
    switch self {
    case .usable: "셸을 쓸 수 있습니다"
    case .refuses(let path): "셸이 세션을 바로 끝내는 \(ShownText.line(path))입니다"
    case .missing(let path): "셸 \(ShownText.line(path))이(가) 없습니다"
    case .closed(let path): "셸 \(ShownText.line(path))을(를) 실행할 권한이 없습니다"
    case .damaged(let path): "셸 \(ShownText.line(path))이(가) 이 컴퓨터의 프로그램이 아니거나 일부만 남아 있습니다"
    case .needs(let path, let interpreter):
      "셸 \(ShownText.line(path))에 필요한 \(ShownText.line(interpreter))이(가) 없거나 실행할 권한이 없습니다"
    case .unlisted(let path): "셸 \(ShownText.line(path))이(가) /etc/shells에 없습니다"
    case .script(let path): "셸 \(ShownText.line(path))이(가) 스크립트여서 세션이 열리는지 미리 알 수 없습니다"
    case .unknown(let path): "셸로 정해진 \(ShownText.line(path))이(가) 셸인지 미리 알 수 없습니다"
    }
  }
}

/// The interpreter in the first line of a script (execve(2)).
private struct ScriptStart {
  private let bytes: [UInt8]

  // The kernel reads no more of a first line.
  private static let length = 4096

  init(of path: String) {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      bytes = []
      return
    }
    defer { close(descriptor) }
    bytes = DescriptorReader.read(descriptor, atMost: Self.length) ?? []
  }

  /// Whether it is a script, which an interpreter runs.
  var isScript: Bool { bytes.starts(with: Array("#!".utf8)) }

  /// The program that runs the script; nil if it is none.
  var interpreter: String? {
    guard isScript else { return nil }
    let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }.drop(while: blanks.contains)
    // A carriage return is part of the name, as the kernel reads it.
    return String(decoding: line.prefix { !blanks.contains($0) }, as: UTF8.self)
  }
}
