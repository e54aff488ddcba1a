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
