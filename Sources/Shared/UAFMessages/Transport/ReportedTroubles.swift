/// Wrong values in a row for one authenticator of a machine, as the machine reports them; our own (docs/protocol.md, "Check-in").
public struct ReportedAttempts: JSONRepresentable, Equatable, Sendable {
  /// The account's name at the server, 1 to 128 characters.
  public let account: String
  /// The name of the authenticator type, 1 to 32 characters.
  public let type: String
  /// Whose attempts they are.
  public let origin: ReportedLock.Origin
  /// How many values in a row were wrong, above 0.
  public let count: Int
  /// HMAC-SHA-256 of ``authenticated(on:)`` under the secret that the machine has received for the account; nil without one.
  public var code: [UInt8]?

  /// Makes a report of wrong values, without a code.
  public init(account: String, type: String, origin: ReportedLock.Origin, count: Int) {
    self.account = account
    self.type = type
    self.origin = origin
    self.count = count
  }

  /// Reads the wrong values.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    (account, type, origin) = try reader.reportedAuthenticator()
    let number = try reader.integer("count", as: Int32.self)
    guard number > 0 else { throw .outOfRange(reader.name("count")) }
    count = Int(number)
    code = try reader.reportedCode()
  }

  /// The bytes that the code covers: `pam-uaf wrong values`, a zero byte, the ID of the joined machine (16), the count (8), and
  /// account, type and origin, each after its length (4); numbers are big-endian.
  ///
  /// - Parameter machineID: the machine's ID at the server since it joined.
  public func authenticated(on machineID: [UInt8]) -> [UInt8] {
    var statement = Statement("pam-uaf wrong values")
    statement.add(bare: machineID)
    statement.add(Int64(count))
    statement.add(fields: [account, type, origin.rawValue])
    return statement.bytes
  }

  /// The wrong values as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "account": .string(account), "type": .string(type), "origin": .string(origin.rawValue),
      "count": .integer(Int64(count)),
    ]
    object.set("code", code.map { .string(Base64URL.encode($0)) })
    return .object(object)
  }
}

/// The IDs of what `uafctl doctor` reports as failures, without their texts; our own (docs/protocol.md, "Check-in").
public enum FindingList {
  /// How many one report has.
  public static let most = 32
  /// The longest ID.
  private static let longest = 64

  /// Whether a text has the form of an ID: `a` to `z`, digits and `-`, 1 to 64 characters.
  public static func isID(_ text: String) -> Bool {
    (1...longest).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
      }
  }

  /// The list as a JSON array.
  public static func json(_ ids: [String]) -> JSONValue { .array(ids.map(JSONValue.string)) }

  /// Reads a list, which may be empty.
  ///
  /// - Throws: ``MessageError`` for anything that is not a list of at most ``most`` IDs.
  public static func read(_ json: JSONValue, path: String) throws(MessageError) -> [String] {
    let ids = try json.list(path: path, mayBeEmpty: true) { (value, path) throws(MessageError) in
      let text = try value.nonEmptyString(path: path)
      guard isID(text) else { throw .outOfRange(path) }
      return text
    }
    guard ids.count <= most else { throw .outOfRange(path) }
    return ids
  }
}
