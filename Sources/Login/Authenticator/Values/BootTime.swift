// Purpose of this target: the work of a FIDO authenticator on this machine: secrets and their policies, the lock, wrapped
// keys, the account's state file. The only SQL of the client side. No sockets, no prompts, no network, no Foundation.

/// A moment as a boot and the time since its start, which setting the clock cannot change.
public struct BootTime: Equatable, Sendable {
  /// The kernel's random id of this boot; 1 to 64 bytes.
  public var bootID: [UInt8]
  /// `CLOCK_BOOTTIME`, which goes on while the machine sleeps.
  public var nanoseconds: Int64
  /// Seconds since 1970, for showing only.
  public var wallSeconds: Int64

  /// A moment.
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
