import Glibc
import HostSystem
import PAMStacks
import UAFConfiguration
import Wording

/// The state folder and the device key: they must exist, and only root may use them.
struct StateCheck {
  let folder: String
  let owner: uid_t
  let isRoot: Bool
  /// What root's configuration says about a chip.
  let chip: TPMSettings
  /// Whether a file or a folder is on a file system that is mounted read-only.
  let isReadOnly: (String) -> Bool
  /// Whether an attribute keeps even root from changing a file or a folder.
  var isFixed: (String) -> Bool = { _ in false }
  /// What a file system has run out of, if it takes no new file.
  var shortage: (String) -> StorageShortage? = { _ in nil }

  // The size of the key in bytes.
  private static let keySize = 32

  func findings() -> [Finding] {
    guard isRoot else { return [.skipped(StateText.closed(path: folder))] }
    var findings: [Finding] = []
    for part in StatePart.allCases {
      let path = folder + part.rawValue
      if let objection = objection(to: path, kind: S_IFDIR, mode: "700") { return findings + [objection] }
      if isFixed(path) {
        findings.append(.failure(.stateFixed, StateText.fixedFolder(part, path: path)))
      } else if !isReadOnly(path), shortage(path) == nil {
        findings.append(.ok(StateText.fine(path: path)))
      }
    }
    return findings + readOnlyFolders() + fullFolders() + fileFindings() + keyFindings()
  }

  /// Findings about folders whose file systems take no new file; a single one if that is true of all folders.
  ///
  /// An account's file and its journal keep their size, so that attempts are still counted; slots are made when they are needed.
  private func fullFolders() -> [Finding] {
    let full = StatePart.allCases.map { folder + $0.rawValue }.compactMap { path in
      isReadOnly(path) ? nil : shortage(path).map { (path, $0) }
    }
    let told = full.count == StatePart.allCases.count ? Array(full.prefix(1)) : full
    return told.map { .failure(.stateFull, StateText.full(path: $0, $1)) }
  }

  /// Findings about folders on file systems that are mounted read-only; a single one if that is true of all folders.
  private func readOnlyFolders() -> [Finding] {
    let parts = StatePart.allCases.filter { isReadOnly(folder + $0.rawValue) }
    let told = parts.count == StatePart.allCases.count ? [nil] : parts.map { Optional($0) }
    return told.map {
      .failure(.stateReadOnly, StateText.readOnly($0, path: folder + ($0 ?? .machine).rawValue))
    }
  }

  /// Findings about single files that attempts must be able to write, but that an attribute or a read-only mount protects.
  ///
  /// Each file may be a mount of its own.
  private func fileFindings() -> [Finding] {
    [StatePart.accounts, .slots].flatMap { part -> [Finding] in
      let place = folder + part.rawValue
      return (PAMDirectory(path: place).names() ?? []).map { place + "/" + $0 }.flatMap { path -> [Finding] in
        (isFixed(path) ? [.failure(.stateFixed, StateText.fixedFile(of: part, path: path))] : [])
          + (isReadOnly(path) && !isReadOnly(place) && (part == .slots || Self.isOfAttempts(path))
            ? [.failure(.stateReadOnly, StateText.readOnlyFile(of: part, path: path))] : [])
      }
    }
  }

  /// Whether attempts change this file of an account, and not only registrations.
  private static func isOfAttempts(_ path: String) -> Bool { [".db", ".db-journal"].contains(where: path.hasSuffix) }

