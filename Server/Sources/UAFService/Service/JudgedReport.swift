import UAFCrypto
import UAFMessages

/// The result of comparing a machine's report with its previous one: what is stored, and which rows the audit gets.
struct JudgedReport {
  /// For how many seconds no second row says that a machine has a copy.
  ///
  /// Without this pause, two copies that take turns would cause a row with each report.
  private static let copyRowLifetime: Int64 = 86_400

  /// The state of the machine to be stored.
  let contact: MachineContact
  /// What the report says for the first time.
  let troubles: NewTroubles

  private let report: MachineReport
  private let machine: JoinedMachine
  /// Whether the report names a nonce other than the one that the previous report set, so that there are two copies of the
  /// machine.
  private let isOfCopy: Bool
  /// The offline logins that no earlier report named.
  private let news: [OfflineLoginNote]
  private let now: Int64

  /// Judges a report.
  ///
  /// If a report sets the same nonce as the previous one, it is the same report, sent again because its answer was lost.
  /// Numbers of logins are compared only within one sequence of reports: after a machine was restored from a backup, it uses
  /// the same numbers for other logins.
  ///
  /// A nonce that the store had before it was restored or moved proves no copy: the machine may have reported since the
  /// backup.
  ///
  /// - Parameters:
  ///   - machine: its state before the report.
  ///   - restoredAt: when the store was restored or moved, in seconds since 1970; nil if it never was.
  ///   - now: seconds since 1970.
  init(_ report: MachineReport, of machine: JoinedMachine, restoredAt: Int64? = nil, now: Int64) {
    let before = machine.contact
    let isOld = before.flatMap { before in restoredAt.map { before.at <= $0 } } ?? false
    let isOther = before?.mark.map { report.mark != $0 && report.nextMark != $0 } ?? false
    let isOfCopy = isOther && !isOld
    let last = isOfCopy ? 0 : before?.offlineNumber ?? 0
    news = report.offlineLogins.filter { $0.number > last }
    contact = MachineContact(
      at: now, module: report.module, policy: report.policy,
      locks: ReportedLocks(report.locks, more: report.moreLocks), copySeenAt: isOfCopy ? now : before?.copySeenAt,
      mark: report.nextMark, offlineNumber: news.map(\.number).max() ?? (isOfCopy ? nil : before?.offlineNumber),
      wrongValues: ReportedWrongValues(report.wrongValues, more: report.moreWrongValues),
      // A report without an examination leaves what the last one has found.
      examination: report.findings.map { MachineExamination(failures: $0, at: now) } ?? before?.examination)
    troubles = NewTroubles(contact, after: before, now: now)
    self.report = report
    self.machine = machine
    self.isOfCopy = isOfCopy
    self.now = now
  }

  // MARK: The audit

  /// The rows of the report: that a copy was seen, what has changed, new locks and wrong values, and the logins.
  ///
  /// - Parameters:
  ///   - verified: the proved logins. In the row about any other login, the account is only part of the detail.
  func rows(verified: Set<OfflineLoginNote>, from address: String) -> [AuditEntry] {
    var rows: [AuditEntry] = []
    if isOfCopy, isCopyNew { rows.append(row(.machineCopied, place, address)) }
    if let changes { rows.append(row(.machineCheckIn, changes, address)) }
    for lock in troubles.locks {
      var detail = place
      detail.set("type", .string(lock.type))
      detail.set("origin", .string(lock.origin.rawValue))
      detail.set("until", lock.until.map(JSONValue.integer))
      rows.append(row(.machineLock, detail, address, account: lock.account))
    }
    for wrong in troubles.wrongValues {
      var detail = place
      detail.set("type", .string(wrong.type))
      detail.set("origin", .string(wrong.origin.rawValue))
      detail.set("count", .integer(Int64(wrong.count)))
      rows.append(row(.machineWrongValues, detail, address, account: wrong.account))
    }
    for login in news {
      let isProved = verified.contains(login)
      var detail = place
      detail.set("service", .string(login.service))
      detail.set("time", .integer(login.time))
      detail.set("number", .integer(login.number))
      detail.set("verified", .bool(isProved))
      if !isProved { detail.set("account", .string(login.account)) }
      rows.append(row(.offlineLogin, detail, address, account: isProved ? login.account : ""))
    }
    return rows
  }

  private var isCopyNew: Bool { (machine.contact?.copySeenAt).map { now - $0 >= Self.copyRowLifetime } ?? true }

  private var place: JSONObject {
    ["code": .integer(machine.codeNumber), "group": .string(machine.group), "device": .string(machine.id)]
  }

