import Glibc
import NIOCore
import ServiceLifecycle

/// Tells systemd that the server serves, stops, or lives; does nothing where nobody asked.
struct ServiceManager: Service {
  private let socket: NotifySocket?
  /// How often to tell that the server lives; nil if nobody asked.
  let interval: Duration?
  private let loops: any EventLoopGroup

  /// Reads what systemd has put into the environment.
  ///
  /// - Parameters:
  ///   - environment: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  ///   - process: this process; a watchdog of another one is ignored.
  ///   - loops: the threads that have to answer for the server to live.
  init(environment: [String: String], process: pid_t, loops: any EventLoopGroup) {
    socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket($0) }
    let isOurs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    // Twice as often as needed, as sd_watchdog_enabled(3) advises.
    interval = isOurs && limit > 1 ? .microseconds(limit / 2) : nil
    self.loops = loops
  }

  /// Tells that the server accepts connections.
  func ready() { socket?.send("READY=1") }

  /// Tells that keys are being read again, and `ready()` that they are.
  func reloading() {
    var time = timespec()
    // SAFETY: `time` is a timespec.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    socket?.send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
  }

  /// Tells that the server lives, until it stops, and then that it stops.
  ///
  /// The word is said by a task, after each thread of the server has answered: with one that hangs, or no thread for tasks,
  /// it stays away, and systemd starts the server again. A store that hangs does not count. Another start would not help it.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while let interval = self.interval, !Task.isCancelled {
        await self.live()
        try? await Task.sleep(for: interval)
      }
      // Without a watchdog only the end is waited for.
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
    socket?.send("STOPPING=1")
  }

  private func live() async {
    for loop in loops.makeIterator() { try? await loop.submit {}.get() }
    socket?.send("WATCHDOG=1")
  }
}
