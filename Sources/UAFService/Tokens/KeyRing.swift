/// Keys of one kind that follow each other: the next one is known before it is used, and the last one is accepted for a day more.
///
/// So several servers can exchange their keys one after another, and what was made with the last key still holds.
package struct KeyRing<Key: Sendable>: Sendable {
  /// One key, and when it begins to be used.
  package struct Entry: Sendable {
    /// Seconds since 1970.
    package let from: Int64
    package let key: Key

    package init(from: Int64, key: Key) {
      self.from = from
      self.key = key
    }
  }

  private let first: Entry
  private let rest: [Entry]

  /// Takes the keys in the order of their use.
  ///
  /// - Returns: nil without keys, and for keys that are not in order.
  package init?(_ entries: [Entry]) {
    guard let first = entries.first, zip(entries, entries.dropFirst()).allSatisfy({ $0.from < $1.from }) else {
      return nil
    }
    self.first = first
    rest = Array(entries.dropFirst())
  }

  /// A ring of one key, which is always in use.
  package init(_ key: Key) {
    first = Entry(from: 0, key: key)
    rest = []
  }

  package var entries: [Entry] { [first] + rest }

  /// The key that is used now.
  ///
  /// - Parameter now: seconds since 1970; before the first key's time it is the first key.
  package func current(at now: Int64) -> Key { (rest.last { $0.from <= now } ?? first).key }

  /// The keys that are used now or later, the one in use first.
  package func announced(at now: Int64) -> [Key] {
    [current(at: now)] + rest.filter { $0.from > now }.map(\.key)
  }

  /// The keys that are accepted now, the one in use first.
  ///
  /// A key of the future is accepted, too: another server's clock may be ahead.
  package func accepted(at now: Int64) -> [Key] {
    rest.isEmpty ? [first.key] : announced(at: now) + past(at: now).map(\.key)
  }

  /// Those entries that have not been replaced for longer than a day.
  package func kept(at now: Int64) -> [Entry] { past(at: now) + entries.filter { !isPast($0, now) } }

  private func isPast(_ entry: Entry, _ now: Int64) -> Bool {
    rest.contains { $0.from <= now && $0.from > entry.from }
  }

  /// Replaced keys that are still accepted.
  private func past(at now: Int64) -> [Entry] {
    zip(entries, rest).filter { $1.from <= now && now - $1.from < KeyOverlap.seconds }.map { $0.0 }
  }
}
