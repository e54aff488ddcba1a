import UAFAdministration
import UAFService

/// The first page: the logins of the last day, the keys by model, and the newest rows of the audit.
enum OverviewPage {
  /// The most logins that are counted.
  private static let mostRows = 5000
  private static let day: Int64 = 86_400
  private static let hour: Int64 = 3600
  /// How many models have a bar of their own; all others share one.
  private static let mostModels = 8

  static func content(_ call: PageCall) async throws -> PageContent {
    let now = call.environment.now
    let start = now - now % hour - day + hour
    let logins = try await AuditAdministration(call.administration).logins(
      since: start, limit: mostRows, by: call.caller)
    var blocks: [PageBlock] = [.plot(plot(logins.rows.map(\.event), from: start, call))]
    if logins.isPart { blocks.append(.paragraph(call.language.text(.onlySome, String(logins.rows.count)))) }
    blocks += models(try await ModelAdministration(call.administration).figures(by: call.caller), call)
    var newest = AuditFilter()
    newest.isNewestFirst = true
    let latest = try await AuditAdministration(call.administration).page(newest, limit: 10, by: call.caller)
    blocks.append(.table(AuditRowPages.table(latest, caption: call.text(.latestRows), next: nil, call)))
    return PageContent(title: call.text(.overview), blocks: blocks)
  }

  /// The plot of keys by model, and when the keys were counted; only a text if there are no keys.
  static func models(_ figures: ModelFigures, _ call: PageCall) -> [PageBlock] {
    let counted: PageBlock = .paragraph(call.language.text(.keysCounted, call.time(figures.time)))
    guard !figures.models.isEmpty else { return [.paragraph(call.text(.noKeys))] }
    // If only one model remains, it gets a bar of its own.
    let isPart = figures.models.count > mostModels + 1
    let shown = isPart ? figures.models.prefix(mostModels) : figures.models[...]
    let others = figures.models.dropFirst(shown.count).map(\.count)
    var bars = shown.map { model in
      BarPlot.Bar(
        label: [model.type, model.count.aaid.text].compactMap(\.self).joined(separator: " "), good: model.count.keys,
        refused: model.count.revokedKeys)
    }
    if isPart {
      bars.append(
        BarPlot.Bar(
          label: call.language.text(.otherModels, String(others.count)), good: others.reduce(0) { $0 + $1.keys },
          refused: others.reduce(0) { $0 + $1.revokedKeys }))
    }
    let plot = BarPlot(
      title: call.text(.keysByModel), asTable: call.text(.numbers),
      columns: [.model, .keys, .revokedKeys].map(call.text), bars: bars, hasAxis: true)
    return [.plot(plot), counted]
  }

  static func plot(_ events: [AuditEntry], from start: Int64, _ call: PageCall) -> BarPlot {
    let bars = (0..<day / hour).map { index -> BarPlot.Bar in
      let from = start + index * hour
      let inside = events.filter { $0.time >= from && $0.time < from + hour }
      let good = inside.count { $0.outcome == AuditEntry.done }
      return BarPlot.Bar(label: call.time(from), good: good, refused: inside.count - good)
    }
    return BarPlot(
      title: call.text(.loginsByHour), asTable: call.text(.numbers),
      columns: [call.text(.hour), call.text(.succeeded), call.text(.refusedCount)],
      bars: bars)
  }
}

/// The page with the server's settings and state, which cannot be changed there.
enum SettingsPage {
  static func content(_ call: PageCall) async throws -> PageContent {
    let standing = try await ServerStanding.read(call.administration, by: call.caller)
    let facts = call.environment.facts
    return PageContent(
      title: call.text(.settings),
      blocks: [
        .facts(
          facts.listeners.map { (call.text(name($0.listener)), $0.address) }
            + facts.certificateEnds().map { (call.text(.certificateEnds), call.time($0)) } + [
              (call.text(.serverURL), try call.environment.publicURL()),
              (call.text(.version), call.environment.version),
            ]),
        .table(keys(facts.keys(call.environment.now), call)),
        .heading(call.text(.storeState)),
        .facts([
          (call.text(.storeKind), facts.store), (call.text(.lastRow), String(standing.lastRow)),
          (call.text(.restoredAt), call.time(standing.restoredAt)),
        ]),
        .table(sinks(standing, call)),
        .heading(call.text(.retention)), .paragraph(call.text(.retentionHow)),
      ])
  }

  private static func name(_ listener: ServerFacts.Listener) -> PageText {
    switch listener {
    case .logins: .listenLogins
    case .administration: .listenAdministration
    case .metrics: .listenMetrics
    }
  }

  private static func keys(_ keys: [ServerFacts.Key], _ call: PageCall) -> PageTable {
    let rows = keys.map { key -> [PageCell] in
      let use: PageText =
        switch key.use {
        case .inUse: .keyInUse
        case .toCome: .keyToCome
        case .accepted: .keyAccepted
        }
      return [PageCell(key.kind), PageCell(key.id), PageCell(key.from.map(call.time) ?? "-"), PageCell(call.text(use))]
    }
    return PageTable(
      caption: call.text(.serverKeys), columns: [.kind, .keyID, .keyFrom, .state].map(call.text), rows: rows,
      empty: call.text(.nothing))
  }

  private static func sinks(_ standing: ServerStanding, _ call: PageCall) -> PageTable {
    let rows = standing.sinks.map { sink in
      [
        PageCell(sink.name), PageCell(String(sink.delivered)),
        PageCell(String(max(0, standing.lastRow - sink.delivered))), PageCell(call.time(sink.waitingSince)),
      ]
    }
    return PageTable(
      caption: call.text(.sinks), columns: [.sink, .delivered, .waitingRows, .waitingSince].map(call.text), rows: rows,
      empty: call.text(.noSinks))
  }
}
