import Glibc

/// The logins without the server that this machine still has to report.
///
/// They are in a file of the state folder that only root can read.
///
/// Each login has a code that the server checks, so changes to the file are noticed. Only root, who can read the key of the
/// codes, could forge one.
public struct OfflineLoginRecord: Equatable, Sendable {
  /// A login without the server.
  public struct Login: Equatable, Sendable {
    /// The account's name at the server.
    public let account: String
    /// The PAM service.
    public let service: String
    /// When the login was, in seconds since 1970.
    public let time: Int64
    /// The login's number, higher than that of the login before.
    public let number: Int64
    /// The code with which this machine proves to the server that it recorded the login.
    public let code: [UInt8]

    /// Records a login.
    public init(account: String, service: String, time: Int64, number: Int64, code: [UInt8]) {
      self.account = account
      self.service = service
      self.time = time
      self.number = number
      self.code = code
    }
  }

  /// How many logins are kept at most.
  public static let mostLogins = 256

  /// The logins, oldest first.
  public private(set) var logins: [Login] = []
  /// How many logins were dropped because there were too many.
  public private(set) var dropped: UInt32 = 0
  /// The number of the last login that was ever recorded; 0 before the first one.
  public private(set) var lastNumber: Int64 = 0

  private static let fileName = "machine.offline"
  private static let maximumBytes = 262_144

  /// A record without a login.
  public init() {}

  /// The number of the next login.
  ///
  /// The first login gets the current time as its number. So no number is used twice, even if the file is lost.
  ///
  /// - Parameter now: seconds since 1970.
  public func nextNumber(at now: Int64) -> Int64 { lastNumber == 0 ? max(now, 1) : lastNumber &+ 1 }

  /// Adds a login, which must have the next number; the oldest one is dropped if there are too many.
  public mutating func add(_ login: Login) {
    lastNumber = login.number
    logins.append(login)
    guard logins.count > Self.mostLogins else { return }
    logins.removeFirst()
    dropped = dropped == .max ? dropped : dropped + 1
  }

  /// Removes the logins that were reported to the server.
  ///
  /// - Parameters:
  ///   - number: the last login that was reported; nil for none.
  ///   - count: how many dropped logins were reported.
  public mutating func removeTold(through number: Int64?, dropped count: UInt32) {
    if let number { logins.removeAll { $0.number <= number } }
    dropped -= min(count, dropped)
  }

  // MARK: The file

  /// The record of a state folder; an empty one if there is none, or it cannot be read.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> OfflineLoginRecord {
    let folder = try TrustedDirectory(path, owner: owner)
    // Most machines have no such file, so no buffer is allocated before it is known to exist.
    guard try folder.hasFile(fileName, owner: owner),
      let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes)
    else { return OfflineLoginRecord() }
    return (try? OfflineLoginRecord(bytes)) ?? OfflineLoginRecord()
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    lastNumber = try reader.integer()
    dropped = try reader.integer()
    let count = try reader.integer(UInt16.self)
    guard count <= Self.mostLogins, lastNumber >= 0 else { throw .damaged }
    for _ in 0..<count {
      let (account, service) = (try reader.text(), try reader.text())
      let (time, number): (Int64, Int64) = (try reader.integer(), try reader.integer())
      logins.append(
        Login(account: account, service: service, time: time, number: number, code: try reader.data()))
    }
    try reader.finish()
  }

  /// Stores the record and replaces an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier record then stays.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(lastNumber)
    writer.put(dropped)
    writer.put(UInt16(clamping: logins.count))
    for login in logins {
      writer.put(login.account)
      writer.put(login.service)
      writer.put(login.time)
      writer.put(login.number)
      writer.put(login.code)
    }
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }

  /// Removes the record.
  ///
  /// - Throws: ``StateError``.
  public static func remove(in path: String, owner: uid_t) throws(StateError) {
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.removeFile(fileName)
    try folder.synchronise()
  }
}

/// Whether the server's last answer still allows a login without the server.
public enum OfflineJudgement: Equatable, Sendable {
  /// It does: it was a success, this long ago.
  case holds(age: Duration)
  /// It does not.
  case refused(Reason)

  /// Why it does not; for the log, never for the person.
  public enum Reason: Equatable, Sendable {
    /// The last answer was a refusal, or there was no answer since the secret was set.
    case noYes
    /// The server's addresses or its verdict key have changed.
    case otherTerms
    /// The success was given for different authenticators than this login used, or for more of them.
    case otherAuthenticator
    /// The success was given before the machine last booted.
    case otherBoot
    /// A clock shows an earlier time than it did before.
    case clockSetBack
    /// The success is too old.
    case tooOld
  }

  /// Judges the age of an answer of the server by this machine's clocks.
  ///
  /// - Parameters:
  ///   - asked: when the server was asked.
  ///   - latestWallSeconds: the latest wall time that was ever seen before, in seconds since 1970.
  init(of asked: BootTime, at now: BootTime, maximumAge: Duration, latestWallSeconds: Int64) {
    self = Self.judge(asked, now, maximumAge, latestWallSeconds)
  }

  private static func judge(
    _ asked: BootTime, _ now: BootTime, _ maximumAge: Duration, _ latestWallSeconds: Int64
  ) -> OfflineJudgement {
    guard asked.bootID == now.bootID else { return .refused(.otherBoot) }
    guard now.wallSeconds >= latestWallSeconds else { return .refused(.clockSetBack) }
    let (age, overflow) = now.nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    guard !overflow, age >= 0 else { return .refused(.clockSetBack) }
    let (wallAge, wallOverflow) = now.wallSeconds.subtractingReportingOverflow(asked.wallSeconds)
    guard age < maximumAge.wholeNanoseconds, !wallOverflow, wallAge < maximumAge.components.seconds else {
      return .refused(.tooOld)
    }
    return .holds(age: .nanoseconds(age))
  }
}

extension OfflineJudgement.Reason: CustomStringConvertible {
  /// The reason, in words for the log.
  public var description: String {
    switch self {
    case .noYes: "the server's last verdict was not a success"
    case .otherTerms: "the server's last verdict came from different addresses, or was signed with a different key"
    case .otherAuthenticator: "the server's last verdict was for a different authenticator, or for several"
    case .otherBoot: "the server has not replied since the machine was started"
    case .clockSetBack: "a clock shows an earlier time than before"
    case .tooOld: "the server's last verdict is too old"
    }
  }
}
