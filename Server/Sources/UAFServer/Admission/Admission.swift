import NIOCore
import Synchronization
import UAFMessages
import UAFService

/// How often somebody may ask, and how often somebody may send invalid answers.
///
/// A machine that proves itself has its own budgets for its account, which nobody else can use up. A machine that has joined
/// has one budget for all accounts that it names. All others share the budgets of their address and of the account. Requests
/// for unknown names count like those for known ones: a limit must not reveal which names are known. A right answer has no
/// limit of its own, because a request was counted for it and it can be used once.
struct Admission: Sendable {
  /// Requests of one address in a minute, and as many wrong answers, by default.
  static let standardAddressRate: Int64 = 600
  /// Requests for one account in a minute, and as many of one machine, by default.
  static let standardAccountRate: Int64 = 120
  /// Answers to one challenge in a minute after the first answer: a challenge can be used once.
  private static let challengeRate: Int64 = 1
  /// How many machines and challenges are remembered.
  private static let manyNames = 100_000

  /// Requests for one account in a minute, as many of one machine, and as many wrong answers; 0 for no limit.
  let accountRate: Int64
  private let asked: RateLimiter?
  private let askedForAccount: RateLimiter?
  private let askedByMachine: RateLimiter?
  private let wrong: RateLimiter?
  private let answers: RateLimiter?

  /// Makes the limits; a rate of 0 means no limit.
  init(addressRate: Int64 = standardAddressRate, accountRate: Int64 = standardAccountRate) {
    asked = addressRate > 0 ? RateLimiter(.init(perMinute: addressRate)) : nil
    wrong = addressRate > 0 ? RateLimiter(.init(perMinute: addressRate)) : nil
    answers = addressRate > 0 ? RateLimiter(.init(perMinute: Self.challengeRate), capacity: Self.manyNames) : nil
    askedForAccount = accountRate > 0 ? RateLimiter(.init(perMinute: accountRate)) : nil
    askedByMachine = accountRate > 0 ? RateLimiter(.init(perMinute: accountRate), capacity: Self.manyNames) : nil
    self.accountRate = accountRate
  }

  // MARK: Requests

  /// Whether a request is read; this is decided before any part of its body is read.
  ///
  /// A machine that has used up its own budget is admitted like a stranger, so it is never worse off for having proved itself.
  ///
  /// - Returns: nil if its address has sent too many.
  func admits(_ machine: KnownMachine?, from address: SocketAddress?, now: Int64) -> Standing? {
    if let machine, !machine.claim.isAnswer, askedByMachine?.admits(Self.name(of: machine), now: now) ?? true {
      return .machine(machine.claim)
    }
    return admits(asked, address, now: now) ? .stranger : nil
  }

  /// The limit that stops a request after it was read; nil if the request is processed.
  ///
  /// A proof is valid for the request that it names. With a different one, the request counts as a stranger's.
  ///
  /// - Parameters:
  ///   - claim: the content of the request; nil if it names no operation or no account.
  ///   - account: the valid name of an account; whether such an account exists makes no difference.
  func limit(
    of claim: MachineClaim?, for account: String?, as standing: Standing, from address: SocketAddress?, now: Int64
  ) -> Limit? {
    if case .machine(let proved) = standing {
      if claim == proved { return nil }
      guard admits(asked, address, now: now) else { return .address }
    }
    guard let account, let askedForAccount else { return nil }
    return askedForAccount.admits(account, now: now) ? nil : .account
  }

  // MARK: Answers

  /// Whether an answer to a challenge of this server is verified.
  ///
  /// For each answer, a request was admitted first, and a challenge can be used once.
  func admits(answerTo challenge: [UInt8], now: Int64) -> Bool {
    answers?.admits(Base64URL.encode(challenge), now: now) ?? true
  }

  /// Counts a wrong answer from an address.
  ///
  /// ``WrongAnswerLimit`` counts the wrong answers of a known machine, and those for an account.
  func admits(wrongFrom address: SocketAddress?, now: Int64) -> Bool { admits(wrong, address, now: now) }

  private func admits(_ limiter: RateLimiter?, _ address: SocketAddress?, now: Int64) -> Bool {
    guard let limiter, let name = address.flatMap(Self.name) else { return true }
    return limiter.admits(name, now: now)
  }

  // MARK: Names

  /// The name under which a machine is counted: separately for each account, and for each kind of person for whom it asks.
  ///
  /// A machine that has joined is one name: it may name any account, and has no more turns for that.
  static func name(of machine: KnownMachine) -> String {
    machine.isJoined
      ? "joined \(Base64URL.encode(machine.machineID))"
      : "\(Base64URL.encode(machine.machineID)) \(machine.queue) \(machine.claim.username)"
  }

