import UAFMessages

/// A search for machines, and the part of its result that one page shows.
package struct MachineQuery: Equatable, Sendable {
  /// By what machines are sorted; those that are equal in it are sorted by their IDs.
  package enum Order: String, CaseIterable, Sendable {
    case id
    case name
    case group
    case accounts
    case keys
    case lastUsed
    case lastReport
    case version
  }

  /// A text that the ID, the name, the model, the system, the group or the version contains, whatever the case of ASCII letters;
  /// empty for all machines.
  package var words = ""
  /// Machines of this standing; nil for all.
  package var standing: FleetMachine.Standing?
  package var order = Order.id
  package var isDescending = false
  /// The last machine of the page before; nil for the first page.
  package var after: MachinePlace?
  /// How many machines at most.
  package var limit: Int
  /// How many machines are looked at for one page at most, if there are too many to sort them.
  package var mostLookedAt = FleetSearch.mostLookedAt

  package init(limit: Int) { self.limit = limit }

  /// The same page of all machines, in the order of their IDs.
  package var plain: MachineQuery {
    var plain = MachineQuery(limit: limit)
    (plain.after, plain.mostLookedAt) = (after, mostLookedAt)
    return plain
  }
}

extension MachineQuery.Order: ListOrder {
  /// Whether machines are sorted by a text.
  package var isOfTexts: Bool {
    switch self {
    case .id, .name, .group, .version: true
    case .accounts, .keys, .lastUsed, .lastReport: false
    }
  }

  package var isByKey: Bool { self == .id }
}

/// The place of a machine in an order.
package typealias MachinePlace = SortedPlace<MachineQuery.Order>

/// A page of a search for machines.
package struct FleetSearch: Equatable, Sendable {
  /// The most machines that are searched and sorted at once: the store reads each of them.
  package static let mostSorted = 10_000
  /// The most machines that one page of a search looks at if there are more than ``mostSorted``: half a second in SQLite.
  package static let mostLookedAt = 50_000

  package let machines: [FleetMachine]
  /// Where the next page begins; nil on the last page.
  package let next: MachinePlace?
  /// How many machines match; nil if not all were looked at.
  package let total: Int?
  /// Whether there are machines that were left out, because there are too many to sort them.
  package let isPart: Bool
  /// Whether the page ends before it is full, because so many machines were looked at; the next page may have no machine.
  package let isCutShort: Bool

  package init(
    machines: [FleetMachine], next: MachinePlace?, total: Int?, isPart: Bool, isCutShort: Bool = false
  ) {
    self.machines = machines
    self.next = next
    self.total = total
    self.isPart = isPart
    self.isCutShort = isCutShort
  }
}
