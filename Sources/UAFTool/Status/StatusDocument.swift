import UAFMessages

/// The document of *status*, as the core writes it.
struct StatusDocument: Equatable {
  /// One authenticator of the account.
  struct Authenticator: Equatable {
    let type: String
    /// Nil for what this version of the core cannot verify, which has no counters either.
    let aaid: String?
    /// 3005 to 3008.
    let state: Int64
    /// What the server has last said of its keys, where these are dead: `revoked` or `unknown`.
    let atServer: String?
    let local: Counter?
    /// The counter of attempts over the network.
    let remote: Counter?
    /// The counter of attempts by other accounts of this machine; nil where nothing was counted.
    let otherUser: Counter?
    /// Whether changed lock options wait until no wrong entry stands (3015).
    let lockOptionsWait: Bool

    /// Whether `name` is its type or its AAID.
    func isCalled(_ name: String) -> Bool { name == type || name == aaid }
  }

  /// What a lock counter stands at.
  struct Counter: Equatable {
    let isPermanent: Bool
    let remainingTries: Int64
    let remainingLockSeconds: Int64
  }

  /// The core's; nil where it does not say.
  let version: String?
  let accountName: String?
  let serverUserName: String?
  let authenticators: [Authenticator]

  /// Reads the document; members it does not know are left alone, so that a newer core may say more.
  ///
  /// - Throws: ``ToolError/coreConfused(_:)``.
  init(parsing text: String) throws(ToolError) {
    guard case .object(let document)? = try? JSONValue(parsing: Array(text.utf8)),
      case .array(let list)? = document["authenticators"]
    else { throw Self.unreadable }
    version = document.text("version")
    var account: JSONObject?
    if case .object(let object)? = document["account"] { account = object }
    accountName = account?.text("name")
    serverUserName = account?.text("serverUserName")
    var authenticators: [Authenticator] = []
    for element in list { authenticators.append(try Self.authenticator(element)) }
    self.authenticators = authenticators
  }

  /// Whether anything is registered.
  var isRegistered: Bool {
    authenticators.contains { $0.state == StatusReport.available || $0.state == StatusReport.locked }
  }

  private static let unreadable = ToolError.coreConfused(.statusDocument)

  private static func authenticator(_ value: JSONValue) throws(ToolError) -> Authenticator {
    guard case .object(let object) = value, let type = object.text("type"), let state = object.number("state") else {
      throw unreadable
    }
    let (aaid, local) = (object.text("aaid"), counter(object))
    guard aaid != nil && local != nil || state == StatusReport.notSupported else { throw unreadable }
    func member(_ name: String) -> Counter? {
      if case .object(let object)? = object[name] { counter(object) } else { nil }
    }
    let isWaiting = if case .bool(true)? = object["lockOptionsWait"] { true } else { false }
    return Authenticator(
      type: type, aaid: aaid, state: state, atServer: object.text("atServer"), local: local, remote: member("remote"),
      otherUser: member("otherUser"), lockOptionsWait: isWaiting)
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
