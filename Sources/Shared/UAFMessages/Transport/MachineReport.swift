/// What a joined machine reports to its server about itself; our own (docs/protocol.md, "Check-in").
///
/// Nothing in it is verified except the codes of ``locks``, ``wrongValues`` and ``offlineLogins``.
public struct MachineReport: JSONRepresentable, Equatable, Sendable {
  /// How many locks one report names.
  public static let mostLocks = 32
  /// How many logins one report names.
  public static let mostOfflineLogins = 32
  /// The length of a nonce.
  public static let markByteCount = 16

  /// The version of the module's package, 1 to 64 characters.
  public var module: String
  /// As in ``JoinRequest``; nil in the reports of earlier versions.
  ///
  /// A server that knows the machine ignores it: the machine's proof says which machine it is.
  public var deviceID: String?
  /// As in ``JoinRequest``.
  public var deviceName: String?
  /// As in ``JoinRequest``.
  public var deviceModel: String?
  /// As in ``JoinRequest``.
  public var deviceOS: String?
  /// The version of the workstation policy that the machine uses; nil if it follows none.
  ///
  /// 0 if it has none yet, or wants it signed again.
  public var policy: Int64?
  /// The present locks, at most ``mostLocks``.
  public var locks: [ReportedLock] = []
  /// How many more locks there are.
  public var moreLocks = 0
  /// Authenticators with several wrong values in a row, at most ``mostLocks``.
  public var wrongValues: [ReportedAttempts] = []
  /// How many more such authenticators there are.
  public var moreWrongValues = 0
  /// The IDs of doctor's failures, at most ``FindingList/most``; nil if doctor has not looked.
  public var findings: [String]?
  /// Logins without the server that the server was not told of yet, oldest first, at most ``mostOfflineLogins``.
  ///
  /// A report that was read has each number once, in ascending order.
  public var offlineLogins: [OfflineLoginNote] = []
  /// How many further logins without the server the machine no longer has a note of, and has not reported.
  public var droppedLogins = 0
  /// The nonce that the last report set; nil in the first one.
  public var mark: [UInt8]?
  /// The nonce that this report sets: random bytes, which stay the same until the server has answered.
  public var nextMark: [UInt8]
  /// Which keys and authorities of the server the machine knows; nil from a machine of an earlier version.
  public var trust: KnownTrust?

  /// Makes a report with nothing but these; the other properties are set afterwards.
  public init(module: String, nextMark: [UInt8]) {
    self.module = module
    self.nextMark = nextMark
  }

  /// Reads the report.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    module = try reader.storedText("module", characters: 1...64)
    deviceID = try reader.optionalStoredText("deviceID")
    deviceName = try reader.optionalStoredText("deviceName")
    deviceModel = try reader.optionalStoredText("deviceModel")
    deviceOS = try reader.optionalStoredText("deviceOS")
    policy = try reader.optionalInteger("policy", as: Int64.self)
    if let policy, policy < 0 { throw .outOfRange(reader.name("policy")) }
    locks = try reader.optionalList("locks", mayBeEmpty: true, of: ReportedLock.self) ?? []
    guard locks.count <= Self.mostLocks else { throw .outOfRange(reader.name("locks")) }
    moreLocks = try Self.count("moreLocks", reader)
    wrongValues = try reader.optionalList("wrongValues", mayBeEmpty: true, of: ReportedAttempts.self) ?? []
    guard wrongValues.count <= Self.mostLocks else { throw .outOfRange(reader.name("wrongValues")) }
    moreWrongValues = try Self.count("moreWrongValues", reader)
    findings = reader.has("findings") ? try FindingList.read(reader.required("findings"), path: "findings") : nil
    offlineLogins = try reader.optionalList("offlineLogins", mayBeEmpty: true, of: OfflineLoginNote.self) ?? []
    guard offlineLogins.count <= Self.mostOfflineLogins,
      zip(offlineLogins, offlineLogins.dropFirst()).allSatisfy({ $0.number < $1.number })
    else { throw .outOfRange(reader.name("offlineLogins")) }
    droppedLogins = try Self.count("droppedLogins", reader)
    let counts = Self.markByteCount...Self.markByteCount
    mark = reader.has("mark") ? try reader.base64URL("mark", counts: counts) : nil
    nextMark = try reader.base64URL("nextMark", counts: counts)
    trust = try reader.optionalChild("trust", as: KnownTrust.self)
  }

  private static func count(_ member: String, _ reader: MemberReader) throws(MessageError) -> Int {
    guard let number = try reader.optionalInteger(member, as: Int32.self) else { return 0 }
    guard number >= 0 else { throw .outOfRange(reader.name(member)) }
    return Int(number)
  }

  /// The report as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["module": .string(module)]
    let texts = [
      ("deviceID", deviceID), ("deviceName", deviceName), ("deviceModel", deviceModel), ("deviceOS", deviceOS),
    ]
    for (name, text) in texts {
      if let text, !text.isEmpty { object.set(name, .string(text)) }
    }
    object.set("policy", policy.map(JSONValue.integer))
    object.set("locks", JSONValue.list(locks))
    object.set("moreLocks", moreLocks == 0 ? nil : .integer(Int64(moreLocks)))
    object.set("wrongValues", JSONValue.list(wrongValues))
    object.set("moreWrongValues", moreWrongValues == 0 ? nil : .integer(Int64(moreWrongValues)))
    object.set("findings", findings.map(FindingList.json))
    object.set("offlineLogins", JSONValue.list(offlineLogins))
    object.set("droppedLogins", droppedLogins == 0 ? nil : .integer(Int64(droppedLogins)))
    object.set("mark", mark.map { .string(Base64URL.encode($0)) })
    object.set("nextMark", .string(Base64URL.encode(nextMark)))
    object.set("trust", trust?.json)
    return .object(object)
  }
}

