import Foundation
import Testing

@testable import Authenticator
import AuthenticatorTypes

/// The ledger by itself in every state, with every operation: it must do the same as the model that `make proofs` checks.
///
/// Both the ledger and the model compute all rows of a table. proofs/table.txt holds the number of rows and the sum of their
/// hashes, so a change of only one of the two is noticed.
@Suite struct LedgerTableTests {
  /// One configuration whose states are all explored; times are in the unit of the model, half minutes.
  private struct World {
    let name: String
    let origins: [AttemptOrigin]
    /// How many tries local attempts have, and how many those of the other origins.
    let tries: (local: Int, others: Int)
    let lockTime: Int64
    /// The exploration stops at this uptime in each boot.
    let longestUptime: Int64

    /// After one lock, the next one is permanent.
    func policy(_ origin: AttemptOrigin) -> LockPolicy {
      LockPolicy(
        retryCountToLock: origin == .local ? tries.local : tries.others, lockTime: .seconds(lockTime * unitSeconds),
        maxLockCount: 1, doublesUpTo: nil)
    }
  }

  private enum Step {
    case charge(AttemptOrigin)
    case settle(UInt64)
    case unlock, pass, time, back, reboot

    /// The name of this configuration in the table.
    var name: String {
      switch self {
      case .charge(let origin): "charge \(origin)"
      case .settle: "settle"
      case .unlock: "unlock"
      case .pass: "pass"
      case .time: "time"
      case .back: "back"
      case .reboot: "reboot"
      }
    }
  }

  private struct Moment {
    var ledger = AttemptLedger()
    var uptime: Int64 = 0

    var now: BootTime { BootTime(bootID: thisBoot, nanoseconds: uptime * unitNanoseconds, wallSeconds: 0) }
  }

  private struct Sum {
    var rows = 0
    var hashes: UInt64 = 0
  }

  private static let worlds = [
    World(name: "one origin, two tries", origins: [.local], tries: (2, 2), lockTime: 2, longestUptime: 3),
    World(name: "two origins, one try", origins: [.local, .remote], tries: (1, 1), lockTime: 1, longestUptime: 1),
    World(
      name: "two origins, two tries and one", origins: [.local, .remote], tries: (2, 1), lockTime: 2, longestUptime: 3),
  ]

  @Test func `in every state the ledger does what the model of the proofs does`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../proofs")
    let table = try String(contentsOf: folder.appending(path: "table.txt"), encoding: .utf8)
    let expected = table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(Self.worlds.flatMap(Self.lines) == expected)
  }

  private static func lines(_ world: World) -> [String] {
    explore(world).sorted { $0.key < $1.key }.map { name, sum in
      let digits = String(sum.hashes, radix: 16)
      let hash = String(repeating: "0", count: 16 - digits.count) + digits
      return "\(world.name): \(name): \(sum.rows) rows, \(hash)"
    }
  }

  private static func explore(_ world: World) -> [String: Sum] {
    var sums: [String: Sum] = [:]
    var open = [Moment()]
    var known: Set<String> = [text(Moment(), world)]
    while let moment = open.popLast() {
      let before = text(moment, world)
      for step in steps(from: moment, world) {
        let (successor, told) = take(step, from: moment, world)
        let after = text(successor, world)
        sums[step.name, default: Sum()].rows += 1
        sums[step.name, default: Sum()].hashes &+= hash("\(before) > \(step.name)\(told) = \(after)")
        if known.insert(after).inserted { open.append(successor) }
      }
    }
    return sums
  }

  private static func steps(from moment: Moment, _ world: World) -> [Step] {
    var steps = world.origins.map(Step.charge) + [.unlock, .pass, .reboot]
    // All tickets have even numbers, so each odd number is one that was never given out.
    steps += (1...moment.ledger.lastTicket + 1).map(Step.settle)
    if moment.uptime < world.longestUptime { steps.append(.time) }
    if moment.uptime > 0 { steps.append(.back) }
    return steps
  }

  /// - Returns: the moment after the step, and what the row says of the step besides its name.
  private static func take(_ step: Step, from moment: Moment, _ world: World) -> (Moment, String) {
    var moment = moment
    var told = ""
    switch step {
    case .charge(let origin):
      switch moment.ledger.charge(origin, at: moment.now, policy: world.policy(origin)) {
      case .charged: told = ", 1 0"
      case .locked(let time): told = ", 2 \(time.components.seconds / unitSeconds)"
      case .permanentlyLocked: told = ", 3 \(forever)"
      }
    case .settle(let ticket):
      moment.ledger.settle(ticket)
      told = " \(ticket)"
    case .unlock: moment.ledger.unlock()
    case .pass: moment.ledger.pass(to: moment.now)
    case .time: moment.uptime += 1
    case .back: moment.uptime -= 1
    case .reboot:
      moment.uptime = 0
      for origin in world.origins where moment.ledger[origin].lock != nil {
        moment.ledger[origin].lock?.started = BootTime(bootID: earlierBoot, nanoseconds: 0, wallSeconds: 0)
      }
    }
    renumber(&moment.ledger, world)
    return (moment, told)
  }

  /// Renumbers the tickets 2, 4, 6 and so on, in their order.
  private static func renumber(_ ledger: inout AttemptLedger, _ world: World) {
    var tickets: [UInt64] = []
    for origin in world.origins {
      let counter = ledger[origin]
      tickets += counter.charges + counter.locks + (counter.lock.map { [$0.ticket] } ?? [])
    }
    let ordered = Set(tickets).sorted()
    let rank: (UInt64) -> UInt64 = { ticket in 2 * UInt64((ordered.firstIndex(of: ticket) ?? 0) + 1) }
    for origin in world.origins {
      ledger[origin].charges = ledger[origin].charges.map(rank)
      ledger[origin].locks = ledger[origin].locks.map(rank)
      if let lock = ledger[origin].lock { ledger[origin].lock?.ticket = rank(lock.ticket) }
    }
    ledger.lastTicket = 2 * UInt64(ordered.count)
  }

  /// One moment in the notation of a row: the uptime, then for each origin the sets of charges and locks, and the ticket,
  /// length and beginning of the lock, and whether it began in an earlier boot.
  private static func text(_ moment: Moment, _ world: World) -> String {
    let counters = world.origins.map { origin in
      let counter = moment.ledger[origin]
      var lock = "0 0 0 0"
      if let stored = counter.lock {
        let started = stored.started.nanoseconds / unitNanoseconds
        lock = "\(stored.ticket) \(length(stored)) \(started) \(stored.started.bootID == thisBoot ? 0 : 1)"
      }
      return " \(set(counter.charges)) \(set(counter.locks)) \(lock)"
    }
    return "\(moment.uptime):" + counters.joined(separator: ",")
  }

  private static func length(_ lock: Lock) -> Int64 {
    switch lock.length {
    case .permanent: forever
    case .temporary(let nanoseconds): nanoseconds / unitNanoseconds
    }
  }

  private static func set(_ tickets: [UInt64]) -> UInt64 { tickets.reduce(0) { $0 | 1 << $1 } }

  /// The hash FNV-1a.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

private let unitSeconds: Int64 = 30
private let unitNanoseconds: Int64 = 30_000_000_000
/// How a row writes the length of a permanent lock.
private let forever: Int64 = 255
private let thisBoot: [UInt8] = [1]
private let earlierBoot: [UInt8] = [0]
