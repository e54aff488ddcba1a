import UAFAdministration
import UAFMessages
import UAFService

/// The first page: what needs doing, the logins of the last day, the keys by model, and the newest rows of the audit.
enum OverviewPage {
  /// The most logins that are counted.
  private static let mostRows = 5000
  private static let day: Int64 = 86_400
  private static let hour: Int64 = 3600
  /// How many models have a bar of their own; all others share one.
  private static let mostModels = 8
  /// How many reasons of failed logins are named.
  private static let mostReasons = 5
  /// How many versions of the fleet are named.
  private static let mostVersions = 6

  static func content(_ call: PageCall) async throws -> PageContent {
    let now = call.environment.now
    // The hours are those of the reader's zone, whose distance from UTC need not be whole hours.
    let start = call.zone.startOfDay(now)
    let begin = now - (now - start) % hour - day + hour
    let logins = try await AuditAdministration(call.administration).logins(
      since: begin, limit: mostRows, by: call.caller)
    let events = logins.rows.map(\.event)
    var blocks: [PageBlock] = [
      .notes(try await OverviewNotes.all(call), title: call.text(.toDo), empty: call.text(.nothingToDo)),
      .plot(plot(events, from: begin, call)),
    ]
    if logins.isPart { blocks.append(.paragraph(call.language.text(.onlySome, String(logins.rows.count)))) }
    if let failed = failures(events, from: begin, call) { blocks.append(.table(failed)) }
    blocks += models(try await ModelAdministration(call.administration).figures(by: call.caller), call)
    if let versions = try await versions(call) { blocks.append(.table(versions)) }
    var newest = AuditFilter()
    newest.isNewestFirst = true
    let latest = try await AuditAdministration(call.administration).page(newest, limit: 10, by: call.caller)
    blocks.append(.table(AuditRowPages.table(latest, caption: call.text(.latestRows), next: nil, call)))
    return PageContent(title: call.text(.overview), blocks: blocks)
  }

  /// The table of keys by model with a bar for each, and when the keys were counted; only a text if there are no keys.
  static func models(_ figures: ModelFigures, _ call: PageCall) -> [PageBlock] {
    guard !figures.models.isEmpty else { return [.heading(call.text(.keysByModel)), .paragraph(call.text(.noKeys))] }
    // If only one model remains, it gets a bar of its own.
    let isPart = figures.models.count > mostModels + 1
    let shown = isPart ? figures.models.prefix(mostModels) : figures.models[...]
    let others = figures.models.dropFirst(shown.count).map(\.count)
    var bars = shown.map { model in (call.model(model.count.aaid), model.count.keys, model.count.revokedKeys) }
    if isPart {
      bars.append(
        (
          PageCell(call.language.text(.otherModels, String(others.count))), others.reduce(0) { $0 + $1.keys },
          others.reduce(0) { $0 + $1.revokedKeys }
        ))
    }
    let whole = bars.reduce(0) { $0 + $1.1 + $1.2 }
    let rows = bars.map { name, keys, revoked in
      [
        name, PageCell(String(keys)), PageCell(String(revoked)),
        PageCell("", kind: .bar(good: keys, other: revoked, of: whole)),
      ]
    }
    let table = PageTable(
      caption: call.text(.keysByModel), columns: [.model, .keys, .revokedKeys, .share].map(call.text), rows: rows,
      empty: "")
    return [.table(table), .aside(call.language.text(.keysCounted, call.time(figures.time)))]
  }

  static func plot(_ events: [AuditEntry], from start: Int64, _ call: PageCall) -> BarPlot {
    let bars = (0..<day / hour).map { index -> BarPlot.Bar in
      let from = start + index * hour
      let inside = events.filter { $0.time >= from && $0.time < from + hour }
      let good = inside.count { $0.outcome == AuditEntry.done }
      return BarPlot.Bar(label: call.zone.hour(from), good: good, refused: inside.count - good)
    }
    return BarPlot(
      title: call.language.text(.loginsByHour, call.zone.name), asTable: call.text(.numbers),
      columns: [call.text(.hour), call.text(.succeeded), call.text(.refusedCount)],
      bars: bars)
  }

  /// The failed logins by reason, the most frequent first; nil if no login failed.
  private static func failures(_ events: [AuditEntry], from start: Int64, _ call: PageCall) -> PageTable? {
    var counts: [String: Int] = [:]
    for event in events where event.outcome != AuditEntry.done { counts[event.outcome, default: 0] += 1 }
    guard !counts.isEmpty else { return nil }
    let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(mostReasons).map { outcome, count in
      let link = PageCall.link(
        "/console/audit",
        [
          ("kind", AuditKind.login.rawValue), ("outcome", outcome), ("since", call.environment.timeText(start)),
        ])
      return [PageCell(call.language.outcome(outcome), link: link), PageCell(String(count))]
    }
    return PageTable(
      caption: call.text(.failedByReason), columns: [.reasonOfRefusal, .count].map(call.text), rows: rows, empty: "")
  }

  /// The versions that the machines report; nil if no machine reports.
  private static func versions(_ call: PageCall) async throws -> PageTable? {
    let fleet = try await AttentionAdministration(call.administration).fleet(by: call.caller)
    guard !fleet.versions.isEmpty else { return nil }
    let whole = fleet.versions.reduce(0) { $0 + $1.machines }
    let rows = fleet.versions.prefix(mostVersions).map { version, machines in
      [
        PageCell(version, link: PageCall.link(MachinePages.path, [("words", version)])), PageCell(String(machines)),
        PageCell("", kind: .bar(good: machines, other: 0, of: whole)),
      ]
    }
    return PageTable(
      caption: call.text(.versionsInFleet), columns: [.version, .machines, .share].map(call.text), rows: rows, empty: ""
    )
  }
}