/// A lock on a machine, as the machine reports it; our own (docs/protocol.md, "Check-in").
public struct ReportedLock: JSONRepresentable, Equatable, Sendable {
  /// Whose attempts are locked out.
  public enum Origin: String, CaseIterable, Sendable {
    /// The person's attempts at the machine.
    case local
    /// Attempts that come over the network.
    case remote
    /// Attempts of a different user of the machine.
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
  /// HMAC-SHA-256 of ``authenticated(on:)`` under the secret that the machine has received for the account; nil without one.
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
    (account, type, origin) = try reader.reportedAuthenticator()
    until = try reader.optionalInteger("until", as: Int64.self)
    if let until, until < 0 { throw .outOfRange(reader.name("until")) }
    code = try reader.reportedCode()
  }

  /// The bytes that the code covers: `pam-uaf standing lock`, a zero byte, the ID of the joined machine (16), the end (8; -1 for
  /// none), and account, type and origin, each after its length (4); numbers are big-endian.
  ///
  /// - Parameter machineID: the machine's ID at the server since it joined.
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

/// A login that a machine accepted without the server, as it noted the login then; our own (docs/protocol.md, "Check-in").
///
/// The code shows that a holder of the account's secret on this machine made the note, for the joined machine. It shows no
/// more: root of the machine has that secret too.
public struct OfflineLoginNote: JSONRepresentable, Hashable, Sendable {
  /// The length of the code.
  public static let codeByteCount = 32

  /// The account's name at the server, 1 to 128 characters.
  public let account: String
  /// The PAM service, 1 to 128 characters.
  public let service: String
  /// When it was, in seconds since 1970 by the machine's clock.
  public let time: Int64
  /// The number that the machine gave it, above 0 and higher than the last one.
  public let number: Int64
  /// HMAC-SHA-256 of ``authenticated(on:)`` under the secret that the machine has received for the account.
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

  /// The bytes that the code covers: `pam-uaf offline login`, a zero byte, the ID of the joined machine (16), time and number (8
  /// each), and account and service, each after its length (4).
  ///
  /// Numbers are big-endian. A machine's proof begins with a different byte, so a code is never valid for both.
  ///
  /// - Parameter machineID: the machine's ID at the server since it joined.
  public func authenticated(on machineID: [UInt8]) -> [UInt8] {
    var statement = Statement("pam-uaf offline login")
    statement.add(bare: machineID)
    statement.add(time)
    statement.add(number)
    statement.add(fields: [account, service])
    return statement.bytes
  }
}

/// What a lock and wrong values in a row have in common.
extension MemberReader {
  /// The account's name at the server, the name of the authenticator type, and whose attempts they are.
  func reportedAuthenticator() throws(MessageError) -> (account: String, type: String, origin: ReportedLock.Origin) {
    let account = try storedText("account", characters: 1...128)
    let type = try storedText("type", characters: 1...32)
    guard let origin = ReportedLock.Origin(rawValue: try string("origin", characters: 1...16)) else {
      throw .outOfRange(name("origin"))
    }
    return (account, type, origin)
  }

  /// The code of a statement about an account; nil without one.
  func reportedCode() throws(MessageError) -> [UInt8]? {
    let count = OfflineLoginNote.codeByteCount
    return has("code") ? try base64URL("code", counts: count...count) : nil
  }
}
