import Glibc

/// The state folder and the key of this machine: there, root's, closed to others.
struct StateCheck {
  let folder: String
  let owner: uid_t
  let isRoot: Bool

  // Of the key, in bytes.
  private static let keySize = 32

  func findings() -> [Finding] {
    guard isRoot else { return [.skipped("state: \(folder)")] }
    var findings: [Finding] = []
    for path in [folder, folder + "/accounts", folder + "/slots"] {
      if let objection = objection(to: path, kind: S_IFDIR, mode: "700") { return findings + [objection] }
      findings.append(.ok("state: \(path)"))
    }
    let key = folder + "/device.key"
    if let objection = objection(to: key, kind: S_IFREG, mode: "400") { return findings + [objection] }
    guard case .success(let state) = FileState.of(key), state.size == Self.keySize, state.names == 1 else {
      return findings + [
        .failure(
          .stateKey, "state: \(key) is not one file of \(Self.keySize) bytes",
          do: "restore it: without it every account has to be registered anew")
      ]
    }
    return findings + [.ok("state: \(key)")]
  }

  private func objection(to path: String, kind: mode_t, mode: String) -> Finding? {
    switch FileState.of(path) {
    case .failure(let error):
      let what = "state: \(path): \(SystemError.text(error.number))"
      return .failure(.stateMissing, what, do: error.number == ENOENT ? "uafctl init" : "look at the folders above it")
    case .success(let state):
      if state.kind != kind {
        return .failure(.stateOpen, "state: \(path) is something else", do: "move it away, then uafctl init")
      }
      if state.owner != owner {
        return .failure(.stateOpen, "state: \(path) belongs to uid \(state.owner)", do: "chown root:root \(path)")
      }
      if state.mode & 0o077 != 0 {
        return .failure(.stateOpen, "state: \(path) has mode \(state.octal)", do: "chmod \(mode) \(path)")
      }
      return nil
    }
  }
}
