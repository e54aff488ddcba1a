import Glibc

/// The machine secret that the server gave to this machine when it joined or later.
///
/// It is in a file of the state folder that only root can read.
///
/// It opens nothing. It only lets this machine prove to the server that it is a known machine, so that strangers cannot crowd
/// it out. So it is neither sealed nor protected by a MAC.
public struct JoinRecord: Equatable, Sendable {
  /// The machine's ID and secret, and which server issued them.
  public let machine: MachineRecord
  /// The group that the machine joined.
  public let group: String

  /// The name of the file in the state folder, which exists while this machine is joined to a server.
  public static let fileName = "machine.join"
  private static let maximumBytes = 512

  /// Makes a record.
  public init(_ machine: MachineRecord, group: String) {
    self.machine = machine
    self.group = group
  }

  /// The record of a state folder; nil if there is none, or it cannot be read.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> JoinRecord? {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return nil }
    return try? JoinRecord(bytes)
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    let (machineID, secret) = (try reader.data(), try reader.data())
    machine = MachineRecord(machineID: machineID, secret: secret, place: try reader.data())
    group = try reader.text()
    try reader.finish()
  }

  /// Stores the record and replaces an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier record then stays.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    for part in [machine.machineID, machine.secret, machine.place, Array(group.utf8)] { writer.put(part) }
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }

  /// Removes the record.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StateError``.
  @discardableResult
  public static func remove(in path: String, owner: uid_t) throws(StateError) -> Bool {
    let folder = try TrustedDirectory(path, owner: owner)
    let wasThere = try folder.removeFile(fileName)
    try folder.synchronise()
    return wasThere
  }
}

/// What this machine has reported to the server that it joined.
///
/// It is in a file of the state folder that only root can read.
///
/// It opens nothing. If somebody changes it, the server only takes this machine for a different one.
public struct CheckInRecord: Equatable, Sendable {
  /// SHA-256 of the report without its nonces and its offline logins.
  public struct Told: Equatable, Sendable {
    /// SHA-256 of the report.
    public let hash: [UInt8]
    /// When the report was made, in seconds since 1970.
    public let at: Int64
    /// The number of the server's latest notice; nil if it sent none.
    public let news: Int64?

    /// Records a report.
    public init(hash: [UInt8], at: Int64, news: Int64?) {
      self.hash = hash
      self.at = at
      self.news = news
    }
  }

  /// The nonce that the server has stored from this machine's last report; nil before the first one.
  public var mark: [UInt8]?
  /// The nonce that the server is to store from the current report; nil once the server has answered.
  public var nextMark: [UInt8]?
  /// When a report was sent that the server has not answered, in seconds since 1970; nil if there is none.
  public var sentAt: Int64?
  /// The last report that the server has accepted; nil before the first one.
  public var told: Told?
  /// Whether the next report is due whatever it says, because a login was refused whose account's state is hidden.
  ///
  /// It is set for every name alike. So whether a report is sent shows nobody which names have an account.
  public var owesReport = false

  private static let fileName = "machine.checkin"
  private static let maximumBytes = 256

  /// A record of a machine that has reported nothing.
  public init() {}

