import UAFAdministration
import UAFService

/// The pages with the machines, and with a single machine.
enum MachinePages {
  static func list(_ call: PageCall) async throws -> PageContent {
    let page = try await MachineAdministration(call.administration).page(after: call.fields["after"], by: call.caller)
    let rows = page.rows.map { machine -> [PageCell] in
      [
        PageCall.machineLink(machine.id, machine.name), PageCell(machine.model ?? ""), PageCell(machine.system ?? ""),
        PageCell(String(machine.people)), PageCell(String(machine.keys)), PageCell(String(machine.revokedKeys)),
        PageCell(call.time(machine.lastUsedAt)), PageCell(machine.joined?.group ?? ""),
        PageCell(time(machine.joined?.joinedAt, call)), PageCell(time(machine.joined?.departedAt, call)),
      ] + told(machine.joined?.contact, call, [.lastReport, .locksReported, .copySeen])
    }
    let table = PageTable(
      caption: call.text(.machines),
      columns: [
        .machineName, .machineModel, .machineSystem, .accounts, .keys, .revokedKeys, .lastUsed, .group, .joined, .left,
        .lastReport, .locksReported, .copySeen,
      ].map(call.text),
      rows: rows, empty: call.text(.nothing), next: page.next.map { call.next("/console/machines", [("after", $0)]) })
    return PageContent(title: call.text(.machines), blocks: [.table(table)] + (try await JoinCodePages.blocks(call)))
  }

  /// A time as text; empty if there is none.
  private static func time(_ seconds: Int64?, _ call: PageCall) -> String { seconds.map { call.time($0) } ?? "" }

  /// The cells with a machine's last report about itself; empty if it has sent none.
  private static func told(_ contact: MachineContact?, _ call: PageCall, _ columns: [PageText]) -> [PageCell] {
    columns.map { column in
      guard let contact else { return PageCell("") }
      return switch column {
      case .lastReport: PageCell(call.time(contact.at))
      case .module: PageCell(contact.module)
      case .policyInUse: PageCell(contact.policy.map { String($0) } ?? call.text(.none))
      case .locksReported: PageCell(String(contact.locks.named.count + contact.locks.more))
      default: PageCell(time(contact.copySeenAt, call))
      }
    }
  }

  private static func reported(_ contact: MachineContact?, _ call: PageCall) -> [(String, String)] {
    let names: [PageText] = [.lastReport, .module, .policyInUse, .locksReported, .copySeen]
    return Array(zip(names.map(call.text), told(contact, call, names).map(\.text)))
  }

  /// The table of the locks that a machine has reported.
  private static func lockTable(_ locks: ReportedLocks, _ call: PageCall) -> PageTable {
    let rows = locks.named.map { lock -> [PageCell] in
      [
        PageCall.personLink(lock.account), PageCell(lock.type), PageCell(lock.origin.rawValue),
        PageCell(call.time(lock.until)),
      ]
    }
    return PageTable(
      caption: call.text(.locksReported),
      columns: [.account, .authenticators, .kind, .expires].map(call.text),
      rows: rows, empty: call.text(.nothing))
  }

  static func machine(_ call: PageCall) async throws -> PageContent {
    let id = call.fields["id"]
    let found = try await MachineAdministration(call.administration).machine(id, by: call.caller)
    let machine = found.machine
    let facts: PageBlock = .facts(
      [
        (call.text(.machineName), machine.name ?? ""), (call.text(.machineModel), machine.model ?? ""),
        (call.text(.machineSystem), machine.system ?? ""), (call.text(.registered), call.time(machine.registeredAt)),
        (call.text(.lastUsed), call.time(machine.lastUsedAt)), (call.text(.group), machine.joined?.group ?? ""),
        (call.text(.joined), time(machine.joined?.joinedAt, call)),
        (call.text(.left), time(machine.joined?.departedAt, call)),
      ] + reported(machine.joined?.contact, call))
    let table = PeoplePages.keyTable(found.keys, call, column: .account) { PageCall.personLink($0.username) }
    var blocks: [PageBlock] = [facts]
    if let contact = machine.joined?.contact { blocks.append(.table(lockTable(contact.locks, call))) }
    blocks.append(.table(table))
    let isJoined = machine.joined.map { $0.departedAt == nil } ?? false
    if call.allows(.revoke), isJoined || found.keys.contains(where: { $0.revocation == nil }) {
      blocks.append(
        .form(
          PageForm(
            title: call.text(.revokeMachine), action: "/console/machine/revoke", button: call.text(.revoke),
            fields: [.hidden("id", id), call.reasonField], isDangerous: true)))
    }
    return PageContent(title: machine.name ?? id, blocks: blocks)
  }
}
