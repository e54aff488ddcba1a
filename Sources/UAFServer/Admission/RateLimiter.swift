import Synchronization

/// Token buckets, one for each name: too many requests are refused, short bursts are allowed.
final class RateLimiter: Sendable {
  /// How often something may happen.
  struct Rate: Equatable, Sendable {
    /// On average.
    let perMinute: Int64

    /// At once, after a pause: as many as in two minutes.
    var burst: Int64 { perMinute * 2 }
  }

  private struct Bucket {
    /// What is left, in sixtieths of a turn, so that a second adds a whole number.
    var level: Int64
    var filledAt: Int64
  }

  private static let turn: Int64 = 60
  private let rate: Rate
  private let capacity: Int
  private let buckets = Mutex<[String: Bucket]>([:])

  /// Makes a limiter that remembers `capacity` names at the most.
  ///
  /// When it is full, names that have used least are forgotten first. So nobody is refused because of other names, and whoever
  /// asks too often stays limited.
  init(_ rate: Rate, capacity: Int = 10_000) {
    self.rate = rate
    self.capacity = capacity
  }

  /// Whether one more is allowed now; one that is refused is not counted.
  ///
  /// - Parameter now: seconds since 1970; if the clock was set back, nothing is refilled.
  func admits(_ name: String, now: Int64) -> Bool {
    buckets.withLock { buckets in
      if buckets[name] == nil, buckets.count >= capacity { makeRoom(in: &buckets, now: now) }
      var bucket = buckets[name] ?? Bucket(level: full, filledAt: now)
      fill(&bucket, now: now)
      defer { buckets[name] = bucket }
      guard bucket.level >= Self.turn else { return false }
      bucket.level -= Self.turn
      return true
    }
  }

  /// How many names are remembered.
  var count: Int { buckets.withLock { $0.count } }

  private var full: Int64 { rate.burst * Self.turn }

  private func fill(_ bucket: inout Bucket, now: Int64) {
    // Capped, so that nothing overflows: every bucket is full again long before that.
    let elapsed = min(max(0, now.subtractingReportingOverflow(bucket.filledAt).partialValue), 3600)
    bucket.level = min(full, bucket.level + elapsed * rate.perMinute)
    bucket.filledAt = now
  }

  /// Forgets the names whose bucket is full again, and then those whose buckets are fullest, until a quarter is free.
  ///
  /// A quarter, so that the search does not come with each new name.
  private func makeRoom(in buckets: inout [String: Bucket], now: Int64) {
    var left: [(name: String, level: Int64)] = []
    for (name, bucket) in Array(buckets) {
      var filled = bucket
      fill(&filled, now: now)
      if filled.level == full { buckets[name] = nil } else { left.append((name, filled.level)) }
    }
    let excess = left.count - capacity * 3 / 4
    guard excess > 0 else { return }
    for (name, _) in left.sorted(by: { $0.level > $1.level }).prefix(excess) { buckets[name] = nil }
  }
}
