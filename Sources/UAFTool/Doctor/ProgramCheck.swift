import Glibc

/// A program of the libexec folder: there, root's, and out of everybody else's reach.
struct ProgramCheck {
  let name: String
  let path: String
  let owner: uid_t
  /// What a program prints with `--version`; nil if it prints nothing.
  let version: (String) -> String?

  /// Above this a build went wrong: the release build is static and stripped.
  private static let largest = 20_000_000

  func findings() -> [Finding] {
    let state: FileState
    switch FileState.of(path) {
    case .failure(let error):
      return [
        .failure(
          .programMissing, "\(name): \(path): \(SystemError.text(error.number))", do: "reinstall the pam-uaf package")
      ]
    case .success(let found): state = found
    }
    guard state.kind == S_IFREG, state.mode & 0o111 != 0, state.size > 0 else {
      return [.failure(.programMissing, "\(name): \(path) is no program", do: "reinstall the pam-uaf package")]
    }
    guard state.owner == owner else {
      return [.failure(.programOpen, "\(name): \(path) belongs to uid \(state.owner)", do: "chown root:root \(path)")]
    }
    guard state.mode & 0o022 == 0, state.mode & 0o6000 == 0 else {
      return [.failure(.programOpen, "\(name): \(path) has mode \(state.octal)", do: "chmod 755 \(path)")]
    }
    if let objection = folderObjection() { return [objection] }
    guard state.size <= Self.largest else {
      return [
        .warning(
          .programSize, "\(name): \(path) has \(state.shownSize)",
          do: "install a release build: static, stripped, at most 20 MB")
      ]
    }
    let announced = version(path)
    guard announced == "uaf-\(name) \(ToolVersion.number)\n" else {
      return [
        .failure(
          .programVersion, "\(name): \(path) says it is '\(announced ?? "")', not version \(ToolVersion.number)",
          do: "reinstall the pam-uaf package: its programs belong together")
      ]
    }
    return [.ok("\(name): \(path), \(state.shownSize)")]
  }

  /// Whoever may write to the folder may put another program there.
  private func folderObjection() -> Finding? {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    guard case .success(let state) = FileState.of(folder) else { return nil }
    if state.owner != owner {
      return .failure(.programOpen, "\(name): \(folder) belongs to uid \(state.owner)", do: "chown root:root \(folder)")
    }
    if state.mode & 0o022 != 0 {
      return .failure(.programOpen, "\(name): \(folder) has mode \(state.octal)", do: "chmod 755 \(folder)")
    }
    return nil
  }
}
