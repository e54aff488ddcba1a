import NIOCore
import Synchronization
import UAFMessages
import UAFService

/// Limits how many requests, and how many wrong answers, a sender may send.
///
/// A machine that proves itself has budgets of its own for its account, which nobody else can use up. A machine that has joined
/// has one budget for all accounts that it names. All other senders share the budgets of their address and of the account.
/// Requests for unknown names are counted like those for known ones, so that a limit does not reveal which names are known.
/// Right answers need no limit: each is the answer to a request that was counted, and can be used once.
struct Admission: Sendable {
  /// The default limit of one address in a minute, for requests and again for wrong answers.
  static let standardAddressRate: Int64 = 600
  /// The default limit in a minute for requests for one account, and again for requests of one machine.
  static let standardAccountRate: Int64 = 120
  /// How many answers to one challenge are verified in a minute, on average: a challenge can be used only once.
  private static let challengeRate: Int64 = 1
  /// How many machines, and how many challenges, are remembered.
  private static let manyNames = 100_000

  /// The limit in a minute for requests for one account, for requests of one machine, and for wrong answers; 0 for no limit.
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

  /// Decides, before any part of the body is read, whether a request is read at all, and which limit it counts against.
  ///
  /// A machine that has used up its own budget is treated like a stranger: proving itself never makes a machine worse off.
  ///
  /// - Returns: nil if the address has sent too many requests.
  func admits(_ machine: KnownMachine?, from address: SocketAddress?, now: Int64) -> Standing? {
    if let machine, !machine.claim.isAnswer, askedByMachine?.admits(Self.name(of: machine), now: now) ?? true {
      return .machine(machine.claim)
    }
    return admits(asked, address, now: now) ? .stranger : nil
  }

  /// The limit that a request has reached, which is known only after it was read; nil if the request is processed.
  ///
  /// A proof is valid only for the request that it names. If the request is a different one, it counts as a stranger's.
  ///
  /// - Parameters:
  ///   - claim: what the request claims to be; nil if it names no operation or no account.
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

  /// Whether one more answer to a challenge of this server is verified.
  ///
  /// The limits of requests also limit the challenges: this limit only stops many answers to the same challenge.
  func admits(answerTo challenge: [UInt8], now: Int64) -> Bool {
    answers?.admits(Base64URL.encode(challenge), now: now) ?? true
  }

  /// Counts a wrong answer from an address; false if it is beyond the limit.
  ///
  /// ``WrongAnswerLimit`` counts the wrong answers of a known machine, and those for an account.
  func admits(wrongFrom address: SocketAddress?, now: Int64) -> Bool { admits(wrong, address, now: now) }

  private func admits(_ limiter: RateLimiter?, _ address: SocketAddress?, now: Int64) -> Bool {
    guard let limiter, let name = address.flatMap(Self.name) else { return true }
    return limiter.admits(name, now: now)
  }

  // MARK: Names

  /// The name under which a machine's requests are counted: separately for each account, and for local, remote and other users.
  ///
  /// A joined machine has only one name: it may name any account, and must not get a larger budget for that.
  static func name(of machine: KnownMachine) -> String {
    machine.isJoined
      ? "joined \(Base64URL.encode(machine.machineID))"
      : "\(Base64URL.encode(machine.machineID)) \(machine.queue) \(machine.claim.username)"
  }

  /// The name under which an address is counted: a whole IPv4 address; of an IPv6 address the first 64 bits, which are one
  /// customer's network; and the same name for all loopback addresses, because whoever can use one can use all.
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

/// The rate limit that a request was counted against.
enum Standing: Equatable, Sendable {
  /// The limit of a machine that has proved itself, for this claim.
  case machine(MachineClaim)
  /// The limit of its address.
  case stranger
}

/// The limit that was reached.
enum Limit: String, CaseIterable, Sendable {
  case address
  case account
}

/// Counts wrong answers, and records them in the audit: each in its own row, or many in one row.
///
/// A wrong answer of a known machine, or of somebody with authority for the account, gets its own row as long as its budget
/// lasts; the row is stored together with the count. Strangers cause nothing to be written to the store: their wrong answers,
/// and those beyond ``mostRows``, are counted in memory.
struct AnswerRefusals: Sendable {
  /// The most rows about refusals in a minute, for all accounts together; twice as many in a burst.
  static let mostRows: Int64 = 600

  private let admission: Admission
  private let wrongAnswers: WrongAnswerLimit
  private let counted: RefusalCount
  /// The wrong answers of strangers for each account, at this instance.
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

  /// An address in the form of the audit; empty for a Unix socket.
  static func text(_ address: SocketAddress?) -> String { address?.ipAddress ?? "" }

  /// Counts a refusal that gets no row of its own.
  func count(_ reason: String, _ address: SocketAddress?) { counted.add(reason, from: Self.text(address)) }

  /// The row for a refused answer; nil if the answer is only counted.
  func event(
    _ answer: ReceivedResponse, _ refusal: ServiceRefusal, _ machine: KnownMachine?, _ address: SocketAddress?
  ) -> AuditEntry? {
    let now = now()
    let isKnown = machine.map { Self.isOf($0, answer.username) } ?? false
    guard isKnown || answer.isAuthorised(refused: refusal) else { return nil }
    guard admission.accountRate > 0, rows.admits("", now: now) else { return nil }
    return answer.event(refused: refusal, from: Self.text(address), now: now)
  }

  /// The row for a refused answer of a passkey; nil if the answer is only counted.
  ///
  /// - Parameter owner: the account whose passkey has signed; nil if none has.
  func event(
    _ answer: ReceivedPasskeyResponse, _ refusal: ServiceRefusal, signedBy owner: String?, _ address: SocketAddress?
  ) -> AuditEntry? {
    let now = now()
    guard let account = owner ?? answer.username, answer.isAuthorised(isSigned: owner != nil) else { return nil }
    guard admission.accountRate > 0, rows.admits("", now: now) else { return nil }
    return answer.event(refused: refusal, of: account, from: Self.text(address), now: now)
  }

  /// Whether a machine has proved that it sends an answer for the account.
  private static func isOf(_ machine: KnownMachine, _ account: String?) -> Bool {
    machine.claim.isAnswer && account.map(machine.claim.username.isIdentical(to:)) ?? true
  }

  /// Counts a wrong answer, and stores its row if it is within the budget.
  ///
  /// - Parameters:
  ///   - account: the account that the answered request was issued for; nil if there is no request.
  ///   - event: the row for the answer; nil for the answer of a stranger, which is counted in memory.
  /// - Returns: the limit that the answer exceeds; nil for none.
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

/// Rate limits with a token bucket for each name: short bursts are allowed.
final class RateLimiter: Sendable {
  private let rate: TokenBucket.Rate
  private let capacity: Int
  private let buckets = Mutex<[String: TokenBucket]>([:])

  /// Makes a limiter that remembers at most `capacity` names.
  ///
  /// If there is no room for a new name, the names that have used the least are forgotten first. So nobody is refused because
  /// of other names, and a name that has reached its limit stays limited.
  init(_ rate: TokenBucket.Rate, capacity: Int = 10_000) {
    self.rate = rate
    self.capacity = capacity
  }

  /// Whether one more request under a name is allowed now; a refused one is not counted.
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

  /// Forgets the names whose buckets are full again, and then those with the fullest buckets, until a quarter of the capacity
  /// is free.
  ///
  /// With less room, the search would soon be repeated, at worst for each new name.
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
