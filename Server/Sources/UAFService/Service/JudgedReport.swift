import UAFCrypto
import UAFMessages

/// What a machine's report says in the light of its last one: what is to be kept, and which rows of the audit it gives.
struct JudgedReport {
  /// For how long one row says that a machine has a copy, in seconds: two that take turns would give one at each report.
  private static let copyRowLifetime: Int64 = 86_400

  /// What is to be kept.
  let contact: MachineContact

  private let report: MachineReport
  private let machine: JoinedMachine
  /// Whether it names another mark than the last one.
  private let isOfCopy: Bool
  /// The logins that no report told before.
  private let news: [OfflineLoginNote]
  private let now: Int64

  /// Judges a report.
  ///
  /// A report that sets the mark which is the last one already was sent before, and its answer was lost. Numbers of logins are
  /// compared only within one row of reports: a restored machine gives the same numbers to other logins.
  ///
  /// - Parameters:
  ///   - machine: as it was before.
  ///   - now: seconds since 1970.
  init(_ report: MachineReport, of machine: JoinedMachine, now: Int64) {
    let before = machine.contact
    let isOfCopy = before?.mark.map { report.mark != $0 && report.nextMark != $0 } ?? false
    let last = isOfCopy ? 0 : before?.offlineNumber ?? 0
    news = report.offlineLogins.filter { $0.number > last }
    contact = MachineContact(
      at: now, module: report.module, policy: report.policy,
      locks: ReportedLocks(report.locks, more: report.moreLocks), copySeenAt: isOfCopy ? now : before?.copySeenAt,
      mark: report.nextMark, offlineNumber: news.map(\.number).max() ?? (isOfCopy ? nil : before?.offlineNumber))
    self.report = report
    self.machine = machine
    self.isOfCopy = isOfCopy
    self.now = now
  }

  // MARK: The audit

  /// The rows that it gives: that a copy was seen, what has changed, and the logins.
  ///
  /// - Parameters:
  ///   - verified: the logins that are proved. Any other one is in no row of its account.
  func rows(verified: Set<OfflineLoginNote>, from address: String) -> [AuditEntry] {
    var rows: [AuditEntry] = []
    if isOfCopy, isCopyNew { rows.append(row(.machineCopied, place, address)) }
    if let changes { rows.append(row(.machineCheckIn, changes, address)) }
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

  /// What the machine says of itself now and did not before; nil if that is nothing.
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
    if report.droppedLogins > 0 { detail.set("droppedLogins", .integer(Int64(report.droppedLogins))) }
    return detail.members.count > place.members.count ? detail : nil
  }

  private func row(_ kind: AuditKind, _ detail: JSONObject, _ address: String, account: String = "") -> AuditEntry {
    AuditEntry(
      time: now, kind: kind, account: account, actor: .machine, address: address,
      machine: report.deviceName ?? machine.name ?? machine.id, detail: JSONValue.object(detail).text)
  }
}

/// The locks that stand on a machine, as it has reported them.
package struct ReportedLocks: Equatable, Sendable {
  /// Up to ``MachineReport/mostLocks`` of them.
  package let named: [ReportedLock]
  /// How many more there are.
  package let more: Int

  package init(_ named: [ReportedLock] = [], more: Int = 0) {
    self.named = named
    self.more = more
  }

  /// As the store keeps them: a JSON object.
  package var text: String { json.text }

  /// The same as JSON.
  package var json: JSONValue {
    .object(["named": .array(named.map(\.json)), "more": .integer(Int64(more))])
  }

  /// Reads what the store has; none for a text that is not of that form.
  package init(text: String) {
    guard case .object(let object)? = try? JSONValue(parsing: Array(text.utf8)),
      case .array(let locks)? = object["named"]
    else {
      self.init()
      return
    }
    let more: Int64 = if case .integer(let number)? = object["more"] { number } else { 0 }
    self.init(locks.compactMap { try? ReportedLock(json: $0, path: "locks") }, more: Int(clamping: max(more, 0)))
  }
}

/// Checks what a machine's report says of accounts.
///
/// It counts only for an account with a key on that machine, and only with a MAC by the secret that the server gave
/// with such a key. So a machine that joined under another one's ID, or has no key of the account, cannot report on it.
struct AccountProofs {
  private let proofs: MachineProofs
  private let machineID: [UInt8]
  private var keys: [String: [KeyID]] = [:]
  /// Those of the accounts that were asked for: a report names an account up to 64 times.
  private var secrets: [String: [MachineSecret]] = [:]

  /// The most keys of a machine that are looked at.
  static let mostKeys = 1000
  /// The most keys of one account: each costs a few HMACs for each code.
  private static let mostOfAccount = 16

  /// - Parameters:
  ///   - machineID: the machine's number since it has joined.
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
