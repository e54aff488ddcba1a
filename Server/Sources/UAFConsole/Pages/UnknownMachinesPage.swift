import UAFAdministration
import UAFService

/// The page with the machines that say that they have joined, and that this server does not know.
enum UnknownMachinesPage {
  static let path = "/console/machines/unknown"
  /// The most machines on the page.
  private static let most = 200

  static func content(_ call: PageCall) async throws -> PageContent {
    let found = try await AttentionAdministration(call.administration).unknownMachines(by: call.caller)
    let columns: [PageText] = [.machineName, .deviceID, .address, .firstRefused, .lastRefused, .reportsRefused]
    let table = PageTable(
      caption: call.text(.unknownMachines), columns: columns.map(call.text),
      rows: found.prefix(most).map { row($0, call) }, empty: call.text(.noUnknownMachines),
      count: call.count(min(found.count, most), hasMore: found.count > most), order: call.order(columns: columns.count),
      hidesCaption: true)
    var head = PageHead()
    if call.allows(.joinMachines) { head.primary = call.action(.joinCodeIssue, JoinCodePages.issuePath, .plus) }
    return PageContent(
      title: call.text(.unknownMachines), head: head,
      blocks: [.paragraph(call.text(.unknownMachinesHelp)), .table(table)])
  }

  private static func row(_ machine: UnknownMachine, _ call: PageCall) -> [PageCell] {
    [
      PageCell(machine.name ?? ""), call.identifier(machine.id), PageCell(machine.address),
      call.moment(machine.firstAt),
      call.moment(machine.lastAt), PageCell(String(machine.count)),
    ]
  }
}
