/// The lock as the documentation describes it, for comparison with the ledger.
///
/// It lists the wrong entries and counts each lock down second by second, so it shares neither code nor method with the ledger.
struct LockModel: Hashable {
  /// Who makes an entry: the person at the machine, a remote person, or another user of the machine.
  enum Origin: Int, CaseIterable {
    case here, afar, another
  }

  /// What is configured, in whole seconds.
  struct Rules: Hashable {
    var tries: Int
    var seconds: Int
    /// How many temporary locks come before the permanent one; nil: no lock is permanent.
    var locks: Int?
    /// Up to which length locks double; nil: they do not double.
    var doublesTo: Int?
  }

  /// The outcome of an attempt, or of a look at the lock's status.
  enum Answer: Equatable {
    case free(tries: Int)
    case locked(seconds: Int)
    case lockedForGood
  }

  private struct Lock: Hashable {
    let length: Int?  // nil: permanent
    /// Seconds until the lock ends; below zero if it has ended and nobody has looked at it since.
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
    /// The strictest rules that were in force when any of these entries was counted.
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

    /// The number of entries since the last lock.
    var row: Int { entries.reversed().prefix { $0.lock == nil }.count }

    var earlierLocks: Int { entries.count { $0.lock != nil } }
  }

  private var sides = Origin.allCases.map { _ in Side() }
  private var numbers = 0

  /// Counts an entry that is wrong or not judged yet.
  ///
  /// Returns its number, or nil if it was refused.
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

  /// Notes that the entry with this number was right: it clears itself and all entries before it, local and remote, except a
  /// permanent lock that a different entry caused.
  mutating func wasRight(_ number: Int) {
    for index in sides.indices {
      sides[index].entries.removeAll { entry in
        let isForGood = entry.lock.map { $0.length == nil } ?? false
        return isForGood ? entry.number == number : entry.number <= number
      }
      if sides[index].entries.isEmpty { sides[index].strictest = nil }
    }
  }

  /// Whether an attempt is possible now, and how many tries are left.
  func ask(_ origin: Origin, _ configured: Rules) -> Answer {
    // A local lock stops attempts of every origin; any other lock stops only those of its own origin.
    let standing = Set([.here, origin]).map { sides[$0.rawValue] }.compactMap { $0.entries.last?.lock }.filter(\.stands)
    if standing.contains(where: { $0.length == nil }) { return .lockedForGood }
    if let left = standing.map(\.left).max() { return .locked(seconds: left) }
    let side = sides[origin.rawValue]
    // However far root lowers the limit, one try is left.
    return .free(tries: Swift.max(1, side.rules(configured).tries - side.row))
  }

  /// The rules in force: the configured ones, or stricter ones that still apply.
  func effectiveRules(_ origin: Origin, _ configured: Rules) -> Rules { sides[origin.rawValue].rules(configured) }

  /// Whether a configured rule is looser than the rule in force.
  func keepsStricter(_ origin: Origin, _ configured: Rules) -> Bool {
    sides[origin.rawValue].rules(configured) != configured
  }

  /// Reads the status: a lock that has ended by now stays ended.
  mutating func look() {
    forEachLock { lock in
      guard !lock.stands else { return }
      (lock.wasSeenOver, lock.left) = (true, 0)
    }
  }

  mutating func pass(_ seconds: Int) {
    forEachLock { if $0.length != nil, !$0.wasSeenOver { $0.left -= seconds } }
  }

  /// The machine goes back to a snapshot of its memory and clock while the disk stays as it is; then the status is read.
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

  /// Restarts the locks whose end nobody has noticed.
  mutating func reboot() {
    forEachLock { if !$0.wasSeenOver { $0.left = $0.length ?? 0 } }
  }

  mutating func unlock() {
    sides = Origin.allCases.map { _ in Side() }
  }

  private mutating func forEachLock(_ body: (inout Lock) -> Void) {
    for index in sides.indices {
      // Only the last entry can have caused a lock: entries during a lock are refused.
      guard let last = sides[index].entries.indices.last, var lock = sides[index].entries[last].lock else { continue }
      body(&lock)
      sides[index].entries[last].lock = lock
    }
  }
}