  /// What has changed in the machine's description of itself; nil if nothing has.
  private var changes: JSONObject? {
    let before = machine.contact
    var detail = place
    let texts = [
      ("name", report.deviceName, machine.name), ("model", report.deviceModel, machine.model),
      ("system", report.deviceOS, machine.system), ("module", report.module, before?.module),
    ]
    for (name, said, known) in texts where said != nil && said != known {
      detail.set(name, said.map(JSONValue.string))
    }
    if report.policy != before?.policy { detail.set("policy", report.policy.map(JSONValue.integer) ?? .null) }
    if contact.locks != before?.locks ?? ReportedLocks() { detail.set("locks", contact.locks.json) }
    if contact.wrongValues.more != before?.wrongValues.more ?? 0 {
      detail.set("moreWrongValues", .integer(Int64(contact.wrongValues.more)))
    }
    if let examination = contact.examination, examination.failures != before?.examination?.failures {
      detail.set("failures", FindingList.json(examination.failures))
    }
    if report.droppedLogins > 0 { detail.set("droppedLogins", .integer(Int64(report.droppedLogins))) }
    return detail.members.count > place.members.count ? detail : nil
  }

  private func row(_ kind: AuditKind, _ detail: JSONObject, _ address: String, account: String = "") -> AuditEntry {
    AuditEntry(
      time: now, kind: kind, account: account, actor: .machine, address: address,
      machine: report.deviceName ?? machine.name ?? machine.id, detail: JSONValue.object(detail).text)
  }
}

/// What a machine reported last about accounts, of one kind.
package struct ReportedList<Entry: JSONRepresentable & Equatable & Sendable>: Equatable, Sendable {
  /// What the report names, at most ``MachineReport/mostLocks``.
  package let named: [Entry]
  /// How many more there are on the machine.
  package let more: Int

  package init(_ named: [Entry] = [], more: Int = 0) {
    self.named = named
    self.more = more
  }

  /// The text that the store keeps: a JSON object.
  package var text: String { json.text }

  /// The list as JSON.
  package var json: JSONValue {
    .object(["named": .array(named.map(\.json)), "more": .integer(Int64(more))])
  }

  /// Reads the stored text; an empty list for a text of a different form.
  package init(text: String) {
    guard case .object(let object)? = try? JSONValue(parsing: Array(text.utf8)),
      case .array(let list)? = object["named"]
    else {
      self.init()
      return
    }
    let more: Int64 = if case .integer(let number)? = object["more"] { number } else { 0 }
    self.init(list.compactMap { try? Entry(json: $0, path: "named") }, more: Int(clamping: max(more, 0)))
  }
}

/// The locks that a machine reported last.
package typealias ReportedLocks = ReportedList<ReportedLock>
/// The wrong values in a row that a machine reported last.
package typealias ReportedWrongValues = ReportedList<ReportedAttempts>

/// Checks what a machine's report says about accounts.
///
/// A statement about an account counts only if the account has a key on that machine, and only with a MAC by the secret that
/// the server issued with such a key. So a machine that joined under the ID of a different machine, or has no key of the
/// account, cannot report on the account.
struct AccountProofs {
  private let proofs: MachineProofs
  private let machineID: [UInt8]
  private var keys: [String: [KeyID]] = [:]
  /// The secrets of the accounts that were checked so far: a report may name the same account up to 64 times.
  private var secrets: [String: [MachineSecret]] = [:]

  /// The most keys of a machine that are read.
  static let mostKeys = 1000
  /// The most keys of one account that are tried: each costs a few HMACs for each MAC that is checked.
  private static let mostOfAccount = 16

  /// - Parameters:
  ///   - machineID: the ID that the machine got from this server when it joined.
  ///   - keys: the keys on that machine; revoked ones prove nothing.
  init(_ keys: [KeyRecord], on machineID: [UInt8], _ proofs: MachineProofs) {
    self.proofs = proofs
    self.machineID = machineID
    for key in keys.reversed() where key.revocation == nil {
      guard self.keys[key.username, default: []].count < Self.mostOfAccount else { continue }
      self.keys[key.username, default: []].append(key.keyID)
    }
  }

  /// - Throws: ``CryptoError``.
  mutating func isProved(_ note: OfflineLoginNote) throws -> Bool {
    try isMade(note.code, over: note.authenticated(on: machineID), for: note.account)
  }

  /// - Throws: ``CryptoError``.
  mutating func isProved(_ attempts: ReportedAttempts) throws -> Bool {
    guard let code = attempts.code else { return false }
    return try isMade(code, over: attempts.authenticated(on: machineID), for: attempts.account)
  }

  /// - Throws: ``CryptoError``.
  mutating func isProved(_ lock: ReportedLock) throws -> Bool {
    guard let code = lock.code else { return false }
    return try isMade(code, over: lock.authenticated(on: machineID), for: lock.account)
  }

  private mutating func isMade(_ code: [UInt8], over message: [UInt8], for account: String) throws -> Bool {
    try possibleSecrets(of: account).contains { secret in
      let expected = try HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret.secret)
      return HMACSHA256.isEqual(code, expected)
    }
  }

  private mutating func possibleSecrets(of account: String) throws -> [MachineSecret] {
    if let known = secrets[account] { return known }
    let made = try keys[account].map { try proofs.possibleSecrets(of: account, holding: $0) } ?? []
    secrets[account] = made
    return made
  }
}
