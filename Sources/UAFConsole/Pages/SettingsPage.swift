import UAFAdministration

/// What the server is set to, and how it stands; nothing is changed here.
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
