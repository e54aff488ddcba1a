import Glibc
import HostSystem
import Wording

/// What is wrong with a program that people need to become root: `login` or sudo.
package enum ProgramFlaw: Equatable {
  /// There is no program with that name.
  case missing(name: String)
  /// It is not a file.
  case kind(path: String)
  /// It does not belong to root, so that somebody else decides what it does.
  case owner(path: String, uid_t)
  /// Nobody may run it.
  case closed(path: String)
  /// It runs as its caller.
  case noSetUserID(path: String)
  /// Because of a mount option of its file system, it runs as its caller, or not at all.
  case mount(path: String, option: String)
  /// It is a script, is damaged, or needs a program or a library that does not exist.
  case broken(path: String)

  /// What is wrong with a program that root starts, or that runs as root for its caller; nil if nothing is wrong.
  ///
  /// - Parameters:
  ///   - paths: the paths at which it may be; a good program at one of them is enough.
  ///   - isSetUserID: whether it must run as root for everybody.
  package static func of(_ name: String, at paths: [String], isSetUserID: Bool) -> ProgramFlaw? {
    let flaws = paths.map { flaw(of: $0, name, isSetUserID: isSetUserID) }
    guard !flaws.contains(nil) else { return nil }
    return flaws.compactMap(\.self).first { $0 != .missing(name: name) } ?? .missing(name: name)
  }

  private static func flaw(of path: String, _ name: String, isSetUserID: Bool) -> ProgramFlaw? {
    guard let state = FileState.following(path), let options = MountOptions(of: path) else {
      return .missing(name: name)
    }
    if state.kind != S_IFREG { return .kind(path: path) }
    if state.owner != 0 { return .owner(path: path, state.owner) }
    if isSetUserID, state.mode & S_ISUID == 0 { return .noSetUserID(path: path) }
    if state.mode & 0o111 == 0 { return .closed(path: path) }
    if options.contains(.noExecution) { return .mount(path: path, option: "noexec") }
    if isSetUserID, options.contains(.noSetUserID) { return .mount(path: path, option: "nosuid") }
    // The kernel runs no script as a different user.
    return LoginShell(path: path, of: 0) == .usable ? nil : .broken(path: path)
  }
}

extension ProgramFlaw: Catalogued {
  /// The text in English, with what to do.
  package var english: FindingText {
    let what =
      switch self {
      case .missing(let name): "there is no program '\(name)'"
      case .kind(let path): "\(ShownText.line(path)) is not a file"
      case .owner(let path, let number): "\(ShownText.line(path)) belongs to user \(number)"
      case .closed(let path): "\(ShownText.line(path)) may not be executed"
      case .noSetUserID(let path): "\(ShownText.line(path)) is not set-user-ID, and runs as whoever calls it"
      case .mount(let path, let option): "\(ShownText.line(path)) is on a file system that is mounted with \(option)"
      case .broken(let path):
        "\(ShownText.line(path)) is a script, is damaged, or needs a program or a library that is not there"
      }
    return FindingText(what, do: command ?? "reinstall the package that has \(name)")
  }

  /// The text in Korean, with what to do.
  package var korean: FindingText {
    let what =
      switch self {
      case .missing(let name): "'\(name)' 프로그램이 없습니다"
      case .kind(let path): "\(ShownText.line(path)): 파일이 아닙니다"
      case .owner(let path, let number): "\(ShownText.line(path)): 소유자가 사용자 \(number)입니다"
      case .closed(let path): "\(ShownText.line(path)): 실행할 권한이 없습니다"
      case .noSetUserID(let path): "\(ShownText.line(path)): set-user-ID 비트가 없어 부른 사람의 권한으로 실행됩니다"
      case .mount(let path, let option): "\(ShownText.line(path)): 파일 시스템이 \(option) 옵션으로 마운트되어 있습니다"
      case .broken(let path): "\(ShownText.line(path)): 스크립트이거나 손상되었거나, 필요한 다른 프로그램이나 라이브러리가 없습니다"
      }
    return FindingText(what, do: command ?? "\(name) 프로그램이 든 패키지를 다시 설치하십시오")
  }

  /// The command that repairs it, the same in every language; nil if only reinstalling its package helps.
  private var command: String? {
    switch self {
    case .missing, .kind, .broken: nil
    case .owner(let path, _): "chown root \(ShownText.line(path)) && chmod \(mode(of: path)) \(ShownText.line(path))"
    case .closed(let path), .noSetUserID(let path): "chmod \(mode(of: path)) \(ShownText.line(path))"
    case .mount(let path, let option):
      "mount -o remount,\(option.dropFirst(2)) $(findmnt -no TARGET -T \(ShownText.line(path)))"
    }
  }

  private var name: String {
    switch self {
    case .missing(let name): name
    case .kind(let path), .owner(let path, _), .closed(let path), .noSetUserID(let path), .mount(let path, _),
      .broken(let path):
      Self.name(of: path)
    }
  }

  private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The mode that the program has in its package.
  private func mode(of path: String) -> String { Self.name(of: path) == "sudo" ? "4755" : "755" }
}
