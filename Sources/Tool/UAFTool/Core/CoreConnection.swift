import ChildProcess
import Glibc
import UAFWire

/// A connection to the core, and the core's process if this program started it.
struct CoreConnection: ~Copyable {
  let socket: PacketSocket
  private let helper: ChildProcess?

  init(_ socket: consuming PacketSocket, helper: ChildProcess? = nil) {
    self.socket = socket
    self.helper = helper
  }

  /// Closes the socket, which ends a core that this program started, and waits for that process.
  consuming func close() {
    let helper = helper
    _ = consume self
    helper?.reap()
  }
}

/// Something through which this program reaches the core.
protocol CoreSource {
  /// Opens a new connection.
  ///
  /// - Parameter startsOwn: whether to start a core for this call alone, even if the socket of systemd's unit is there.
  /// - Throws: ``ToolError/core(_:)``.
  func connect(startsOwn: Bool) throws(ToolError) -> CoreConnection
}

/// The core of this machine: reached through systemd's socket or, only by root, started from this program's installation.
struct InstalledCore: CoreSource {
  private let socketPath: String
  private let helperPath: String
  private let userID: uid_t
  private let servingUserID: uid_t

  /// - Parameter servingUserID: the uid to which the socket must belong: root's.
  init(socketPath: String, helperPath: String, userID: uid_t, servingUserID: uid_t = 0) {
    self.socketPath = socketPath
    self.helperPath = helperPath
    self.userID = userID
    self.servingUserID = servingUserID
  }

  func connect(startsOwn: Bool) throws(ToolError) -> CoreConnection {
    if startsOwn { return try start() }
    do throws(PacketSocketError) {
      let socket = try PacketSocket(connectingTo: socketPath)
      guard try socket.peerUserID() == servingUserID else { throw .noPeer }
      return CoreConnection(socket)
    } catch {
      guard case .notConnected(let number) = error else { throw .core(.notRoots) }
      guard userID == 0 else { throw .core(.absent(number)) }
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
      throw .core(.notStarted(path: helperPath, errno))
    }
    defer { close(theirs) }
    let helper: ChildProcess
    do throws(ChildProcessError) {
      helper = try ChildProcess(starting: helperPath, socket: theirs)
    } catch {
      throw .core(.notStarted(path: error.path, error.number))
    }
    return CoreConnection(socket, helper: helper)
  }
}
