/// What a machine that has joined tells its server about itself; our own (PROTOCOL.md, "Check-in").
///
/// Nothing of it is verified but the codes of ``locks`` and ``offlineLogins``.
public struct MachineReport: JSONRepresentable, Equatable, Sendable {
  /// How many locks one report names.
  public static let mostLocks = 32
  /// How many logins one report names.
  public static let mostOfflineLogins = 32
  /// The length of a mark.
  public static let markByteCount = 16

  /// The version of the module's package, 1 to 64 characters.
  public var module: String
  /// As in ``JoinRequest``.
  public var deviceName: String?
  /// As in ``JoinRequest``.
  public var deviceModel: String?
  /// As in ``JoinRequest``.
  public var deviceOS: String?
  /// The version of the workstation policy that the machine uses; nil if it follows none.
  ///
  /// 0 if it has none yet, or wants it signed anew.
  public var policy: Int64?
  /// The locks that stand, at most ``mostLocks``.
  public var locks: [ReportedLock] = []
  /// How many more stand.
  public var moreLocks = 0
  /// Logins without the server that it was not told yet, oldest first, at most ``mostOfflineLogins``.
  ///
  /// A report that was read has each number once, in ascending order.
  public var offlineLogins: [OfflineLoginNote] = []
  /// How many notes of such logins the machine has dropped, of those that it was not told.
  public var droppedLogins = 0
  /// The mark that the last report set; nil in the first one.
  public var mark: [UInt8]?
  /// The mark that this report sets: random bytes, and the same ones until the server has answered.
  public var nextMark: [UInt8]

  /// Makes a report that names nothing else.
  public init(module: String, nextMark: [UInt8]) {
    self.module = module
    self.nextMark = nextMark
  }

  /// Reads the report.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    module = try reader.storedText("module", characters: 1...64)
    deviceName = try reader.optionalStoredText("deviceName")
    deviceModel = try reader.optionalStoredText("deviceModel")
    deviceOS = try reader.optionalStoredText("deviceOS")
    policy = try reader.optionalInteger("policy", as: Int64.self)
    if let policy, policy < 0 { throw .outOfRange(reader.name("policy")) }
    locks = try reader.optionalList("locks", mayBeEmpty: true, of: ReportedLock.self) ?? []
    guard locks.count <= Self.mostLocks else { throw .outOfRange(reader.name("locks")) }
    moreLocks = try Self.count("moreLocks", reader)
    offlineLogins = try reader.optionalList("offlineLogins", mayBeEmpty: true, of: OfflineLoginNote.self) ?? []
    guard offlineLogins.count <= Self.mostOfflineLogins,
      zip(offlineLogins, offlineLogins.dropFirst()).allSatisfy({ $0.number < $1.number })
    else { throw .outOfRange(reader.name("offlineLogins")) }
    droppedLogins = try Self.count("droppedLogins", reader)
    let counts = Self.markByteCount...Self.markByteCount
    mark = reader.has("mark") ? try reader.base64URL("mark", counts: counts) : nil
    nextMark = try reader.base64URL("nextMark", counts: counts)
  }

  private static func count(_ member: String, _ reader: MemberReader) throws(MessageError) -> Int {
    guard let number = try reader.optionalInteger(member, as: Int32.self) else { return 0 }
    guard number >= 0 else { throw .outOfRange(reader.name(member)) }
    return Int(number)
  }

  /// The report as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["module": .string(module)]
    for (name, text) in [("deviceName", deviceName), ("deviceModel", deviceModel), ("deviceOS", deviceOS)] {
      if let text, !text.isEmpty { object.set(name, .string(text)) }
    }
    object.set("policy", policy.map(JSONValue.integer))
    object.set("locks", JSONValue.list(locks))
    object.set("moreLocks", moreLocks == 0 ? nil : .integer(Int64(moreLocks)))
    object.set("offlineLogins", JSONValue.list(offlineLogins))
    object.set("droppedLogins", droppedLogins == 0 ? nil : .integer(Int64(droppedLogins)))
    object.set("mark", mark.map { .string(Base64URL.encode($0)) })
    object.set("nextMark", .string(Base64URL.encode(nextMark)))
    return .object(object)
  }
}
