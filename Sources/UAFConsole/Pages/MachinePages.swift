import UAFAdministration
import UAFService

/// The machines, and one of them.
enum MachinePages {
  static func list(_ call: PageCall) async throws -> PageContent {
    let page = try await MachineAdministration(call.administration).page(after: call.fields["after"], by: call.caller)
    let rows = page.rows.map { machine -> [PageCell] in
      [
        PageCall.machineLink(machine.id, machine.name), PageCell(machine.model ?? ""), PageCell(machine.system ?? ""),
        PageCell(String(machine.people)), PageCell(String(machine.keys)), PageCell(String(machine.revokedKeys)),
        PageCell(call.time(machine.lastUsedAt)), PageCell(machine.joined?.group ?? ""),
        PageCell(time(machine.joined?.joinedAt, call)), PageCell(time(machine.joined?.departedAt, call)),
      ]
    }
    let table = PageTable(
      caption: call.text(.machines),
      columns: [
        .machineName, .machineModel, .machineSystem, .accounts, .keys, .revokedKeys, .lastUsed, .group, .joined, .left,
      ].map(call.text),
      rows: rows, empty: call.text(.nothing), next: page.next.map { call.next("/console/machines", [("after", $0)]) })
    return PageContent(title: call.text(.machines), blocks: [.table(table)] + (try await JoinCodePages.blocks(call)))
  }

  /// A time of what may never have been.
  private static func time(_ seconds: Int64?, _ call: PageCall) -> String { seconds.map { call.time($0) } ?? "" }

  static func machine(_ call: PageCall) async throws -> PageContent {
    let id = call.fields["id"]
    let found = try await MachineAdministration(call.administration).machine(id, by: call.caller)
    let machine = found.machine
    let facts: PageBlock = .facts([
      (call.text(.machineName), machine.name ?? ""), (call.text(.machineModel), machine.model ?? ""),
      (call.text(.machineSystem), machine.system ?? ""), (call.text(.registered), call.time(machine.registeredAt)),
      (call.text(.lastUsed), call.time(machine.lastUsedAt)), (call.text(.group), machine.joined?.group ?? ""),
      (call.text(.joined), time(machine.joined?.joinedAt, call)),
      (call.text(.left), time(machine.joined?.departedAt, call)),
    ])
    let table = PeoplePages.keyTable(found.keys, call, column: .account) { PageCall.personLink($0.username) }
    var blocks: [PageBlock] = [facts, .table(table)]
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
