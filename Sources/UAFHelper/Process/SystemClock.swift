import Authenticator
import FidoResults
import Glibc

/// The kernel's boot clock.
struct SystemClock {
  private let bootID: [UInt8]

  /// Reads the boot's id, once.
  ///
  /// - Throws: ``Ending`` where /proc is not there: without it no lock can be trusted.
  init() throws(Ending) {
    let path = "/proc/sys/kernel/random/boot_id"
    // SAFETY: the path lives for the call; the descriptor is closed below.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    var bytes = [UInt8](repeating: 0, count: 36)
    // SAFETY: the array has room for as many bytes as are asked for.
    let count = file < 0 ? -1 : unsafe read(file, &bytes, bytes.count)
    if file >= 0 { close(file) }
    guard count == bytes.count else { throw Ending(.cannotUse, log: "\(path): cannot be read") }
    bootID = bytes
  }

  /// The time now.
  var now: BootTime {
    BootTime(
      bootID: bootID, nanoseconds: Self.nanoseconds(CLOCK_BOOTTIME),
      wallSeconds: Self.nanoseconds(CLOCK_REALTIME) / 1_000_000_000)
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // SAFETY: `time` is a timespec.
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
