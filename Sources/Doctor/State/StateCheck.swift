import Glibc
import HostSystem
import UAFConfiguration
import Wording

/// The state folder and the device key: they must exist, and only root may use them.
struct StateCheck {
  let folder: String
  let owner: uid_t
  let isRoot: Bool
  /// What root's configuration says of a chip.
  let chip: TPMSettings
  /// Whether a folder lies on a file system that is mounted for reading alone.
  let isReadOnly: (String) -> Bool

  // Of the key, in bytes.
  private static let keySize = 32

  func findings() -> [Finding] {
    guard isRoot else { return [.skipped(StateText.closed(path: folder))] }
    var findings: [Finding] = []
    for path in [folder, folder + "/accounts", folder + "/slots"] {
      if let objection = objection(to: path, kind: S_IFDIR, mode: "700") { return findings + [objection] }
      findings.append(.ok(StateText.fine(path: path)))
    }
    if isReadOnly(folder) { findings.append(.failure(.stateReadOnly, StateText.readOnly(path: folder))) }
    return findings + keyFindings()
  }

  /// Where the device key lies: in a file, in the chip, or in both after a move that was killed.
  private func keyFindings() -> [Finding] {
    let (key, sealed) = (folder + "/device.key", folder + "/device.sealed")
    guard case .success = FileState.of(sealed) else { return fileFindings(key) }
    if let objection = objection(to: sealed, kind: S_IFREG, mode: "400") { return [objection] }
    if case .success = FileState.of(key) {
      return fileFindings(key) + [.warning(.stateKeyTwice, StateText.twoKeys(path: sealed))]
    }
    var findings: [Finding] = [.ok(StateText.sealed(path: sealed, place: chip.place))]
    if case .failure = FileState.of(folder + "/device.recovery") {
      findings.append(.warning(.stateRecovery, StateText.noRecovery(path: sealed)))
    }
    if case .failure(let error) = FileState.of(chip.place) {
      findings.append(.failure(.stateChip, StateText.chipMissing(place: chip.place, SystemReason(error.number))))
    }
    return findings
  }

  private func fileFindings(_ key: String) -> [Finding] {
    if case .failure(let error) = FileState.of(key), error.isAbsence, let lost = lostKey(key) { return [lost] }
    if let objection = objection(to: key, kind: S_IFREG, mode: "400") { return [objection] }
    guard case .success(let state) = FileState.of(key), state.size == Self.keySize, state.names == 1 else {
      return [.failure(.stateKey, StateText.badKey(path: key, size: Self.keySize))]
    }
    if chip.use == .require { return [.failure(.stateUnsealed, StateText.unsealed(path: key))] }
    return [.ok(StateText.fine(path: key))]
  }

  /// The key is gone that something here was made with; nil for a machine that never had one.
  private func lostKey(_ key: String) -> Finding? {
    var hasRecovery = false
    if case .success = FileState.of(folder + "/device.recovery") { hasRecovery = true }
    guard hasRecovery || !Installation.accountNumbers(in: folder).isEmpty else { return nil }
    return .failure(.stateMissing, StateText.lostKey(path: key, hasRecovery: hasRecovery))
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
