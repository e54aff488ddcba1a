/// The lock as the documentation describes it, for comparison with the ledger.
///
/// The wrong entries in a list, and clocks that count down second by second: it shares no code and no idea with the ledger.
struct LockModel: Hashable {
  /// Who enters: the person at the machine, a remote person, another user of the machine.
  enum Origin: Int, CaseIterable {
    case here, afar, another
  }

  /// What is configured, in whole seconds.
  struct Rules: Hashable {
    var tries: Int
    var seconds: Int
    /// Temporary locks before the permanent one; nil: never permanent.
    var locks: Int?
    /// How long a lock may become by doubling; nil: it does not double.
    var doublesTo: Int?
  }

  /// How an attempt or a question ends.
  enum Answer: Equatable {
    case free(tries: Int)
    case locked(seconds: Int)
    case lockedForGood
  }

  private struct Lock: Hashable {
    let length: Int?  // nil: permanent
    /// Below zero once the lock is over, until somebody checks it.
    var left: Int
    var wasSeenOver = false
    var stands: Bool { length == nil || left > 0 }
  }

  private struct Entry: Hashable {
    var number: Int
    var lock: Lock?
  }

  private struct Side: Hashable {
    /// All entries that count, the oldest first.
    var entries: [Entry] = []
    /// The strictest rules under which any of them was counted.
    var strictest: Rules?

    func rules(_ configured: Rules) -> Rules {
      guard let strictest, !entries.isEmpty else { return configured }
      var rules = configured
      if strictest.tries < rules.tries { rules.tries = strictest.tries }
      if strictest.seconds > rules.seconds { rules.seconds = strictest.seconds }
      if let locks = strictest.locks, rules.locks == nil || locks < rules.locks ?? 0 { rules.locks = locks }
      if let limit = strictest.doublesTo, limit > rules.doublesTo ?? 0 { rules.doublesTo = limit }
      return rules
    }

    /// Entries since the last lock.
    var row: Int { entries.reversed().prefix { $0.lock == nil }.count }

    var earlierLocks: Int { entries.count { $0.lock != nil } }
  }

  private var sides = Origin.allCases.map { _ in Side() }
  private var numbers = 0

  /// A wrong entry, or one that is not yet known to be right: its number, or nil if it was refused.
  mutating func enter(_ origin: Origin, _ configured: Rules) -> (number: Int?, answer: Answer) {
    look()
    let answer = ask(origin, configured)
    guard case .free = answer else { return (nil, answer) }
    numbers += 1
    var side = sides[origin.rawValue]
    let rules = side.rules(configured)
    side.strictest = rules
    var entry = Entry(number: numbers)
    if side.row + 1 >= rules.tries { entry.lock = lock(rules, after: side.earlierLocks) }
    side.entries.append(entry)
    sides[origin.rawValue] = side
    return (numbers, answer)
  }

  private func lock(_ rules: Rules, after earlier: Int) -> Lock {
    if let locks = rules.locks, earlier >= locks { return Lock(length: nil, left: 0) }
    var seconds = rules.seconds
    if let limit = rules.doublesTo {
      for _ in 0..<earlier where seconds < limit { seconds = Swift.min(seconds * 2, limit) }
    }
    return Lock(length: seconds, left: seconds)
  }

  /// The entry with that number was right: it forgives itself and all entries before it, local and remote, except a permanent
  /// lock that a different entry caused.
  mutating func wasRight(_ number: Int) {
    for index in sides.indices {
      sides[index].entries.removeAll { entry in
        let isForGood = entry.lock.map { $0.length == nil } ?? false
        return isForGood ? entry.number == number : entry.number <= number
      }
      if sides[index].entries.isEmpty { sides[index].strictest = nil }
    }
  }

  /// The state of the attempts.
  func ask(_ origin: Origin, _ configured: Rules) -> Answer {
    // A local lock stops everybody, and any other lock stops the attempts of its own origin.
    let standing = Set([.here, origin]).map { sides[$0.rawValue] }.compactMap { $0.entries.last?.lock }.filter(\.stands)
    if standing.contains(where: { $0.length == nil }) { return .lockedForGood }
    if let left = standing.map(\.left).max() { return .locked(seconds: left) }
    let side = sides[origin.rawValue]
    // However far a limit was lowered, nobody is refused for that: one try is left.
    return .free(tries: Swift.max(1, side.rules(configured).tries - side.row))
  }

  /// The rules in force: the configured ones, or stricter ones that still apply.
  func effectiveRules(_ origin: Origin, _ configured: Rules) -> Rules { sides[origin.rawValue].rules(configured) }

  /// Whether a configured rule is looser than the rule in force.
  func keepsStricter(_ origin: Origin, _ configured: Rules) -> Bool {
    sides[origin.rawValue].rules(configured) != configured
  }

  /// Somebody checks: a lock that is over stays over.
  mutating func look() {
    forEachLock { lock in
      guard !lock.stands else { return }
      (lock.wasSeenOver, lock.left) = (true, 0)
    }
  }

  mutating func pass(_ seconds: Int) {
    forEachLock { if $0.length != nil, !$0.wasSeenOver { $0.left -= seconds } }
  }

  /// The machine's memory, with its clock, is restored to an earlier time, and the disk is not; somebody checks immediately.
  mutating func goBack(_ seconds: Int) {
    forEachLock { lock in
      guard let length = lock.length, !lock.wasSeenOver else { return }
      lock.left = Swift.min(length, lock.left + seconds)
    }
    look()
  }

  /// The numbers of all entries that count.
  var entryNumbers: [Int] { sides.flatMap { $0.entries.map(\.number) } }

  /// Gives all entries new numbers, in the same order.
  mutating func renumber(last: Int, _ number: (Int) -> Int) {
    numbers = last
    for side in sides.indices {
      for index in sides[side].entries.indices {
        sides[side].entries[index].number = number(sides[side].entries[index].number)
      }
    }
  }

  /// Clocks that nobody saw end run once more.
  mutating func reboot() {
    forEachLock { if !$0.wasSeenOver { $0.left = $0.length ?? 0 } }
  }

  mutating func unlock() {
    sides = Origin.allCases.map { _ in Side() }
  }

  private mutating func forEachLock(_ body: (inout Lock) -> Void) {
    for index in sides.indices {
      // Only the last entry can have a lock: no entry is possible after a lock.
      guard let last = sides[index].entries.indices.last, var lock = sides[index].entries[last].lock else { continue }
      body(&lock)
      sides[index].entries[last].lock = lock
    }
  }
}
