import Glibc
import HostSystem
import Wording

/// The state folder and the device key: they must exist, and only root may use them.
struct StateCheck {
  let folder: String
  let owner: uid_t
  let isRoot: Bool

  // Of the key, in bytes.
  private static let keySize = 32

  func findings() -> [Finding] {
    guard isRoot else { return [.skipped(StateText.closed(path: folder))] }
    var findings: [Finding] = []
    for path in [folder, folder + "/accounts", folder + "/slots"] {
      if let objection = objection(to: path, kind: S_IFDIR, mode: "700") { return findings + [objection] }
      findings.append(.ok(StateText.fine(path: path)))
    }
    let key = folder + "/device.key"
    if let objection = objection(to: key, kind: S_IFREG, mode: "400") { return findings + [objection] }
    guard case .success(let state) = FileState.of(key), state.size == Self.keySize, state.names == 1 else {
      return findings + [.failure(.stateKey, StateText.badKey(path: key, size: Self.keySize))]
    }
    return findings + [.ok(StateText.fine(path: key))]
  }

  private func objection(to path: String, kind: mode_t, mode: String) -> Finding? {
    switch FileState.of(path) {
    case .failure(let error):
      let text = StateText.missing(path: path, SystemReason(error.number), isAbsent: error.number == ENOENT)
      return .failure(.stateMissing, text)
    case .success(let state):
      if state.kind != kind {
        return .failure(.stateOpen, StateText.otherKind(path: path))
      }
      if state.owner != owner {
        return .failure(.stateOpen, StateText.owner(path: path, uid: state.owner))
      }
      if state.mode & 0o077 != 0 {
        return .failure(.stateOpen, StateText.mode(path: path, mode: state.octal, needed: mode))
      }
      return nil
    }
  }
}
