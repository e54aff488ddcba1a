import Synchronization

/// Token buckets, one for each name: what comes too often is turned away, what comes in bursts is not.
final class RateLimiter: Sendable {
  /// How often something may happen.
  struct Rate: Equatable, Sendable {
    /// In the long run.
    let perMinute: Int64

    /// At once, after a rest: two minutes' worth.
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
  init(_ rate: Rate, capacity: Int = 10_000) {
    self.rate = rate
    self.capacity = capacity
  }

  /// Whether it may happen once more now; a refusal costs nothing.
  ///
  /// - Parameter now: seconds; a clock that was set back refills nothing.
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

  private var full: Int64 { rate.burst * Self.turn }

  private func fill(_ bucket: inout Bucket, now: Int64) {
    // More seconds than a bucket takes to fill change nothing, and cannot overflow.
    let elapsed = min(max(0, now.subtractingReportingOverflow(bucket.filledAt).partialValue), 3600)
    bucket.level = min(full, bucket.level + elapsed * rate.perMinute)
    bucket.filledAt = now
  }

  /// Forgets names whose bucket is full again; where that is not enough, all of them: memory is worth more than a limit.
  private func makeRoom(in buckets: inout [String: Bucket], now: Int64) {
    for (name, bucket) in buckets {
      var filled = bucket
      fill(&filled, now: now)
      if filled.level == full { buckets[name] = nil }
    }
    if buckets.count >= capacity { buckets.removeAll() }
  }
}
