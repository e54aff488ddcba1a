import Testing

@testable import Authenticator
import AuthenticatorTypes

/// Three conversations at one lock, in every order: each counts an attempt, then the entry is judged or the process is killed,
/// and it counts a next attempt.
///
/// Between any two steps the machine may restart, its clock may move on or back, and root may unlock.
@Suite struct LockExplorationTests {
  /// Everything that can happen, at any time and in any order.
  private enum Event: CaseIterable {
    /// One conversation counts an attempt; the key is then derived from its secret.
    case enter0, enter1, enter2
    /// The secret was right, and its attempt is cleared.
    case right0, right1, right2
    /// The secret was wrong, or the process was killed before it learned that the secret was right: the disk then has the same
    /// content.
    case gone0, gone1, gone2
    /// Time passes, the machine goes back to a snapshot of its memory, it restarts, root unlocks, or the status is read.
    case pass, back, restart, unlock, look

    /// The conversation of the event; nil for an event of the machine.
    var conversation: Int? {
      switch self {
      case .enter0, .right0, .gone0: 0
      case .enter1, .right1, .gone1: 1
      case .enter2, .right2, .gone2: 2
      case .pass, .back, .restart, .unlock, .look: nil
      }
    }
  }

  /// The lock, its model, and the running conversations.
  private struct Moment {
    var ledger = AttemptLedger()
    var model = LockModel()
    /// For each conversation, the ticket of an attempt that was counted but not judged yet.
    var underWay: [UInt64?] = [nil, nil, nil]
    /// Half minutes since the machine started.
    var uptime = 0

    /// Everything in which two moments can differ.
    var key: Key {
      let counters = AttemptOrigin.allCases.map { origin in
        let counter = ledger[origin]
        return Key.Counter(
          charges: counter.charges, locks: counter.locks, lockTicket: counter.lock?.ticket,
          isForGood: counter.lock?.length == .permanent, boot: counter.lock?.started.bootID.first,
          started: counter.lock?.started.nanoseconds, hasPolicy: counter.policy != nil)
      }
      return Key(counters: counters, model: model, underWay: underWay, uptime: uptime)
    }
  }

  private struct Key: Hashable {
    struct Counter: Hashable {
      let charges: [UInt64]
      let locks: [UInt64]
      let lockTicket: UInt64?
      let isForGood: Bool
      let boot: UInt8?
      let started: Int64?
      let hasPolicy: Bool
    }

    let counters: [Counter]
    let model: LockModel
    let underWay: [UInt64?]
    let uptime: Int
  }

  /// How often each situation occurred, so that a test can show that the exploration reaches all of them.
  private struct Tally {
    var states = 0
    var depth = 0
    var events = 0
    var counted = 0
    var refused = 0
    var refusedForGood = 0
    var lateRight = 0
    var objections: Set<String> = []
  }

  private static let unit: Int64 = 30_000_000_000
  /// The machine restarts after this many half minutes at the latest: long enough for a lock to begin, end and begin again.
  private static let longestUptime = 3

  /// A lock of one minute whose successor is permanent, so that a few entries reach every rule.
  private struct Setup {
    let origins: [LockModel.Origin]
    let tries: Int

    var rules: LockModel.Rules { LockModel.Rules(tries: tries, seconds: 60, locks: 1, doublesTo: nil) }
    var policy: LockPolicy {
      LockPolicy(retryCountToLock: tries, lockTime: .seconds(60), maxLockCount: 1, doublesUpTo: nil)
    }
  }

  private static func origin(_ origin: LockModel.Origin) -> AttemptOrigin {
    switch origin {
    case .here: .local
    case .afar: .remote
    case .another: .otherUser
    }
  }

  /// A time in this boot, with any wall clock, because the wall clock must not matter.
  private static func now(_ uptime: Int, wall: Int64) -> BootTime {
    BootTime(bootID: [1], nanoseconds: Int64(uptime) * unit, wallSeconds: wall)
  }

  @Test func `in any order of events, each guess of one origin is counted once and no lock is lost`() {
    check(Setup(origins: [.here, .here, .here], tries: 2))
  }

  @Test func `in any order of events with several origins and a lock after each wrong entry, no lock is lost`() {
    check(Setup(origins: [.here, .here, .afar], tries: 1))
  }

  private func check(_ setup: Setup) {
    let tally = explore(setup)
    #expect(tally.objections.isEmpty, "\(tally.objections.sorted().prefix(5))")
    print(
      "lock, \(setup.origins.map { "\($0)" }): \(tally.states) states, depth \(tally.depth), \(tally.events) events")
    #expect(tally.counted > 100 && tally.refused > 100 && tally.refusedForGood > 100 && tally.lateRight > 100)
  }

  private func explore(_ setup: Setup) -> Tally {
    var tally = Tally()
    var known: Set<Key> = [Moment().key]
    var level = [Moment()]
    while !level.isEmpty, tally.objections.isEmpty {
      var next: [Moment] = []
      for moment in level {
        for event in Event.allCases {
          guard let successor = successor(of: moment, event, setup, &tally) else { continue }
          tally.events += 1
          if known.insert(successor.key).inserted { next.append(successor) }
        }
      }
      level = next
      if !level.isEmpty { tally.depth += 1 }
    }
    tally.states = known.count
    return tally
  }

