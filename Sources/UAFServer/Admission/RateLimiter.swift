import Synchronization
import UAFService

/// Token buckets, one for each name: too many requests are refused, short bursts are allowed.
final class RateLimiter: Sendable {
  private let rate: TokenBucket.Rate
  private let capacity: Int
  private let buckets = Mutex<[String: TokenBucket]>([:])

  /// Makes a limiter that remembers `capacity` names at the most.
  ///
  /// When it is full, names that have used least are forgotten first. So nobody is refused because of other names, and whoever
  /// asks too often stays limited.
  init(_ rate: TokenBucket.Rate, capacity: Int = 10_000) {
    self.rate = rate
    self.capacity = capacity
  }

  /// Whether one more is allowed now; one that is refused is not counted.
  ///
  /// - Parameter now: seconds since 1970; if the clock was set back, nothing is refilled.
  func admits(_ name: String, now: Int64) -> Bool {
    buckets.withLock { buckets in
      if buckets[name] == nil, buckets.count >= capacity { makeRoom(in: &buckets, now: now) }
      var bucket = buckets[name] ?? TokenBucket(level: rate.full, filledAt: now)
      bucket.fill(rate, now: now)
      defer { buckets[name] = bucket }
      return bucket.take(1) == 1
    }
  }

  /// Forgets the names whose bucket is full again, and then those whose buckets are fullest, until a quarter is free.
  ///
  /// A quarter, so that the search does not come with each new name.
  private func makeRoom(in buckets: inout [String: TokenBucket], now: Int64) {
    var left: [(name: String, level: Int64)] = []
    for (name, bucket) in Array(buckets) {
      var filled = bucket
      filled.fill(rate, now: now)
      if filled.level == rate.full { buckets[name] = nil } else { left.append((name, filled.level)) }
    }
    let excess = left.count - capacity * 3 / 4
    guard excess > 0 else { return }
    for (name, _) in left.sorted(by: { $0.level > $1.level }).prefix(excess) { buckets[name] = nil }
  }
}
