import AuthenticatorTypes
import Glibc

/// The server's last answer for an account, which decides about a login without the server.
///
/// This type does no input or output; the record is stored in the account's file, with a MAC. A success is valid only until the
/// next boot: only the wall clock could tell how long the machine was off, and whoever holds the machine can set that clock.
/// Within one boot, the age is measured with `CLOCK_BOOTTIME`. The wall clock can only make a success invalid: it reveals a
/// machine whose memory was restored from an earlier moment.
public struct LastAnswer: Equatable, Sendable {
  /// A success, with its time and the conditions under which it is valid.
  struct Yes: Equatable, Sendable {
    /// When the machine asked the server for this verdict.
    var asked: BootTime
    /// The authenticators that the person had verified for it.
    var types: [AuthenticatorType]
    /// SHA-256 of the server's addresses and keys when it answered: 32 bytes.
    var terms: [UInt8]
  }

  /// The success; nil if the last answer was a refusal.
  var yes: Yes?
  /// How many answers were refusals.
  ///
  /// A success is not stored if the server was asked for it before the latest refusal.
  public internal(set) var refusals: UInt64 = 0
  /// The latest wall time seen, in seconds since 1970; it never goes back.
  var latestWallSeconds = Int64.min

  /// Makes a record without an answer.
  public init() {}

  /// Notes a success.
  ///
  /// - Parameter refusals: ``refusals`` as it was before the server was asked.
  mutating func note(_ yes: Yes, since refusals: UInt64) {
    latestWallSeconds = max(latestWallSeconds, yes.asked.wallSeconds)
    guard refusals == self.refusals else { return }
    self.yes = yes
  }

  /// Notes any answer that is not a success.
  mutating func noteRefusal(at now: BootTime) {
    latestWallSeconds = max(latestWallSeconds, now.wallSeconds)
    yes = nil
    refusals &+= 1
  }

  /// Decides whether the last answer is still valid without the server, and stores the latest wall time.
  mutating func judge(
    at now: BootTime, maximumAge: Duration, opened: [AuthenticatorType], terms: [UInt8]
  ) -> OfflineJudgement {
    let latest = latestWallSeconds
    latestWallSeconds = max(latestWallSeconds, now.wallSeconds)
    guard let yes else { return .refused(.noYes) }
    guard yes.terms == terms else { return .refused(.otherTerms) }
    guard !yes.types.isEmpty, yes.types.allSatisfy(opened.contains) else { return .refused(.otherAuthenticator) }
    return OfflineJudgement(of: yes.asked, at: now, maximumAge: maximumAge, latestWallSeconds: latest)
  }
}

extension LastAnswer {
  /// The fixed size of the record, so that a refusal can be stored even on a full disk.
  static let recordSize = 256
  /// The length of a SHA-256.
  static let termsSize = 32

  /// The answer as the body of a record.
  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(refusals)
    writer.put(latestWallSeconds)
    writer.put(yes != nil)
    if let yes {
      writer.put(yes.asked.bootID)
      writer.put(yes.asked.nanoseconds)
      writer.put(yes.asked.wallSeconds)
      writer.put(yes.terms)
      writer.put(UInt8(truncatingIfNeeded: yes.types.count))
      for type in yes.types { writer.put(type.rawValue) }
    }
    writer.pad(to: Self.recordSize)
    return writer.bytes
  }

  /// Reads a record.
  ///
  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    guard record.count == Self.recordSize else { throw .damaged }
    var reader = try RecordReader(record, version: 1)
    refusals = try reader.integer()
    latestWallSeconds = try reader.integer()
    if try reader.flag() { yes = try Yes(from: &reader) }
    try reader.finish()
  }
}

extension LastAnswer.Yes {
  fileprivate init(from reader: inout RecordReader) throws(StateError) {
    let bootID = try reader.data()
    let nanoseconds = try reader.integer(Int64.self)
    asked = BootTime(bootID: bootID, nanoseconds: nanoseconds, wallSeconds: try reader.integer())
    terms = try reader.data()
    guard terms.count == LastAnswer.termsSize else { throw .damaged }
    types = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      guard let type = AuthenticatorType(rawValue: try reader.text()) else { throw .damaged }
      types.append(type)
    }
  }
}

/// The server's last answer for an account.
extension AccountFile {
  /// Stores a refusal for which only the marker file could be written at the time.
  ///
  /// - Throws: ``StateError``; the stored answer and the marker file then stay as they are.
  public func settleRefusal(at now: BootTime) throws(StateError) {
    guard let refusalMark, refusalMark.isSet else { return }
    try contents.write { () throws(StateError) in try changeAnswer { $0.noteRefusal(at: now) } }
    refusalMark.clear()
  }

