/// Which connections to the socket get a core: each user id has a few at once and a few a second.
struct ConnectionLimits {
  /// What is done with a connection.
  enum Answer: Equatable {
    /// It gets a core.
    case start
    /// It gets the message that there are too many. `isNews` is true once a minute for each user id, and is logged then.
    case refuse(isNews: Bool)
    /// It is closed without a message: a host with root then starts a core itself.
    case drop
  }

  private struct Record {
    /// Connections with a core.
    var open = 0
    /// When, in milliseconds, the user id may again start a whole burst.
    var restedAt: Int64 = 0
    /// When, in milliseconds, the next refusal is logged.
    var newsAt = Int64.min
  }

  // The most cores at once: for root's hosts, for all other user ids together, for one user id. PeerSlot allows a user id fewer
  // than this, so that the core can refuse the rest in the person's language.
  static let hosts = 192
  static let people = 128
  static let eachPerson = 8
  /// One core each so many milliseconds for a user id without root, and so many at once.
  static let interval: Int64 = 100
  static let burst: Int64 = 50
  private static let newsInterval: Int64 = 60_000
  /// How many user ids are remembered; a person with more of them (`/etc/subuid`) waits until some were unused for a time.
  private static let mostRecords = 4096

  private var records: [UInt32: Record] = [:]
  private var openPeople = 0

  /// Decides about one connection.
  ///
  /// - Parameters:
  ///   - uid: the peer's number, from the kernel.
  ///   - now: a clock that does not go back, in milliseconds.
  mutating func answer(_ uid: UInt32, at now: Int64) -> Answer {
    guard uid != 0 else {
      guard records[0, default: Record()].open < Self.hosts else { return .drop }
      records[0, default: Record()].open += 1
      return .start
    }
    if records[uid] == nil, records.count >= Self.mostRecords { forgetRested(at: now) }
    // These are not recorded: somebody with thousands of user ids would fill the table.
    guard openPeople < Self.people, records[uid] != nil || records.count < Self.mostRecords else {
      return .refuse(isNews: false)
    }
    var record = records[uid] ?? Record()
    defer { records[uid] = record }
    let restedAt = max(record.restedAt, now) + Self.interval
    guard record.open < Self.eachPerson, restedAt - now <= Self.burst * Self.interval else {
      guard now >= record.newsAt else { return .refuse(isNews: false) }
      record.newsAt = now + Self.newsInterval
      return .refuse(isNews: true)
    }
    record.restedAt = restedAt
    record.open += 1
    openPeople += 1
    return .start
  }

  /// Notes that the core of a connection has ended.
  mutating func noteEnd(_ uid: UInt32) {
    guard let open = records[uid]?.open, open > 0 else { return }
    records[uid]?.open = open - 1
    if uid != 0 { openPeople -= 1 }
  }

  private mutating func forgetRested(at now: Int64) {
    records = records.filter { $0.value.open > 0 || $0.value.restedAt > now || $0.value.newsAt > now }
  }
}
