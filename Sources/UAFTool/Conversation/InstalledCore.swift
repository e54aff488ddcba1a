import ChildProcess
import Glibc
import UAFWire

/// The core of this machine: behind the socket systemd serves or, for root alone, started from where this program lies.
struct InstalledCore: CoreSource {
  /// Where systemd serves the core.
  static let socketPath = "/run/pam-uaf/helper.sock"

  private let socketPath: String
  private let helperPath: String
  private let userID: uid_t
  private let servingUserID: uid_t

  /// - Parameter servingUserID: whose the socket must be; root's.
  init(socketPath: String, helperPath: String, userID: uid_t, servingUserID: uid_t = 0) {
    self.socketPath = socketPath
    self.helperPath = helperPath
    self.userID = userID
    self.servingUserID = servingUserID
  }

  /// The helper's path, from where this program lies: `bin/uafctl` and `libexec/pam-uaf/uaf-helper` move together.
  static func helperPath() -> String { program("uaf-helper") }

  /// The path of a program of the libexec folder; free of links and dots where it exists.
  static func program(_ name: String) -> String { below("libexec/pam-uaf/" + name) }

  /// The path of a part that is installed with this program, from the folder that has `bin`.
  static func below(_ part: String) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: the buffer is as long as announced; readlink adds no NUL and tells the length.
    let length = unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe buffer.baseAddress.map {
        unsafe readlink("/proc/self/exe", $0.assumingMemoryBound(to: CChar.self), buffer.count)
      } ?? 0
    }
    let own = String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
    // The kernel's name of the program has no links and no dots in it.
    let path = own.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/" + part
    // SAFETY: with NULL realpath allocates a NUL-terminated text that is ours to free.
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  func connect(startsOwn: Bool) throws(ToolError) -> CoreConnection {
    if startsOwn { return try start() }
    do throws(PacketSocketError) {
      let socket = try PacketSocket(connectingTo: socketPath)
      guard try socket.peerUserID() == servingUserID else { throw .noPeer }
      return CoreConnection(socket)
    } catch {
      guard case .notConnected(let number) = error else { throw .coreIsNotRoots }
      guard userID == 0 else { throw .noCore(number) }
      return try start()
    }
  }

  private func start() throws(ToolError) -> CoreConnection {
    let socket: PacketSocket
    let theirs: CInt
    do throws(PacketSocketError) {
      let ends = try PacketSocket.pair()
      theirs = ends.theirs
      socket = try PacketSocket(takingOver: ends.mine)
    } catch {
      throw .coreNotStarted(path: helperPath, errno)
    }
    defer { close(theirs) }
    let helper: ChildProcess
    do throws(ChildProcessError) {
      helper = try ChildProcess(starting: helperPath, socket: theirs)
    } catch {
      throw .coreNotStarted(path: error.path, error.number)
    }
    return CoreConnection(socket, helper: helper)
  }
}
