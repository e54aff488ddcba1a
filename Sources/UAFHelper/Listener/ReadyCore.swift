import ChildProcess
import Glibc
import UAFWire

/// A core that was started before its connection came.
///
/// It has done what does not depend on a call, and waits. It serves one connection, as any other core does.
final class ReadyCore {
  /// The argument by which a core knows that its connection comes later.
  static let argument = "--ready"

  private let process: ChildProcess
  private let socket: CInt

  /// Starts one.
  ///
  /// - Throws: `ChildProcessError`, `PacketSocketError`.
  init(starting program: String) throws {
    let ends = try PacketSocket.pair()
    defer { close(ends.theirs) }
    do { process = try ChildProcess(starting: program, [Self.argument], socket: ends.theirs) } catch {
      close(ends.mine)
      throw error
    }
    socket = ends.mine
  }

  // A core that still waits ends then.
  deinit { close(socket) }

  /// Hands it the connection that it serves.
  ///
  /// - Returns: the core's process; nil if it has ended.
  func serve(_ connection: CInt) -> ChildProcess? {
    if PassedDescriptor.send(connection, over: socket) { return process }
    process.reap()
    return nil
  }
}
