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
  /// A program that the person may not run.
  case closed(String)
  /// A program whose interpreter does not exist, or may not be run by the person.
  case needs(String, interpreter: String)
  /// A program that shells(5) does not list.
  case unlisted(String)
  /// A script, which may end immediately.
  case script(String)

  private static let refusing: Set<String> = ["false", "halt", "nologin", "shutdown", "sync", "true"]

  /// - Parameters:
  ///   - path: the shell in the account's entry; without one, login(1) uses the standard shell.
  ///   - userID: the person's uid; nil if everybody who may run programs may run this one.
  ///   - isMember: whether the person is in the group with a gid.
  ///   - isListed: whether shells(5) lists a path. An unlisted one may be any program, and end immediately.
  package init(
    path: String, of userID: uid_t? = nil, isMember: (gid_t) -> Bool = { _ in false },
    isListed: (String) -> Bool = { _ in true }
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
    let start = ProgramStart(of: program)
    var (next, seen) = (start.interpreter, 1)
    while let interpreter = next {
      guard seen < Self.deepest, let program = ResolvedPath.of(interpreter), Self.isProgram(program),
        Self.isOpen(program, to: userID, isMember: isMember)
      else {
        self = .needs(path, interpreter: interpreter)
        return
      }
      next = ProgramStart(of: program).interpreter
      seen += 1
    }
    self = !isListed(path) ? .unlisted(path) : start.isScript ? .script(path) : .usable
  }

  // The kernel follows a few interpreters of interpreters.
  private static let deepest = 6

  private static func isProgram(_ path: String) -> Bool {
    guard let state = FileState.following(path) else { return false }
    return state.kind == S_IFREG && state.mode & 0o111 != 0
  }

  /// Whether a person may run a program: its file, and the folders on the way to it.
  private static func isOpen(_ program: String, to userID: uid_t?, isMember: (gid_t) -> Bool) -> Bool {
    if MountOptions(of: program)?.contains(.noExecution) ?? false { return false }
    guard let userID, userID != 0 else { return true }
    return ResolvedPath.steps(to: program).allSatisfy { place in
      FileState.following(place)?.isExecutable(by: userID, isMember: isMember) ?? false
    }
  }

  private static func isRefusing(_ path: String) -> Bool {
    refusing.contains(path.split(separator: "/").last.map(String.init) ?? path)
  }

  /// The text in English.
  package var english: String {
    switch self {
    case .usable: "has a shell"
    case .refuses(let path): "has \(ShownText.line(path)) for a shell, which ends every session"
    case .missing(let path): "has \(ShownText.line(path)) for a shell, which is not there"
    case .closed(let path): "has \(ShownText.line(path)) for a shell, which they may not run"
    case .needs(let path, let interpreter):
      "has \(ShownText.line(path)) for a shell, which needs \(ShownText.line(interpreter)): that is not there, or they may not run it"
    case .unlisted(let path): "has \(ShownText.line(path)) for a shell, which /etc/shells does not list"
    case .script(let path):
      "has \(ShownText.line(path)) for a shell, a script of which nobody can say beforehand whether it gives a session"
    }
  }

  /// The text in Korean.
  package var korean: String {
    switch self {
    case .usable: "셸을 쓸 수 있습니다"
    case .refuses(let path): "셸이 세션을 바로 끝내는 \(ShownText.line(path))입니다"
    case .missing(let path): "셸 \(ShownText.line(path))이(가) 없습니다"
    case .closed(let path): "셸 \(ShownText.line(path))을(를) 실행할 권한이 없습니다"
    case .needs(let path, let interpreter):
      "셸 \(ShownText.line(path))에 필요한 \(ShownText.line(interpreter))이(가) 없거나 실행할 권한이 없습니다"
    case .unlisted(let path): "셸 \(ShownText.line(path))이(가) /etc/shells에 없습니다"
    case .script(let path): "셸 \(ShownText.line(path))이(가) 스크립트여서 세션이 열리는지 미리 알 수 없습니다"
    }
  }
}

/// The first bytes of a program, which show what else the kernel needs to run it (execve(2), elf(5)).
private struct ProgramStart {
  private let bytes: [UInt8]

  // The kernel reads no more of a first line; an ELF file also names what it needs in its first bytes.
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

  /// The program that runs a script, or loads a program's libraries; nil if none is named.
  var interpreter: String? { isScript ? ofScript : ofELF }

  private var ofScript: String? {
    let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }.drop(while: blanks.contains)
    // A carriage return is part of the name, as the kernel reads it.
    return String(decoding: line.prefix { !blanks.contains($0) }, as: UTF8.self)
  }

  /// The interpreter of a 64-bit little-endian program, the kind of Debian's amd64 and arm64.
  private var ofELF: String? {
    guard bytes.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2, 1]) else { return nil }
    let (table, size, count) = (number(at: 32, 8), number(at: 54, 2), number(at: 56, 2))
    guard let table, let size, let count, size > 0 else { return nil }
    for index in 0..<min(count, 64) {
      let place = table + index * size
      // PT_INTERP
      guard place < Self.length, number(at: place, 4) == 3, let offset = number(at: place + 8, 8),
        let length = number(at: place + 32, 8), offset < bytes.count, length <= bytes.count - offset
      else { continue }
      return String(decoding: bytes[offset..<offset + length].prefix { $0 != 0 }, as: UTF8.self)
    }
    return nil
  }

  /// A number of some bytes; nil if it is beyond the bytes, or too large for a position in a file.
  private func number(at place: Int, _ length: Int) -> Int? {
    guard place >= 0, place <= bytes.count - length else { return nil }
    let value = bytes[place..<place + length].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value < 1 << 31 ? Int(value) : nil
  }
}
