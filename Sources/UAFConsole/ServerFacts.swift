/// What a server says of itself to those who administer it; nothing of it is secret.
package struct ServerFacts: Sendable {
  /// What is answered at an address.
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
    /// Since when it is used, in seconds since 1970; nil for a key from before there were rotations.
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
  /// When the certificates end that clients see now, in seconds since 1970.
  let certificateEnds: @Sendable () -> [Int64]
  /// What the store is, without its address.
  let store: String
  /// The keys as they are used at a time, in seconds since 1970.
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
