import Glibc
import NIOCore
import ServiceLifecycle

/// Tells systemd that the server is ready, is alive, or is stopping.
///
/// Does nothing if systemd did not ask for it.
struct ServiceManager: Service {
  private let socket: NotifySocket?
  /// How often to report that the server is alive; nil if systemd did not ask for it.
  let interval: Duration?
  private let loops: any EventLoopGroup

  /// Reads the environment variables that systemd has set.
  ///
  /// - Parameters:
  ///   - environment: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  ///   - process: the ID of this process; a watchdog for a different process is ignored.
  ///   - loops: the event loops; the server counts as alive only if all of them respond.
  init(environment: [String: String], process: pid_t, loops: any EventLoopGroup) {
    socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket($0) }
    let isOurs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    // Twice as often as needed, as sd_watchdog_enabled(3) advises.
    interval = isOurs && limit > 1 ? .microseconds(limit / 2) : nil
    self.loops = loops
  }

  /// Reports that the server accepts connections.
  func ready() { socket?.send("READY=1") }

  /// Reports that keys are being reread; ``ready()`` reports the end of that.
  func reloading() {
    var time = timespec()
    // SAFETY: `time` is a timespec.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    socket?.send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
  }

  /// Reports regularly that the server is alive, and at the end that it is stopping.
  ///
  /// Each report is sent after every event loop has responded. If one hangs, or no thread is free for tasks, there is no
  /// report, and systemd restarts the server. A store that hangs does not prevent the reports, because a restart would not
  /// help.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while let interval = self.interval, !Task.isCancelled {
        await self.live()
        try? await Task.sleep(for: interval)
      }
      // Without a watchdog, this only waits until the server stops.
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
    socket?.send("STOPPING=1")
  }

  private func live() async {
    for loop in loops.makeIterator() { try? await loop.submit {}.get() }
    socket?.send("WATCHDOG=1")
  }
}

/// The socket on which a service tells systemd its state (sd_notify(3), "protocol").
struct NotifySocket: Sendable {
  private let address: [UInt8]

  /// Reads the name that systemd gives: a path, or `@` and an abstract name.
  ///
  /// - Returns: nil for any other form, and for a name that is too long.
  init?(_ name: String) {
    var bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count > 1, bytes.count < 108, !bytes.contains(0) else { return nil }
    switch first {
    case UInt8(ascii: "@"): bytes[0] = 0
    case UInt8(ascii: "/"): break
    default: return nil
    }
    address = bytes
  }

  /// Sends a message such as `READY=1`.
  ///
  /// Failures are ignored, and the call does not wait if systemd does not read: systemd then acts as if nothing had been sent.
  func send(_ message: String) {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: the name is shorter than `sun_path`, as `init` has checked.
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: address) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
    let bytes = Array(message.utf8)
    // SAFETY: a sockaddr_un is passed with its length, as the call asks; both buffers live for it.
    _ = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT), name, length)
      }
    }
  }
}
