/// Something that `uaf-server` answers beside requests and responses; our own (PROTOCOL.md).
public enum OwnRoute: String, Sendable {
  /// In which state an account is.
  case account
  /// A machine joins.
  case join
  /// A machine that had joined leaves.
  case leave
  /// A machine that has joined tells how it is.
  case machine

  /// Where a server is asked, beside the address for its requests.
  ///
  /// - Returns: nil if that address does not end in `/get`, as that of `uaf-server` does.
  public func url(beside requestURL: String) -> String? {
    guard requestURL.hasSuffix("/get") else { return nil }
    return requestURL.dropLast(3) + rawValue
  }
}
