import Glibc
import UAFWire

/// The socket through which programs without root reach the core.
struct SocketCheck {
  let path: String
  let owner: uid_t

  func findings() -> [Finding] {
    do throws(PacketSocketError) {
      let socket = try PacketSocket(connectingTo: path)
      guard try socket.peerUserID() == owner else {
        return [.failure("socket: what serves \(path) is not root's", do: "stop what listens there")]
      }
      return [.ok("socket: \(path) is served")]
    } catch {
      return [
        .warning(
          "socket: \(path): \(reason(error)); only root's programs reach the core",
          do: "systemctl enable --now pam-uaf.socket, where there is systemd")
      ]
    }
  }

  private func reason(_ error: PacketSocketError) -> String {
    if case .notConnected(let number) = error { SystemError.text(number) } else { "\(error)" }
  }
}
