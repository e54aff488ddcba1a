// Purpose of this target: the FIDO authenticator of this machine. It has the secrets and their policies, the lock, the sealed
// keys and the accounts' state files. On the client side, only this target uses SQL. It uses no sockets, prompts, network or
// Foundation.

/// A moment: the boot, and the time since its start, which does not change if the clock is set.
public struct BootTime: Equatable, Sendable {
  /// The kernel's random id of this boot; 1 to 64 bytes.
  public var bootID: [UInt8]
  /// `CLOCK_BOOTTIME`, which also counts while the machine sleeps.
  public var nanoseconds: Int64
  /// Seconds since 1970 by the wall clock, which somebody may have set.
  public var wallSeconds: Int64

  /// Makes a moment.
  public init(bootID: [UInt8], nanoseconds: Int64, wallSeconds: Int64) {
    self.bootID = bootID
    self.nanoseconds = nanoseconds
    self.wallSeconds = wallSeconds
  }
}

extension Duration {
  /// Nanoseconds, clamped to the range of the type and never below 1.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || overflowed ? .max : max(1, sum)
  }
}