  /// The record of a state folder; an empty one if there is none, or it cannot be read.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> CheckInRecord {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return CheckInRecord() }
    return (try? CheckInRecord(bytes)) ?? CheckInRecord()
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    mark = Self.present(try reader.data())
    nextMark = Self.present(try reader.data())
    sentAt = try Self.number(&reader)
    let hash = try reader.data()
    let (at, news) = (try Self.number(&reader), try Self.number(&reader))
    told = at.map { Told(hash: hash, at: $0, news: news) }
    // A record of an earlier version ends here.
    owesReport = reader.isAtEnd ? false : try reader.flag()
    try reader.finish()
  }

  private static func present(_ bytes: [UInt8]) -> [UInt8]? { bytes.isEmpty ? nil : bytes }

  private static func number(_ reader: inout RecordReader) throws(StateError) -> Int64? {
    let isThere = try reader.flag()
    let number: Int64 = try reader.integer()
    return isThere ? number : nil
  }

  /// Stores the record and replaces an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier record then stays.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(mark ?? [])
    writer.put(nextMark ?? [])
    Self.put(sentAt, &writer)
    writer.put(told?.hash ?? [])
    Self.put(told?.at, &writer)
    Self.put(told?.news, &writer)
    writer.put(owesReport)
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }

  private static func put(_ number: Int64?, _ writer: inout RecordWriter) {
    writer.put(number != nil)
    writer.put(number ?? 0)
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

/// The machine secret, in the file of the account that the server gave it to; only root can read it.
///
/// It opens nothing here. It only proves to the server that this is a known machine, so that strangers cannot crowd it out.
public struct MachineRecord: Equatable, Sendable {
  /// The machine's ID at the server.
  public let machineID: [UInt8]
  /// The key with which the machine makes its proofs to the server.
  public let secret: [UInt8]
  /// SHA-256 of the server's addresses when it gave the secret; proofs are sent to no other server.
  public let place: [UInt8]

  /// Makes a record.
  public init(machineID: [UInt8], secret: [UInt8], place: [UInt8]) {
    self.machineID = machineID
    self.secret = secret
    self.place = place
  }

  /// The record of an account; nil if there is none.
  ///
  /// - Throws: ``StateError``.
  public static func of(_ account: AccountFile) throws(StateError) -> MachineRecord? {
    guard let body = try account.records.body(.machine, of: account.identity) else { return nil }
    var reader = try RecordReader(body, version: 1)
    let machineID = try reader.data()
    let secret = try reader.data()
    let record = MachineRecord(machineID: machineID, secret: secret, place: try reader.data())
    try reader.finish()
    return record
  }

  /// Stores the record and replaces an earlier one; if they are the same, nothing is written.
  ///
  /// - Throws: ``StateError``; `absent` if the account was removed in the meantime.
  public func store(in account: AccountFile) throws(StateError) {
    // If the stored record is damaged, it is replaced.
    guard (try? Self.of(account)) != self else { return }
    var writer = RecordWriter(version: 1)
    for part in [machineID, secret, place] { writer.put(part) }
    let body = writer.bytes
    try account.records.write { () throws(StateError) in
      guard try account.records.body(.identity, of: nil) == account.identity.record else { throw .absent }
      try account.records.put(.machine, body: body, of: account.identity)
    }
  }
}

/// The policy that the server has signed for this machine, in a file of the state folder; readable only by root.
///
/// It contains the text as the server signed it, and each reader verifies the signature again. So it is neither sealed nor
/// protected by a MAC.
public struct PolicyRecord: Equatable, Sendable {
  /// When the machine joined, by the server's clock, in seconds since 1970; a policy signed earlier is not accepted.
  public let joinedAt: Int64
  /// The highest version accepted since the machine joined; 0 if none was.
  public let version: Int64
  /// The policy with its signature, as the server sent it; empty if there is none.
  public let token: [UInt8]

  private static let fileName = "machine.policy"
  /// 24 KiB for the token, and 32 bytes for the fields before it.
  private static let maximumBytes = 24 * 1024 + 32

  /// Makes a record; without a policy, it is the record of a machine that has just joined.
  public init(joinedAt: Int64, version: Int64 = 0, token: [UInt8] = []) {
    self.joinedAt = joinedAt
    self.version = version
    self.token = token
  }

  /// The record of a state folder; nil if there is none, as before a machine joins.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written, and `damaged` if the record cannot
  ///   be read.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> PolicyRecord? {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return nil }
    return try PolicyRecord(bytes)
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    joinedAt = try reader.integer()
    version = try reader.integer()
    token = try reader.data()
    try reader.finish()
  }

  /// Stores the record and replaces an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier record then stays.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(joinedAt)
    writer.put(version)
    writer.put(token)
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
