/// A lock that stands on a machine, as the machine reports it; our own (PROTOCOL.md, "Check-in").
public struct ReportedLock: JSONRepresentable, Equatable, Sendable {
  /// Whose attempts are locked out.
  public enum Origin: String, CaseIterable, Sendable {
    /// The person's at the machine.
    case local
    /// Those that come over the network.
    case remote
    /// Those of another user of the machine.
    case otherUser
  }

  /// The account's name at the server, 1 to 128 characters.
  public let account: String
  /// The name of the authenticator type, 1 to 32 characters.
  public let type: String
  /// Whose attempts are locked out.
  public let origin: Origin
  /// When the lock ends, in seconds since 1970; nil if only an administrator ends it.
  public let until: Int64?
  /// HMAC-SHA-256 of ``authenticated(on:)`` under the secret that the machine has got for the account; nil without one.
  public var code: [UInt8]?

  /// Makes a report of a lock, without a code.
  public init(account: String, type: String, origin: Origin, until: Int64?) {
    self.account = account
    self.type = type
    self.origin = origin
    self.until = until
  }

  /// Reads the lock.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    account = try reader.storedText("account", characters: 1...128)
    type = try reader.storedText("type", characters: 1...32)
    guard let origin = Origin(rawValue: try reader.string("origin", characters: 1...16)) else {
      throw .outOfRange(reader.name("origin"))
    }
    self.origin = origin
    until = try reader.optionalInteger("until", as: Int64.self)
    if let until, until < 0 { throw .outOfRange(reader.name("until")) }
    let count = OfflineLoginNote.codeByteCount
    code = reader.has("code") ? try reader.base64URL("code", counts: count...count) : nil
  }

  /// What the code is over: `pam-uaf standing lock`, a zero byte, the number of the joined machine (16), the end (8; -1 for
  /// none), and account, type and origin, each after its length (4); numbers are big-endian.
  ///
  /// - Parameter machineID: the machine's number at the server since it has joined.
  public func authenticated(on machineID: [UInt8]) -> [UInt8] {
    var statement = Statement("pam-uaf standing lock")
    statement.add(bare: machineID)
    statement.add(until ?? -1)
    statement.add(fields: [account, type, origin.rawValue])
    return statement.bytes
  }

  /// The lock as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "account": .string(account), "type": .string(type), "origin": .string(origin.rawValue),
    ]
    object.set("until", until.map(JSONValue.integer))
    object.set("code", code.map { .string(Base64URL.encode($0)) })
    return .object(object)
  }
}