  /// The name under which an address is counted: a full IPv4 address; the first 64 bits of an IPv6 address, the network of one
  /// customer; one name for all loopback addresses, because whoever has one has all.
  ///
  /// - Returns: nil for a Unix socket.
  static func name(of address: SocketAddress) -> String? {
    guard let bytes = address.ipBytes else { return nil }
    if address.isLoopback { return loopback }
    return bytes.count == 4
      ? bytes.map { String($0) }.joined(separator: ".")
      : bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
  }

  private static let loopback = "loopback"
}

/// Whose rate limit a request was counted against.
enum Standing: Equatable, Sendable {
  /// The limit of a machine that has proved itself, for this claim.
  case machine(MachineClaim)
  /// The limit of its address.
  case stranger
}

/// What has too many requests.
enum Limit: String, CaseIterable, Sendable {
  case address
  case account
}

/// Counts answers that are wrong, and sees to it that the audit has them: each by itself, or one row for many.
///
/// An answer of a known machine, or of somebody with authority for the account, has a row within its budget, which is stored with
/// the count. Strangers write nothing in the store: their answers, and those beyond ``mostRows``, are counted in memory.
struct AnswerRefusals: Sendable {
  /// Rows for refusals in a minute, of all accounts together; twice as many at once.
  static let mostRows: Int64 = 600

  private let admission: Admission
  private let wrongAnswers: WrongAnswerLimit
  private let counted: RefusalCount
  /// Wrong answers of strangers for an account, at this instance.
  private let wrongOfStrangers: RateLimiter?
  private let rows = RateLimiter(.init(perMinute: mostRows))
  private let now: @Sendable () -> Int64

  init(environment: ServiceEnvironment, admission: Admission, count: RefusalCount) {
    self.admission = admission
    counted = count
    now = environment.now
    let rate = admission.accountRate
    wrongOfStrangers = rate > 0 ? RateLimiter(.init(perMinute: rate)) : nil
    wrongAnswers = WrongAnswerLimit(
      store: environment.store, keys: environment.keys, perMinute: rate, now: environment.now)
  }

  /// An address as the audit has it; empty for a Unix socket.
  static func text(_ address: SocketAddress?) -> String { address?.ipAddress ?? "" }

  /// Counts a refusal that has no row of its own.
  func count(_ reason: String, _ address: SocketAddress?) { counted.add(reason, from: Self.text(address)) }

  /// The row for a refused answer; nil if it is only counted.
  func event(
    _ answer: ReceivedResponse, _ refusal: ServiceRefusal, _ machine: KnownMachine?, _ address: SocketAddress?
  ) -> AuditEntry? {
    let now = now()
    let isKnown = machine.map { Self.isOf($0, answer.username) } ?? false
    guard isKnown || answer.isAuthorised(refused: refusal) else { return nil }
    guard admission.accountRate > 0, rows.admits("", now: now) else { return nil }
    return answer.event(refused: refusal, from: Self.text(address), now: now)
  }

  /// Whether a machine has proved that it sends an answer for the account.
  private static func isOf(_ machine: KnownMachine, _ account: String?) -> Bool {
    machine.claim.isAnswer && account.map(machine.claim.username.isIdentical(to:)) ?? true
  }

  /// Counts a wrong answer, and stores its row if it is within the budget.
  ///
  /// - Parameters:
  ///   - account: the account that the answered request was issued for; nil if there is no request.
  ///   - event: its row; nil for an answer of a stranger, which is counted in memory.
  /// - Returns: the limit that it is beyond; nil for none.
  func limit(
    _ machine: KnownMachine?, _ address: SocketAddress?, account: String?, _ event: AuditEntry?
  ) async throws -> Limit? {
    if let machine, Self.isOf(machine, account),
      try await wrongAnswers.admits("machine \(Admission.name(of: machine))", event: event)
    {
      return nil
    }
    guard admission.admits(wrongFrom: address, now: now()) else { return .address }
    guard let account else { return nil }
    guard let event else { return wrongOfStrangers?.admits(account, now: now()) ?? true ? nil : .account }
    return try await wrongAnswers.admits("account \(account)", event: event) ? nil : .account
  }
}

/// Token buckets, one for each name: too many requests are refused, short bursts are allowed.
final class RateLimiter: Sendable {
  private let rate: TokenBucket.Rate
  private let capacity: Int
  private let buckets = Mutex<[String: TokenBucket]>([:])

  /// Makes a limiter that remembers at most `capacity` names.
  ///
  /// If it is full, the names that have used least are forgotten first. So nobody is refused because of other names, and
  /// whoever asks too often stays limited.
  init(_ rate: TokenBucket.Rate, capacity: Int = 10_000) {
    self.rate = rate
    self.capacity = capacity
  }

  /// Whether one more is allowed now; a refused one is not counted.
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

  /// Forgets the names whose buckets are full again, and then those with the fullest buckets, until a quarter is free.
  ///
  /// A quarter, so that the search is not repeated for each new name.
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
