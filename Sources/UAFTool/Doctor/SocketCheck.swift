import Glibc
import UAFWire

/// The socket through which programs without root reach the core, and the folder it lies in.
struct SocketCheck {
  let path: String
  let owner: uid_t

  func findings() -> [Finding] {
    if let objection = folderObjection() { return [objection] }
    do throws(PacketSocketError) {
      let socket = try PacketSocket(connectingTo: path)
      guard try socket.peerUserID() == owner else {
        return [.failure(.socketOwner, "socket: what serves \(path) is not root's", do: "stop what listens there")]
      }
      return [.ok("socket: \(path) is served")]
    } catch {
      return [
        .warning(
          .socketMissing, "socket: \(path): \(reason(error)); only root's programs reach the core",
          do: "systemctl enable --now pam-uaf.socket, where there is systemd")
      ]
    }
  }

  /// Whoever may write to the folder may put another socket there.
  private func folderObjection() -> Finding? {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    guard case .success(let state) = FileState.of(folder) else { return nil }
    guard state.kind == S_IFDIR, state.owner == owner, state.mode & 0o022 == 0 else {
      return .failure(
        .runFolder, "socket: \(folder) can be changed by others than root",
        do: "chown root:root \(folder) && chmod 755 \(folder)")
    }
    return nil
  }

  private func reason(_ error: PacketSocketError) -> String {
    if case .notConnected(let number) = error { SystemError.text(number) } else { "\(error)" }
  }
}
