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

  /// Anybody who may write to the folder may put another program there.
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
