import Glibc
import HostSystem
import UAFWire
import Wording

/// The socket through which programs that are not root reach the core, and its folder.
struct SocketCheck {
  let path: String
  let owner: uid_t

  func findings() -> [Finding] {
    if let objection = folderObjection() { return [objection] }
    do throws(PacketSocketError) {
      let socket = try PacketSocket(connectingTo: path)
      guard try socket.peerUserID() == owner else {
        return [.failure(.socketOwner, SocketText.notRoots(path: path))]
      }
      return [.ok(SocketText.served(path: path))]
    } catch {
      return [.warning(.socketMissing, SocketText.unreachable(path: path, reason(error)))]
    }
  }

  /// Anybody who can write to the folder can put a different socket there.
  private func folderObjection() -> Finding? {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    guard case .success(let state) = FileState.of(folder) else { return nil }
    guard state.kind == S_IFDIR, state.owner == owner, state.mode & 0o022 == 0 else {
      return .failure(.runFolder, SocketText.folder(folder))
    }
    return nil
  }

  private func reason(_ error: PacketSocketError) -> SystemReason {
    switch error {
    case .notConnected(let number): SystemReason(number)
    case .notASocket: SystemReason(ENOTSOCK)
    case .timedOut: SystemReason(ETIMEDOUT)
    case .noPeer, .closed, .malformed: SystemReason(ECONNRESET)
    }
  }
}

/// Doctor's texts about the socket through which programs that are not root reach the core.
enum SocketText: FindingCatalogue {
  case notRoots(path: String)
  case served(path: String)
  case unreachable(path: String, SystemReason)
  case folder(String)

  var english: FindingText {
    switch self {
    case .notRoots(let path):
      FindingText("socket: what serves \(path) is not root's", do: "stop what listens there")
    case .served(let path): FindingText("socket: \(path) is served")
    case .unreachable(let path, let reason):
      FindingText(
        "socket: \(path): \(reason.english); only root's programs reach the core",
        do: "systemctl enable --now pam-uaf.socket, where there is systemd")
    case .folder(let path):
      FindingText(
        "socket: \(path) can be changed by others than root", do: "chown root:root \(path) && chmod 755 \(path)")
    }
  }

  var korean: FindingText {
    switch self {
    case .notRoots(let path):
      FindingText("소켓: \(path)에서 응답하는 프로그램이 root의 것이 아닙니다", do: "그곳에서 대기하는 프로그램을 멈추십시오")
    case .served(let path): FindingText("소켓: \(path)에서 응답합니다")
    case .unreachable(let path, let reason):
      FindingText(
        "소켓: \(path): \(reason.korean). root의 프로그램만 코어에 연결할 수 있습니다",
        do: "systemd가 있으면 systemctl enable --now pam-uaf.socket")
    case .folder(let path):
      FindingText(
        "소켓: root가 아닌 사용자가 \(path)을(를) 바꿀 수 있습니다", do: "chown root:root \(path) && chmod 755 \(path)")
    }
  }
}
