import Authenticator

/// `[lock]`, `[TYPE.lock]` or `[lock.remote]`: the keys written there; each replaces a default.
struct LockSettings: Equatable, Sendable {
  var retryCountToLock: Int?
  var lockTime: Duration?
  var maxLockCount: Int?
  var rootPermanentLock: Bool?

  func laid(over policy: LockPolicy) -> LockPolicy {
    LockPolicy(
      retryCountToLock: retryCountToLock ?? policy.retryCountToLock, lockTime: lockTime ?? policy.lockTime,
      maxLockCount: maxLockCount ?? policy.maxLockCount, doublesUpTo: policy.doublesUpTo)
  }

  static var settings: [Setting<LockSettings>] {
    [
      .integer("retry_count_to_lock", \.retryCountToLock, LockPolicy.retryCountRange),
      Setting(name: "lock_time") { value, section throws(SettingRefusal) in section.lockTime = try duration(value) },
      .integer("max_lock_count", \.maxLockCount, LockPolicy.maxLockCountRange),
    ]
  }

  /// Only `[lock]` may have the key for root.
  static var settingsWithRoot: [Setting<LockSettings>] {
    settings + [.boolean("root_permanent_lock", \.rootPermanentLock)]
  }

  static let names = settingsWithRoot.map(\.name)

  static let lockTimeWords = "must be seconds from 30 to 86400 (less only while every server URL leads to this machine)"

  /// Seconds above zero, whole or decimal; whether they may be below thirty is decided once the server is known.
  private static func duration(_ value: TOMLNode.Value) throws(SettingRefusal) -> Duration {
    let seconds: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .float(let number): number
      default: nil
      }
    // Nanoseconds, because a Duration made from a Double has digits that nobody wrote.
    guard let seconds, seconds.isFinite, seconds >= 1e-9, seconds <= 86_400 else {
      throw SettingRefusal(problem: lockTimeWords)
    }
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}
