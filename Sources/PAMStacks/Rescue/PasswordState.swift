/// Whether an account's password lets somebody in (shadow(5)).
package enum PasswordState: Equatable {
  case usable
  /// There is no such account, or no entry for its password.
  case unknown
  case empty
  case locked
  /// The password or the account has expired.
  case expired

  /// A password's entry: numbers of days since 1970, negative where nothing is set.
  struct Entry {
    var hash: String
    var lastChange = -1
    /// Days until it has to be changed.
    var maximum = -1
    /// Days after that in which it still can be changed.
    var inactive = -1
    /// The day on which the account ends.
    var end = -1
  }

  // The length of a hash of crypt(3)'s first method; no hash is shorter.
  private static let shortestHash = 13

  init(_ entry: Entry, today: Int) {
    if entry.hash.isEmpty {
      self = .empty
    } else if entry.hash.hasPrefix("!") || entry.hash.hasPrefix("*") || entry.hash.utf8.count < Self.shortestHash {
      self = .locked
    } else if entry.end >= 0, today >= entry.end {
      self = .expired
    } else if let last = Self.lastDay(entry), today > last {
      self = .expired
    } else {
      self = .usable
    }
  }

  /// The last day on which an old password can still be changed; nil where it never ends.
  private static func lastDay(_ entry: Entry) -> Int? {
    guard entry.lastChange > 0, entry.maximum >= 0, entry.inactive >= 0 else { return nil }
    let (due, overflows) = entry.lastChange.addingReportingOverflow(entry.maximum)
    let (last, overflowsAgain) = due.addingReportingOverflow(entry.inactive)
    return overflows || overflowsAgain ? nil : last
  }
}
