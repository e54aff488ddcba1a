import UAFMessages

/// In which state the server said last that an account is, as the core tells it in *status*.
package struct ServerState: Equatable {
  package enum Standing: String {
    case active
    case disabled
    case locked
    /// What the server said cannot be read.
    case unreadable
  }

  package let standing: Standing
  /// When the server was asked, in seconds since 1970; nil where that is not known.
  package let asked: Int64?
  /// When a lock ends.
  package let until: Int64?

  /// Nil for what is no such object, and for a state that a newer core may know.
  init?(_ value: JSONValue?) {
    guard case .object(let object)? = value, case .string(let name)? = object["state"],
      let standing = Standing(rawValue: name)
    else { return nil }
    self.standing = standing
    asked = Self.number(object["asked"])
    until = Self.number(object["until"])
  }

  private static func number(_ value: JSONValue?) -> Int64? {
    if case .integer(let number)? = value { number } else { nil }
  }
}