  /// How many of the server's answers were not a success.
  ///
  /// The caller passes it to ``noteYes(asked:with:under:since:)`` later.
  ///
  /// - Throws: ``StateError``.
  public func refusals() throws(StateError) -> UInt64 { try contents.lastAnswer()?.refusals ?? 0 }

  /// Stores the server's success.
  ///
  /// - Parameters:
  ///   - asked: when the server was asked; the age of the success is counted from then.
  ///   - types: the authenticators that the person had verified.
  ///   - terms: SHA-256 of the server's addresses and keys when it answered.
  ///   - refusals: ``refusals()`` before the server was asked: a success is not stored if a refusal came in between.
  /// - Throws: ``StateError``; then nothing is stored.
  public func noteYes(
    asked: BootTime, with types: [AuthenticatorType], under terms: [UInt8], since refusals: UInt64
  ) throws(StateError) {
    let yes = LastAnswer.Yes(asked: asked, types: types, terms: terms)
    try contents.write { () throws(StateError) in
      try changeAnswer { answer in
        guard refusalMark?.isSet != true else { return }
        answer.note(yes, since: refusals)
      }
    }
  }

  /// Makes the server's last success invalid.
  ///
  /// If the account's file cannot be written, makes a marker file next to it, which has the same effect.
  ///
  /// - Parameter always: whether to store the refusal even if no answer was ever stored. This is needed if a success is still
  ///   on its way: it must not be stored after the refusal.
  /// - Throws: ``StateError``.
  public func noteRefusal(at now: BootTime, always: Bool) throws(StateError) {
    do throws(StateError) {
      try contents.write { () throws(StateError) in
        let isKept = try contents.lastAnswer() != nil
        guard isKept || always else { return }
        try changeAnswer { $0.noteRefusal(at: now) }
      }
    } catch {
      guard case .database = error, let refusalMark, refusalMark.set() else { throw error }
    }
  }

  /// Decides whether the account may log in without the server.
  ///
  /// The current wall time is stored before this returns.
  ///
  /// - Parameters:
  ///   - opened: the authenticators that the person has just verified.
  ///   - terms: as in ``noteYes(asked:with:under:since:)``.
  /// - Throws: ``StateError``: then the account must not log in; `damaged` for a record that was edited.
  public func judgeOffline(
    at now: BootTime, maximumAge: Duration, opened: [AuthenticatorType], terms: [UInt8]
  ) throws(StateError) -> OfflineJudgement {
    guard try contents.lastAnswer() != nil, refusalMark?.isSet != true else { return .refused(.noYes) }
    return try contents.write { () throws(StateError) in
      try changeAnswer { $0.judge(at: now, maximumAge: maximumAge, opened: opened, terms: terms) }
    }
  }

  /// Changes the stored answer; inside `write`.
  private func changeAnswer<Result>(_ body: (inout LastAnswer) -> Result) throws(StateError) -> Result {
    // Throws if the account was removed in the meantime, so that it is not restored.
    try contents.requireIdentity()
    let before = try contents.lastAnswer()
    var answer = before ?? LastAnswer()
    let result = body(&answer)
    if answer != before { try contents.put(answer) }
    return result
  }
}

/// An empty marker file next to an account's file.
///
/// It says that the server refused, and that the account's file could not be written.
///
/// Somebody can stop a call in the middle of a write, and so keep the account's file locked. Without the marker, the server's
/// earlier success would then still allow logins without the server.
struct RefusalMark {
  private let path: String

  /// The marker file of an account, in the accounts' folder.
  init(of uid: UInt32, in accounts: borrowing TrustedDirectory) { path = accounts.path + "/.\(uid).refused" }

  /// Whether the file exists; if that cannot be determined, it is assumed to exist.
  var isSet: Bool {
    var info = stat()
    // SAFETY: the path lives for the call; `info` is a stat structure.
    return unsafe lstat(path, &info) == 0 || errno != ENOENT
  }

  /// Makes the file, and waits until it is on the disk.
  ///
  /// - Returns: whether the file exists now.
  func set() -> Bool {
    // SAFETY: the path lives for the call.
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    return fsync(file) == 0
  }

  /// Removes the marker file.
  ///
  /// If that fails, logins without the server stay refused.
  func clear() {
    // SAFETY: the path lives for the call.
    _ = unsafe unlink(path)
  }
}
