import Synchronization
import UAFMessages

/// What `uafctl doctor` found on a machine: the IDs of its failures.
package struct MachineExamination: Equatable, Sendable {
  /// The IDs, at most ``FindingList/most``; none if nothing failed.
  package let failures: [String]
  /// When the machine reported them, in seconds since 1970.
  package let at: Int64

  package init(failures: [String], at: Int64) {
    self.failures = failures
    self.at = at
  }

  /// Reads what the store keeps; nil if it keeps nothing that can be read.
  package init?(text: String?, at: Int64?) {
    guard let text, let at, let json = try? JSONValue(parsing: Array(text.utf8)),
      let ids = try? FindingList.read(json, path: "findings")
    else { return nil }
    self.init(failures: ids, at: at)
  }

  /// The text that the store keeps: a JSON array.
  package var text: String { FindingList.json(failures).text }
}

/// What a report says for the first time about an account or the machine.
package struct NewTroubles: Equatable, Sendable {
  /// Locks that the machine has not reported before, or that began again.
  var locks: [ReportedLock] = []
  /// Wrong values in a row that are more than at the last report.
  var wrongValues: [ReportedAttempts] = []
  /// Doctor's failures that the last examination did not find.
  var failures: [String] = []

  init() {}

  /// Compares a report with the one before it.
  ///
  /// - Parameter now: seconds since 1970.
  init(_ contact: MachineContact, after before: MachineContact?, now: Int64) {
    let known = before?.locks.named.filter { $0.until.map { $0 > now } ?? true } ?? []
    locks = contact.locks.named.filter { lock in
      !known.contains { $0.account.isIdentical(to: lock.account) && $0.type == lock.type && $0.origin == lock.origin }
    }
    let counted = before?.wrongValues.named ?? []
    wrongValues = contact.wrongValues.named.filter { new in
      !counted.contains {
        $0.account.isIdentical(to: new.account) && $0.type == new.type && $0.origin == new.origin
          && $0.count >= new.count
      }
    }
    let failed = before?.examination?.failures ?? []
    failures = contact.examination?.failures.filter { !failed.contains($0) } ?? []
  }
}

/// How many new locks, wrong values in a row and failures of doctor machines have reported since the start.
package final class TroubleCount: Sendable {
  /// The numbers.
  package struct Figures: Equatable, Sendable {
    package var locks = 0
    package var wrongValues = 0
    package var failures = 0
  }

  private let state = Mutex(Figures())

  package init() {}

  package var figures: Figures { state.withLock { $0 } }

  func count(_ new: NewTroubles) {
    state.withLock { figures in
      figures.locks += new.locks.count
      figures.wrongValues += new.wrongValues.count
      figures.failures += new.failures.count
    }
  }
}
