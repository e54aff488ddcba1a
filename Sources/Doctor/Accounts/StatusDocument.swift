import UAFMessages

/// The document of *status*, as the core writes it.
package struct StatusDocument: Equatable {
  /// One authenticator of the account.
  package struct Authenticator: Equatable {
    package let type: String
    /// Nil for a type that this version of the core cannot verify; such a type has no counters.
    package let aaid: String?
    /// 3005 to 3008.
    package let state: Int64
    /// What the server last said about its keys if they cannot be used: `revoked`, `unknown`, or `ahead` where it has seen more
    /// signatures than this machine has made.
    package let atServer: String?
    package let local: Counter?
    /// The counter of attempts over the network.
    package let remote: Counter?
    /// The counter of attempts by other accounts of this machine; nil where nothing was counted.
    package let otherUser: Counter?
    /// Whether changed lock options have no effect yet, because wrong entries are counted (3015).
    package let lockOptionsWait: Bool
    /// Whether this machine alone counts its wrong entries, although a chip holds the machine's key.
    package let isCountedByMachine: Bool
    /// How a fingerprint stands, as a result of the core's; nil for what is typed.
    package let biometry: UInt32?

    /// Whether the account has it on this machine, whatever the server says of its keys.
    package var isHeld: Bool {
      [AuthenticatorState.available, AuthenticatorState.locked].contains(state) || isRefused
    }

    /// Whether it is here, and no login can use it because the server refuses its keys.
    package var isRefused: Bool { state == AuthenticatorState.notRegistered && atServer != nil }

    /// Whether `name` is its type or its AAID.
    package func isCalled(_ name: String) -> Bool { name == type || name == aaid }
  }

  /// A lock counter.
  package struct Counter: Equatable {
    package let isPermanent: Bool
    package let remainingTries: Int64
    package let remainingLockSeconds: Int64
  }

  /// The core's; nil where it does not say.
  package let version: String?
  package let accountName: String?
  package let serverUserName: String?
  package let authenticators: [Authenticator]
  /// Nil where the server was never asked, or where the core does not say.
  package let serverState: ServerState?
  /// Whether the server has given this machine what `account_check` needs to ask; nil where the core does not say.
  package let hasMachineSecret: Bool?
  /// Nil where root lends nothing to the server.
  package let policy: FollowedPolicyState?

  /// Reads the document; unknown members are ignored, so that a newer core may add some.
  ///
  /// Nil if it is no such document.
  package init?(parsing text: String) {
    guard case .object(let document)? = try? JSONValue(parsing: Array(text.utf8)),
      case .array(let list)? = document["authenticators"]
    else { return nil }
    version = document.text("version")
    var account: JSONObject?
    if case .object(let object)? = document["account"] { account = object }
    accountName = account?.text("name")
    serverUserName = account?.text("serverUserName")
    var authenticators: [Authenticator] = []
    for element in list {
      guard let authenticator = Self.authenticator(element) else { return nil }
      authenticators.append(authenticator)
    }
    self.authenticators = authenticators
    serverState = ServerState(document["serverState"])
    hasMachineSecret = if case .bool(let isThere)? = document["hasMachineSecret"] { isThere } else { nil }
    policy = FollowedPolicyState(document["policy"])
  }

  /// Whether anything is registered.
  package var isRegistered: Bool {
    authenticators.contains(where: \.isHeld)
  }

  private static func authenticator(_ value: JSONValue) -> Authenticator? {
    guard case .object(let object) = value, let type = object.text("type"), let state = object.number("state") else {
      return nil
    }
    let (aaid, local) = (object.text("aaid"), counter(object))
    guard aaid != nil && local != nil || state == AuthenticatorState.notSupported else { return nil }
    func member(_ name: String) -> Counter? {
      if case .object(let object)? = object[name] { counter(object) } else { nil }
    }
    let isWaiting = if case .bool(true)? = object["lockOptionsWait"] { true } else { false }
    return Authenticator(
      type: type, aaid: aaid, state: state, atServer: object.text("atServer"), local: local, remote: member("remote"),
      otherUser: member("otherUser"), lockOptionsWait: isWaiting,
      isCountedByMachine: object.text("countedBy") == "machine",
      biometry: object.number("biometry").flatMap { UInt32(exactly: $0) })
  }

  private static func counter(_ object: JSONObject) -> Counter? {
    guard case .bool(let permanent)? = object["permanent"], let tries = object.number("remainingTries"),
      let seconds = object.number("remainingLockSeconds")
    else { return nil }
    return Counter(isPermanent: permanent, remainingTries: tries, remainingLockSeconds: seconds)
  }
}

extension JSONObject {
  fileprivate func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  fileprivate func number(_ name: String) -> Int64? {
    if case .integer(let number)? = self[name] { number } else { nil }
  }
}