  /// - Returns: nil if the event cannot happen.
  private func successor(
    of before: Moment, _ event: Event, _ setup: Setup, _ tally: inout Tally
  ) -> Moment? {
    var moment = before
    if let conversation = event.conversation {
      let isDone = act(conversation, event, setup, &moment, &tally)
      guard isDone else { return nil }
    } else {
      guard change(event, &moment) else { return nil }
    }
    if let objection = Self.objection(to: moment, setup) { tally.objections.insert("\(objection), at \(event)") }
    return Self.normalised(moment)
  }

  /// One step of a conversation.
  private func act(
    _ conversation: Int, _ event: Event, _ setup: Setup, _ moment: inout Moment, _ tally: inout Tally
  ) -> Bool {
    switch (event, moment.underWay[conversation]) {
    case (.enter0, nil), (.enter1, nil), (.enter2, nil):
      let origin = setup.origins[conversation]
      let expected = moment.model.enter(origin, setup.rules)
      let outcome = moment.ledger.charge(
        Self.origin(origin), at: Self.now(moment.uptime, wall: 0), policy: setup.policy)
      switch (outcome, expected.number) {
      case (.charged(let ticket), .some(let number)) where ticket == UInt64(number):
        tally.counted += 1
        moment.underWay[conversation] = ticket
      case (.locked, nil): tally.refused += 1
      case (.permanentlyLocked, nil): tally.refusedForGood += 1
      default: tally.objections.insert("\(outcome) instead of \(expected.answer)")
      }
    case (.right0, let ticket?), (.right1, let ticket?), (.right2, let ticket?):
      if ticket < moment.ledger.lastTicket { tally.lateRight += 1 }
      moment.model.wasRight(Int(ticket))
      moment.ledger.settle(ticket)
      moment.underWay[conversation] = nil
    case (.gone0, .some), (.gone1, .some), (.gone2, .some): moment.underWay[conversation] = nil
    default: return false
    }
    return true
  }

  /// One event of the machine.
  private func change(_ event: Event, _ moment: inout Moment) -> Bool {
    switch event {
    case .pass where moment.uptime < Self.longestUptime:
      moment.uptime += 1
      moment.model.pass(30)
    case .back where moment.uptime > 0:
      moment.uptime -= 1
      moment.model.goBack(30)
      moment.ledger.pass(to: Self.now(moment.uptime, wall: 0))
    case .restart:
      // A restart ends every conversation.
      moment.underWay = [nil, nil, nil]
      moment.uptime = 0
      moment.model.reboot()
      moment.ledger = Self.withEarlierBoots(moment.ledger)
    case .unlock:
      moment.model.unlock()
      moment.ledger.unlock()
    case .look:
      moment.model.look()
      moment.ledger.pass(to: Self.now(moment.uptime, wall: 0))
    default: return false
    }
    return true
  }

  /// Which rule a moment breaks; nil if none.
  private static func objection(to moment: Moment, _ setup: Setup) -> String? {
    for from in LockModel.Origin.allCases {
      let origin = origin(from)
      let counter = moment.ledger[origin]
      if Set(counter.charges).count != counter.charges.count { return "a guess is counted twice" }
      if counter.charges.count > setup.tries { return "more guesses than tries" }
      if counter.charges.count == setup.tries, counter.lock == nil { return "all tries are used, and nothing locks" }
      // A wall clock that is years off changes nothing.
      let status = moment.ledger.status(origin, at: now(moment.uptime, wall: 1_900_000_000), policy: setup.policy)
      let expected: LockStatus =
        switch moment.model.ask(from, setup.rules) {
        case .free(let tries): LockStatus(isPermanent: false, remainingLock: nil, remainingTries: tries)
        case .locked(let seconds):
          LockStatus(isPermanent: false, remainingLock: .seconds(seconds), remainingTries: 0)
        case .lockedForGood: LockStatus(isPermanent: true, remainingLock: nil, remainingTries: 0)
        }
      if status != expected { return "\(origin): \(status) instead of \(expected)" }
    }
    return nil
  }

  /// The same moment with the lowest tickets in the same order: the lock knows only the order of the tickets.
  private static func normalised(_ moment: Moment) -> Moment {
    var moment = moment
    var tickets = Set(moment.underWay.compactMap(\.self) + moment.model.entryNumbers.map { UInt64($0) })
    for origin in AttemptOrigin.allCases {
      let counter = moment.ledger[origin]
      tickets.formUnion(counter.charges + counter.locks)
      if let lock = counter.lock { tickets.insert(lock.ticket) }
    }
    let ranks = Dictionary(uniqueKeysWithValues: tickets.sorted().enumerated().map { ($1, UInt64($0 + 1)) })
    let rank: (UInt64) -> UInt64 = { ranks[$0] ?? 0 }
    for origin in AttemptOrigin.allCases {
      moment.ledger[origin].charges = moment.ledger[origin].charges.map(rank)
      moment.ledger[origin].locks = moment.ledger[origin].locks.map(rank)
      if let lock = moment.ledger[origin].lock { moment.ledger[origin].lock?.ticket = rank(lock.ticket) }
    }
    moment.ledger.lastTicket = UInt64(ranks.count)
    moment.model.renumber(last: ranks.count) { Int(rank(UInt64($0))) }
    moment.underWay = moment.underWay.map { $0.map(rank) }
    return moment
  }

  /// The ledger as a restarted machine finds it: with locks of an earlier boot.
  ///
  /// When they began in that boot does not matter.
  private static func withEarlierBoots(_ ledger: AttemptLedger) -> AttemptLedger {
    var ledger = ledger
    for origin in AttemptOrigin.allCases where ledger[origin].lock != nil {
      ledger[origin].lock?.started = BootTime(bootID: [0], nanoseconds: 0, wallSeconds: 0)
    }
    return ledger
  }
}
