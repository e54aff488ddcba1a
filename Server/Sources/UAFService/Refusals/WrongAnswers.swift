import Synchronization
import UAFMessages

/// Limits how many wrong answers known machines, and clients with authority for an account, may send.
///
/// The counts are in the store, so they cover all instances of a server, and their restarts. An answer is counted only after it
/// was checked and found wrong. So a login costs nothing, and nobody's wrong answers cause a right one to be refused. Wrong
/// answers that arrive during a commit share the next commit.
package final class WrongAnswerLimit: Sendable {
  /// The number of buckets in the store: a machine that invents names of accounts cannot cause more rows than that.
  private static let places: Int64 = 65_536

  private struct Waiting {
    let place: Int64
    /// The row of the audit that is stored with the count.
    let event: AuditEntry?
    let caller: CheckedContinuation<Bool, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var isStoring = false
  }

  private let store: any ServerStore
  private let keys: ServerKeys
  private let now: @Sendable () -> Int64
  private let rate: TokenBucket.Rate
  private let state = Mutex(State())

  /// Makes a limit.
  ///
  /// - Parameters:
  ///   - keys: the keys from which a name's bucket is computed.
  ///   - perMinute: how many wrong answers are allowed a minute, on average; 0 means no limit.
  ///   - now: seconds since 1970.
  package init(store: any ServerStore, keys: ServerKeys, perMinute: Int64, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.keys = keys
    self.now = now
    rate = TokenBucket.Rate(perMinute: perMinute)
  }

  /// Counts a wrong answer under a name; returns when that is durable.
  ///
  /// - Parameter event: the row of the audit that is stored with the count. It is not stored if there is no limit, or if the
  ///   answer is beyond it.
  /// - Returns: whether the answer is within the budget; a wrong answer beyond it is not counted.
  /// - Throws: ``StoreFailure`` if it could not be counted; ``CryptoError``.
  package func admits(_ name: String, event: AuditEntry? = nil) async throws -> Bool {
    guard rate.perMinute > 0 else { return true }
    let place = try place(of: name)
    return try await withCheckedThrowingContinuation { caller in
      let mustStart = state.withLock { state in
        state.waiting.append(Waiting(place: place, event: event, caller: caller))
        defer { state.isStoring = true }
        return !state.isStoring
      }
      if mustStart { Task { await storeAll() } }
    }
  }

  /// The number of the bucket in which a name is counted.
  ///
  /// Only the server's secret can show which names share one.
  private func place(of name: String) throws -> Int64 {
    let code = try keys.authenticationCode("wrong answers", Array(name.utf8))
    return code.prefix(8).reduce(0) { ($0 << 8 | Int64($1)) % Self.places }
  }

  private func storeAll() async {
    while let batch = next() {
      let wanted = Dictionary(batch.map { ($0.place, Int64(1)) }, uniquingKeysWith: +)
      let asked = batch.map { ($0.place, $0.event) }
      do {
        let admitted = try await store.write { [rate, now = now()] records in
          var left = try records.wrongAnswers.take(wanted, at: rate, now: now)
          let admitted = asked.map { place, _ in
            defer { left[place, default: 0] -= 1 }
            return left[place, default: 0] > 0
          }
          let events = zip(asked, admitted).compactMap { $1 ? $0.1 : nil }
          if !events.isEmpty { try records.audit.append(events) }
          return admitted
        }
        for (waiting, isAdmitted) in zip(batch, admitted) { waiting.caller.resume(returning: isAdmitted) }
      } catch {
        for waiting in batch { waiting.caller.resume(throwing: error) }
      }
    }
  }

  private func next() -> [Waiting]? {
    state.withLock { state in
      defer { state.waiting = [] }
      state.isStoring = !state.waiting.isEmpty
      return state.isStoring ? state.waiting : nil
    }
  }
}