  /// Findings about where the device key is: in a file, in the chip, or in both after a move that was killed.
  private func keyFindings() -> [Finding] {
    let (key, sealed) = (folder + "/device.key", folder + "/device.sealed")
    guard case .success = FileState.of(sealed) else { return plainKeyFindings(key) }
    if let objection = objection(to: sealed, kind: S_IFREG, mode: "400") { return [objection] }
    if case .success = FileState.of(key) {
      return plainKeyFindings(key) + [.warning(.stateKeyTwice, StateText.twoKeys(path: sealed))]
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

  private func plainKeyFindings(_ key: String) -> [Finding] {
    if case .failure(let error) = FileState.of(key), error.isAbsence, let lost = lostKey(key) { return [lost] }
    if let objection = objection(to: key, kind: S_IFREG, mode: "400") { return [objection] }
    guard case .success(let state) = FileState.of(key), state.size == Self.keySize, state.names == 1 else {
      return [.failure(.stateKey, StateText.badKey(path: key, size: Self.keySize))]
    }
    if chip.use == .require { return [.failure(.stateUnsealed, StateText.unsealed(path: key))] }
    return [.ok(StateText.fine(path: key))]
  }

  /// The finding that the key of existing data is gone; nil for a machine that never had a key.
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

/// What a file system has run out of.
package enum StorageShortage: Equatable {
  /// Room for content.
  case room
  /// Inodes: each file needs one.
  case files

  /// What the file system of a path has run out of for root; nil if it takes a new file, or if it cannot be examined.
  package static func at(_ path: String) -> StorageShortage? {
    var system = statvfs()
    // SAFETY: the path lives for the call, which fills exactly one statvfs.
    guard unsafe statvfs(path, &system) == 0 else { return nil }
    // A file system without limits, such as btrfs for files, reports a total of 0.
    if system.f_files > 0, system.f_favail == 0 { return .files }
    return system.f_blocks > 0 && system.f_bfree == 0 ? .room : nil
  }
}

/// A folder of the state, by its place in the state folder.
///
/// An attribute of a folder prevents making and removing files in it. Existing files can still be written.
enum StatePart: String, CaseIterable {
  /// The state folder itself: what belongs to the machine, replaced as a whole.
  case machine = ""
  /// A file for each account.
  case accounts = "/accounts"
  /// The lock files that limit how many passcodes and patterns are checked at the same time.
  case slots = "/slots"
}

/// What doctor says about the state folder and the device key.
enum StateText: FindingCatalogue {
  /// The configuration, which names the folder, cannot be used.
  case unknown
  /// Only root may read it.
  case closed(path: String)
  case fine(path: String)
  case missing(path: String, SystemReason, isAbsent: Bool)
  case otherKind(path: String)
  case owner(path: String, uid: UInt32)
  case mode(path: String, mode: String, needed: String)
  /// The folder is on a file system that is mounted read-only; nil if that is true of the whole state folder.
  case readOnly(StatePart?, path: String)
  case readOnlyFile(of: StatePart, path: String)
  /// The file system of the folder takes no new file.
  case full(path: String, StorageShortage)
  /// An attribute keeps even root from making and removing files in it.
  case fixedFolder(StatePart, path: String)
  /// An attribute keeps even root from changing the file.
  case fixedFile(of: StatePart, path: String)
  case badKey(path: String, size: Int)
  /// The key is gone, and accounts or a recovery key need it.
  case lostKey(path: String, hasRecovery: Bool)
  case sealed(path: String, place: String)
  case unsealed(path: String)
  case twoKeys(path: String)
  case noRecovery(path: String)
  case chipMissing(place: String, SystemReason)

  var english: FindingText {
    switch self {
    case .unknown:
      FindingText("state: only the configuration says where it is", do: "correct the configuration first")
    case .closed(let path): FindingText.asRoot("state: \(path)")
    case .fine(let path): FindingText("state: \(path)")
    case .missing(let path, let reason, let isAbsent):
      FindingText("state: \(path): \(reason.english)", do: isAbsent ? "uafctl init" : "look at the folders above it")
    case .otherKind(let path):
      FindingText("state: \(path) is something else", do: "move it away, then uafctl init")
    case .owner(let path, let uid): FindingText("state: \(path) belongs to uid \(uid)", do: "chown root:root \(path)")
    case .mode(let path, let mode, let needed):
      FindingText("state: \(path) has mode \(mode)", do: "chmod \(needed) \(path)")
    case .readOnly(let part, let path):
      FindingText(
        "state: \(path) is on a file system that is mounted read-only: "
          + (part == .machine
            ? Self.english(.machine)
            : "\(part == .slots ? "no passcode or pattern can be checked" : "no attempt can be counted"), and every login is refused"),
        do: Self.remounting)
    case .readOnlyFile(.slots, let path):
      FindingText(
        "state: \(path) is on a file system that is mounted read-only: no passcode or pattern can be checked with it, and logins are refused",
        do: Self.remounting)
    case .readOnlyFile(_, let path):
      FindingText(
        "state: \(path) is on a file system that is mounted read-only: no attempt can be counted in it, "
          + "and its account is refused",
        do: Self.remounting)
    case .full(let path, .files):
      FindingText(
        "state: the file system of \(path) has no free inode: " + Self.withoutRoom,
        do: "remove files there: 'df -i \(path)' shows how many there are")
    case .full(let path, .room):
      FindingText(
        "state: the file system of \(path) is full: " + Self.withoutRoom,
        do: "free room there: 'df \(path)' shows how much is used")
    case .fixedFolder(let part, let path):
      FindingText(
        "state: \(path) has the attribute i or a (lsattr): " + Self.english(part), do: "chattr -ia \(path)")
    case .fixedFile(.slots, let path):
      FindingText(
        "state: \(path) has the attribute i or a (lsattr): no passcode or pattern can be checked with it, and logins are refused",
        do: "chattr -ia \(path)")
    case .fixedFile(_, let path):
      FindingText(
        "state: \(path) has the attribute i or a (lsattr): no attempt can be counted in it, and its account is refused",
        do: "chattr -ia \(path)")
    case .badKey(let path, let size):
      FindingText(
        "state: \(path) is not one file of \(size) bytes",
        do: "restore it: without it every account has to be registered anew")
    case .lostKey(let path, let hasRecovery):
      FindingText(
        "state: \(path) is lost, and the accounts of this machine need it",
        do: "restore it from a backup of the folder"
          + (hasRecovery ? ", or run uafctl recover with the recovery key" : "")
          + "; without it every account has to be registered anew")
    case .sealed(let path, let place): FindingText("state: \(path): the device key is sealed by the chip at \(place)")
    case .unsealed(let path):
      FindingText("state: \(path): the key lies in a file, and [tpm] demands a chip", do: "uafctl seal")
    case .twoKeys(let path):
      FindingText("state: \(path): a move of the key was not finished", do: "uafctl seal, or uafctl unseal")
    case .noRecovery(let path):
      FindingText(
        "state: \(path): there is no recovery key: without this chip every account has to be registered anew",
        do: "uafctl unseal, then uafctl seal --recovery-key FILE")
    case .chipMissing(let place, let reason):
      FindingText(
        "state: \(place): the chip that has sealed the device key: \(reason.english)",
        do: "set tcti in [tpm], or uafctl recover")
    }
  }

  var korean: FindingText {
    switch self {
    case .unknown: FindingText("상태: 위치는 설정에만 나와 있습니다", do: "먼저 설정을 바로잡으십시오")
    case .closed(let path): FindingText.asRootKorean("상태: \(path)")
    case .fine(let path): FindingText("상태: \(path)")
    case .missing(let path, let reason, let isAbsent):
      FindingText("상태: \(path): \(reason.korean)", do: isAbsent ? "uafctl init" : "그 위의 폴더들을 살펴보십시오")
    case .otherKind(let path):
      FindingText("상태: \(path): 다른 종류의 파일입니다", do: "다른 곳으로 옮긴 뒤 uafctl init 명령을 실행하십시오")
    case .owner(let path, let uid): FindingText("상태: \(path): 소유자가 uid \(uid)입니다", do: "chown root:root \(path)")
    case .mode(let path, let mode, let needed):
      FindingText("상태: \(path): 모드가 \(mode)입니다", do: "chmod \(needed) \(path)")
    case .readOnly(let part, let path):
      FindingText(
        "상태: \(path)의 파일 시스템이 읽기 전용으로 마운트되어 있습니다. "
          + (part == .machine
            ? Self.korean(.machine) : "\(part == .slots ? "값을 확인할" : "시도를 셀") 수 없으므로 모든 로그인이 거부됩니다"),
        do: Self.remountingKorean)
    case .readOnlyFile(.slots, let path):
      FindingText(
        "상태: \(path)의 파일 시스템이 읽기 전용으로 마운트되어 값을 확인할 수 없으므로 로그인이 거부됩니다", do: Self.remountingKorean)
    case .readOnlyFile(_, let path):
      FindingText(
        "상태: \(path)의 파일 시스템이 읽기 전용으로 마운트되어 시도를 셀 수 없으므로 그 계정의 로그인이 거부됩니다",
        do: Self.remountingKorean)
    case .full(let path, .files):
      FindingText(
        "상태: \(path)의 파일 시스템에 남은 아이노드가 없습니다. " + Self.withoutRoomKorean,
        do: "그곳의 파일을 지우십시오. 파일 수는 'df -i \(path)' 명령으로 볼 수 있습니다")
    case .full(let path, .room):
      FindingText(
        "상태: \(path)의 파일 시스템이 가득 찼습니다. " + Self.withoutRoomKorean,
        do: "그곳의 공간을 비우십시오. 사용량은 'df \(path)' 명령으로 볼 수 있습니다")
    case .fixedFolder(let part, let path):
      FindingText("상태: \(path): 속성 i 또는 a가 있습니다(lsattr). " + Self.korean(part), do: "chattr -ia \(path)")
    case .fixedFile(.slots, let path):
      FindingText(
        "상태: \(path): 속성 i 또는 a가 있어(lsattr) 값을 확인할 수 없으므로 로그인이 거부됩니다",
        do: "chattr -ia \(path)")
    case .fixedFile(_, let path):
      FindingText(
        "상태: \(path): 속성 i 또는 a가 있어(lsattr) 시도를 셀 수 없으므로 그 계정의 로그인이 거부됩니다",
        do: "chattr -ia \(path)")
    case .badKey(let path, let size):
      FindingText(
        "상태: \(path): \(size)바이트의 단일 파일이 아닙니다", do: "복원하십시오. 없으면 모든 계정을 다시 등록해야 합니다")
    case .lostKey(let path, let hasRecovery):
      FindingText(
        "상태: \(path)이(가) 없어졌으며, 이 컴퓨터의 계정들에 필요합니다",
        do: "폴더의 백업에서 복원하" + (hasRecovery ? "거나 복구 키로 uafctl recover 명령을 실행하" : "") + "십시오. 없으면 모든 계정을 다시 등록해야 합니다")
    case .sealed(let path, let place): FindingText("상태: \(path): 기기 키는 \(place)의 칩이 봉인했습니다")
    case .unsealed(let path): FindingText("상태: \(path): 키가 파일에 있고, [tpm]은 칩을 요구합니다", do: "uafctl seal")
    case .twoKeys(let path):
      FindingText("상태: \(path): 키를 옮기는 일이 끝나지 않았습니다", do: "uafctl seal 또는 uafctl unseal")
    case .noRecovery(let path):
      FindingText(
        "상태: \(path): 복구 키가 없습니다. 이 칩이 없으면 모든 계정을 다시 등록해야 합니다",
        do: "uafctl unseal 다음에 uafctl seal --recovery-key FILE")
    case .chipMissing(let place, let reason):
      FindingText(
        "상태: \(place): 기기 키를 봉인한 칩: \(reason.korean)", do: "[tpm]의 tcti를 정하거나 uafctl recover 명령을 실행하십시오")
    }
  }

  private static let withoutRoom =
    "logins that find their files still work, but a login that needs a new file is refused, and nobody can register"
  private static let withoutRoomKorean =
    "이미 있는 파일로는 로그인할 수 있지만 파일을 더 만들어야 하는 로그인은 거부되고, 아무도 등록할 수 없습니다"

  private static let remounting =
    "mount -o remount,rw its file system; if the kernel has made it read-only, look into its log first"
  private static let remountingKorean =
    "mount -o remount,rw 명령으로 다시 마운트하십시오. 커널이 읽기 전용으로 바꾸었다면 커널 로그를 먼저 살펴보십시오"

  /// What an attribute of a folder prevents.
  private static func english(_ part: StatePart) -> String {
    switch part {
    case .machine: "logins go on, but joining a server, check-ins, new policies and a move of the key fail"
    case .accounts:
      "registered accounts log in, but no account can register for the first time, and none can be forgotten"
    case .slots: "logins that find their files still work; a login that needs a new file is refused"
    }
  }

  private static func korean(_ part: StatePart) -> String {
    switch part {
    case .machine: "로그인은 되지만 서버 가입, 서버에 상태 알리기, 새 정책 저장, 키 옮기기는 되지 않습니다"
    case .accounts: "등록된 계정은 로그인할 수 있지만 새 계정을 등록하거나 계정을 지울 수 없습니다"
    case .slots: "이미 있는 파일로는 로그인할 수 있지만 파일을 더 만들어야 하는 로그인은 거부됩니다"
    }
  }
}
