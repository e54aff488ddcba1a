import UAFAdministration
import UAFService

/// The first page: logins of the last day, keys by model, and the newest rows of the audit.
enum OverviewPage {
  /// How many rows are counted at most.
  private static let mostRows = 5000
  private static let day: Int64 = 86_400
  private static let hour: Int64 = 3600
  /// Bars of models; the others are one bar together.
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

  /// The plot of keys by model, and when they were counted; a text where there are none.
  static func models(_ figures: ModelFigures, _ call: PageCall) -> [PageBlock] {
    let counted: PageBlock = .paragraph(call.language.text(.keysCounted, call.time(figures.time)))
    guard !figures.models.isEmpty else { return [.paragraph(call.text(.noKeys))] }
    // One model more needs no bar of others.
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
