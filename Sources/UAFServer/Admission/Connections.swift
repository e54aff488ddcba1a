import Synchronization

/// The connections that are open, by the address they come from.
///
/// Where there are too many, a new one is taken all the same, and another one gives way: a refusal at that point would come
/// before TLS, and clients could not tell it from a server that is away. It is the one that was quiet for longest of those
/// that are as far as most of the address's are: a crowd that says nothing displaces itself, and nobody who gets on.
final class Connections: Sendable {
  /// Connections of one address at once, unless the administrator says otherwise: half of all that are served.
  static let standardMaximum = 512
  /// Connections that are served at once.
  static let maximumOfAll = 1024
  /// An address has few connections if it has at most this fraction (one in so many) of all places.
  private static let shares = 64

  /// One connection of the table.
  struct Place: Hashable, Sendable {
    let name: String
    let number: UInt64
  }

  /// A connection that gave way.
  struct Displaced: Sendable {
    let name: String
    let close: @Sendable () -> Void
  }

  /// How far a connection is.
  enum Stage: Int, CaseIterable, Sendable {
    /// Nothing has come.
    case silent
    case handshake
    /// A request may come, or is coming.
    case open
    /// Between the end of a request and the end of its answer: what is waited for is ours.
    case answering
  }

  private struct Entry {
    /// Counted up with each step of any connection, so that the lowest is the one that was quiet for longest.
    var since: UInt64
    var stage = Stage.silent
    let close: @Sendable () -> Void
  }

  private struct Table {
    var entries: [String: [UInt64: Entry]] = [:]
    var count = 0
    var steps: UInt64 = 0

    mutating func step() -> UInt64 {
      steps &+= 1
      return steps
    }

    mutating func remove(_ place: Place) -> Entry? {
      guard let entry = entries[place.name]?.removeValue(forKey: place.number) else { return nil }
      if entries[place.name]?.isEmpty == true { entries[place.name] = nil }
      count -= 1
      return entry
    }

    /// The address that has most connections; all of them where that is few, since it costs little to come from many
    /// addresses, and a machine may have two logins at once.
    func crowded(few: Int) -> [String] {
      guard let most = entries.max(by: { $0.value.count < $1.value.count }) else { return [] }
      return most.value.count > few ? [most.key] : Array(entries.keys)
    }

    /// Takes out the connection of some addresses that was quiet for longest at the stage where most of them are; one that
    /// is being answered last of all.
    mutating func displace(from names: [String]) -> Displaced? {
      var counts = Stage.allCases.map { _ in 0 }
      // The lowest number of each stage, and whose it is.
      var quietest: [Stage: (since: UInt64, place: Place)] = [:]
      for name in names {
        for (number, entry) in entries[name] ?? [:] {
          counts[entry.stage.rawValue] += 1
          if let found = quietest[entry.stage], found.since < entry.since { continue }
          quietest[entry.stage] = (entry.since, Place(name: name, number: number))
        }
      }
      let waiting = Stage.allCases.filter { $0 != .answering && counts[$0.rawValue] > 0 }
      let stage = waiting.max { counts[$0.rawValue] < counts[$1.rawValue] } ?? .answering
      guard let place = quietest[stage]?.place, let entry = remove(place) else { return nil }
      return Displaced(name: place.name, close: entry.close)
    }
  }

  private let maximum: Int
  private let maximumOfAll: Int
  private let table = Mutex(Table())

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - maximum: connections of one address; 0 is no limit of its own.
  ///   - maximumOfAll: connections of all addresses together.
  init(maximum: Int = standardMaximum, maximumOfAll: Int = maximumOfAll) {
    self.maximum = maximum
    self.maximumOfAll = maximumOfAll
  }

  /// Takes in a connection.
  ///
  /// - Parameters:
  ///   - name: as ``Admission/name(of:)`` has it; nil, this machine's own, has no limit but that of all.
  ///   - close: closes the connection at once; it is called from outside, for another one's sake.
  /// - Returns: its place, and the connections that have to be closed for it: of its own address where that has as many as
  ///   it may, and of the address that has most where all places are taken.
  func open(_ name: String?, close: @escaping @Sendable () -> Void) -> (place: Place, displaced: [Displaced]) {
    table.withLock { table in
      let own = name ?? ""
      var displaced: [Displaced?] = []
      if name != nil, maximum > 0, table.entries[own]?.count ?? 0 >= maximum {
        displaced.append(table.displace(from: [own]))
      }
      if table.count >= maximumOfAll {
        displaced.append(table.displace(from: table.crowded(few: maximumOfAll / Self.shares)))
      }
      let number = table.step()
      table.entries[own, default: [:]][number] = Entry(since: number, close: close)
      table.count += 1
      return (Place(name: own, number: number), displaced.compactMap { $0 })
    }
  }

  /// Notes that a connection got on.
  func step(_ place: Place, to stage: Stage) {
    table.withLock { table in
      guard var entry = table.entries[place.name]?[place.number] else { return }
      entry.since = table.step()
      entry.stage = stage
      table.entries[place.name]?[place.number] = entry
    }
  }

  /// Lets a connection go that has ended; nothing where it gave way before.
  func close(_ place: Place) {
    table.withLock { table in _ = table.remove(place) }
  }

  /// How many connections there are, and of how many addresses.
  var size: (connections: Int, addresses: Int) { table.withLock { ($0.count, $0.entries.count) } }
}
