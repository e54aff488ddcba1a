import Glibc
import HostSystem
import UAFWire
import Wording

/// The socket through which programs without root reach the core, and its folder.
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

  /// Anybody who may write to the folder may put another socket there.
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
