/// A login that a machine let in without the server, as it noted it then; our own (PROTOCOL.md, "Check-in").
///
/// The code shows that who had the account's secret on this machine made the note, for the machine as it has joined. It shows no
/// more: root of the machine has both.
public struct OfflineLoginNote: JSONRepresentable, Hashable, Sendable {
  /// The length of the code.
  public static let codeByteCount = 32

  /// The account's name at the server, 1 to 128 characters.
  public let account: String
  /// The PAM service, 1 to 128 characters.
  public let service: String
  /// When it was, in seconds since 1970 by the machine's clock.
  public let time: Int64
  /// The machine's number of it, above 0: each is higher than the last.
  public let number: Int64
  /// HMAC-SHA-256 of ``authenticated(on:)`` under the secret that the machine has got for the account.
  public let code: [UInt8]

  /// Makes a note.
  public init(account: String, service: String, time: Int64, number: Int64, code: [UInt8]) {
    self.account = account
    self.service = service
    self.time = time
    self.number = number
    self.code = code
  }

  /// Reads the note; the code is not checked here.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    account = try reader.storedText("account", characters: 1...128)
    service = try reader.storedText("service", characters: 1...128)
    time = try reader.integer("time", as: Int64.self)
    number = try reader.integer("number", as: Int64.self)
    guard number > 0 else { throw .outOfRange(reader.name("number")) }
    code = try reader.base64URL("code", counts: Self.codeByteCount...Self.codeByteCount)
  }

  /// The note as JSON.
  public var json: JSONValue {
    .object([
      "account": .string(account), "service": .string(service), "time": .integer(time), "number": .integer(number),
      "code": .string(Base64URL.encode(code)),
    ])
  }

  /// What the code is over: `pam-uaf offline login`, a zero byte, the number of the joined machine (16), time and number (8
  /// each), and account and service, each after its length (4).
  ///
  /// Numbers are big-endian. A machine's proof begins with another byte, so a code is never good for both.
  ///
  /// - Parameter machineID: the machine's number at the server since it has joined.
  public func authenticated(on machineID: [UInt8]) -> [UInt8] {
    var statement = Statement("pam-uaf offline login")
    statement.add(bare: machineID)
    statement.add(time)
    statement.add(number)
    statement.add(fields: [account, service])
    return statement.bytes
  }
}