/// A token bucket: a budget of turns that refills by itself.
///
/// It allows short bursts, and on average no more than the rate.
package struct TokenBucket: Equatable, Sendable {
  /// How many turns a bucket gets.
  package struct Rate: Equatable, Sendable {
    /// The turns a minute, on average.
    package let perMinute: Int64

    package init(perMinute: Int64) { self.perMinute = perMinute }

    /// The most turns in a burst after a pause: those of two minutes.
    var burst: Int64 { perMinute * 2 }

    /// The level of a full bucket.
    package var full: Int64 { burst * TokenBucket.turn }
  }

  private static let turn: Int64 = 60

  /// The level in sixtieths of a turn, so that each second adds a whole number.
  package private(set) var level: Int64
  /// When the level was computed, in seconds since 1970.
  package private(set) var filledAt: Int64

  package init(level: Int64, filledAt: Int64) {
    self.level = level
    self.filledAt = filledAt
  }

  /// Adds the turns that have accrued since the bucket was filled last.
  ///
  /// - Parameter now: seconds since 1970; if the clock was set back, nothing is added.
  package mutating func fill(_ rate: Rate, now: Int64) {
    // Time and level are capped, so that nothing overflows: after an hour every bucket has long been full.
    let elapsed = min(max(0, now.subtractingReportingOverflow(filledAt).partialValue), 3600)
    level = min(rate.full, min(max(0, level), rate.full) + elapsed * rate.perMinute)
    filledAt = now
  }

  /// Takes turns from the bucket, at most as many as it has.
  ///
  /// - Returns: how many turns were taken.
  package mutating func take(_ wanted: Int64) -> Int64 {
    let taken = min(wanted, level / Self.turn)
    level -= taken * Self.turn
    return taken
  }
}

/// The budgets of wrong answers: a fixed number of token buckets.
package protocol WrongAnswers {
  /// Takes turns from several buckets.
  ///
  /// An empty bucket is not changed, so wrong answers beyond the budget write nothing.
  ///
  /// - Parameters:
  ///   - wanted: how many turns to take from each bucket, by its number.
  ///   - now: seconds since 1970; a store with a clock of its own uses that clock, which is the same for all instances.
  /// - Returns: how many of the wanted turns were taken from each bucket.
  func take(_ wanted: [Int64: Int64], at rate: TokenBucket.Rate, now: Int64) throws -> [Int64: Int64]
}

/// Counts refusals that get no row of the audit of their own: one row a minute reports their number.
///
/// Strangers can cause such refusals as often as they like, so the memory and the disk space for them are bounded.
package final class RefusalCount: Sendable {
  /// How many addresses are counted separately; all others are counted together.
  private static let mostAddresses = 32

  private struct State {
    var count: Int64 = 0
    var reasons: [String: Int64] = [:]
    var addresses: [String: Int64] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Counts a refusal.
  ///
  /// - Parameters:
  ///   - reason: one of a fixed set of reasons.
  ///   - address: where it came from; empty if that is not known.
  package func add(_ reason: String, from address: String) {
    state.withLock { state in
      state.count += 1
      state.reasons[reason, default: 0] += 1
      guard !address.isEmpty else { return }
      let isKnown = state.addresses[address] != nil || state.addresses.count < Self.mostAddresses
      state.addresses[isKnown ? address : "others", default: 0] += 1
    }
  }

  /// Makes the row that reports the refusals since the last such row; nil if there were none.
  ///
  /// - Parameter now: seconds since 1970.
  package func take(now: Int64) -> AuditEntry? {
    let counted = state.withLock { state in
      defer { state = State() }
      return state
    }
    guard counted.count > 0 else { return nil }
    let detail: JSONObject = [
      "count": .integer(counted.count), "reasons": Self.json(counted.reasons),
      "addresses": Self.json(counted.addresses),
    ]
    return AuditEntry(
      time: now, kind: .refusals, outcome: "refused", actor: .server, detail: JSONValue.object(detail).text)
  }

  /// The most frequent ones first.
  private static func json(_ counts: [String: Int64]) -> JSONValue {
    var object = JSONObject()
    for (name, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      object.set(name, .integer(count))
    }
    return .object(object)
  }
}
