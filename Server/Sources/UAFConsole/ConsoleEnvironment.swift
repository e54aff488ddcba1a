import UAFAdministration
import UAFService

/// What the console needs besides what administration needs.
package struct ConsoleEnvironment: Sendable {
  package let administration: AdministrationEnvironment
  package let keys: ServerKeys
  /// The address that clients use.
  package let publicURL: @Sendable () throws -> String
  /// Whether one more sign-in from an address is allowed.
  package let admitsSignIn: @Sendable (_ name: String) -> Bool
  /// Whether one more request without a session is answered.
  package let allowsAnonymous: @Sendable (_ name: String) -> Bool
  /// A time in seconds since 1970 in a form for people, in UTC.
  package let timeText: @Sendable (Int64) -> String
  /// A typed time as seconds since 1970; nil for what is not a time.
  package let readTime: @Sendable (String) -> Int64?
  package let version: String
  package let facts: ServerFacts
  /// Receives what failed.
  package let report: @Sendable (any Error) -> Void

  package init(
    administration: AdministrationEnvironment, keys: ServerKeys, publicURL: @escaping @Sendable () throws -> String,
    admitsSignIn: @escaping @Sendable (String) -> Bool, allowsAnonymous: @escaping @Sendable (String) -> Bool,
    timeText: @escaping @Sendable (Int64) -> String,
    readTime: @escaping @Sendable (String) -> Int64?, version: String, facts: ServerFacts,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.administration = administration
    self.keys = keys
    self.publicURL = publicURL
    self.admitsSignIn = admitsSignIn
    self.allowsAnonymous = allowsAnonymous
    self.timeText = timeText
    self.readTime = readTime
    self.version = version
    self.facts = facts
    self.report = report
  }

  var now: Int64 { administration.now() }
}

/// What a server says about itself to its administrators; none of it is secret.
package struct ServerFacts: Sendable {
  /// What answers at an address.
  package enum Listener: Sendable {
    case logins
    case administration
    case metrics
  }

  /// One key, by its name.
  package struct Key: Sendable {
    package enum Use: Sendable {
      case inUse
      case toCome
      case accepted
    }

    let kind: String
    let id: String
    /// When its use began, in seconds since 1970; nil for a key from before there were rotations.
    let from: Int64?
    let use: Use

    package init(kind: String, id: String, from: Int64?, use: Use) {
      self.kind = kind
      self.id = id
      self.from = from
      self.use = use
    }
  }

  let listeners: [(listener: Listener, address: String)]
  /// When the certificates that clients see now expire, in seconds since 1970.
  let certificateEnds: @Sendable () -> [Int64]
  /// The kind of store, without its address.
  let store: String
  /// The keys in use at a time, in seconds since 1970.
  let keys: @Sendable (_ now: Int64) -> [Key]

  package init(
    listeners: [(listener: Listener, address: String)], certificateEnds: @escaping @Sendable () -> [Int64],
    store: String,
    keys: @escaping @Sendable (Int64) -> [Key]
  ) {
    self.listeners = listeners
    self.certificateEnds = certificateEnds
    self.store = store
    self.keys = keys
  }
}
