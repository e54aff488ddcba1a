import UAFAdministration
import UAFMessages
import UAFService

/// The page with the server's settings and state, which cannot be changed there.
enum SettingsPage {
  static func content(_ call: PageCall) async throws -> PageContent {
    let standing = try await ServerStanding.read(call.administration, by: call.caller)
    let facts = call.environment.facts
    return PageContent(
      title: call.text(.settings),
      blocks: [
        .details(
          facts.listeners.map { (call.text(name($0.listener)), PageCell($0.address)) }
            + facts.certificateEnds().map { (call.text(.certificateEnds), call.moment($0)) } + [
              (call.text(.serverURL), PageCell(try call.environment.publicURL())),
              (call.text(.version), PageCell(call.environment.version)),
            ]),
        .table(keys(facts.keys(call.environment.now), call)),
        .table(coming(try await TrustAdministration(call.administration).coming(by: call.caller), call)),
        .heading(call.text(.storeState)),
        .details([
          (call.text(.storeKind), PageCell(facts.store)), (call.text(.lastRow), PageCell(String(standing.lastRow))),
          (call.text(.restoredAt), call.moment(standing.restoredAt)),
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
      let use =
        switch key.use {
        case .inUse: call.state(.keyInUse, .good, .check)
        case .toCome: call.state(.keyToCome, .warn, .clock)
        case .accepted: call.state(.keyAccepted, .quiet, .key)
        case .ended: call.state(.keyEnded, .quiet, .key)
        }
      return [
        PageCell(word(key.kind, call)), call.identifier(key.id), key.from.map { call.moment($0) } ?? "-",
        PageCell("", kind: .state(use)),
      ]
    }
    return PageTable(
      caption: call.text(.serverKeys), columns: [.kind, .keyID, .keyFrom, .state].map(call.text), rows: rows,
      empty: call.text(.none))
  }

  private static func coming(_ coming: [ComingTrust], _ call: PageCall) -> PageTable {
    let rows = coming.map { coming in
      [
        PageCell(word(coming.anchor, call)), call.identifier(coming.anchor.name), call.moment(coming.usedFrom),
        PageCell(
          coming.countText, link: MachinePages.lackingLink(coming.anchor),
          note: coming.learningNone == 0
            ? coming.namesText
            : [coming.namesText, call.language.text(.learningNone, String(coming.learningNone))]
              .filter { !$0.isEmpty }.joined(separator: "; ")),
      ]
    }
    return PageTable(
      caption: call.text(.comingTrust), columns: [.kind, .keyID, .keyFrom, .lackingMachines].map(call.text),
      rows: rows, empty: call.text(.nothingComing))
  }

  /// The kind of a key of the server, in words.
  static func word(_ kind: String, _ call: PageCall) -> String {
    switch kind {
    case "secret": call.text(.keySecret)
    case "verdict": call.text(.anchorKey)
    case "audit": call.text(.keyAudit)
    case "machine": call.text(.keyMachine)
    default: kind
    }
  }

  /// The kind of a key or an authority, in words.
  static func word(_ anchor: TrustAnchor, _ call: PageCall) -> String {
    switch anchor {
    case .verdictKey: call.text(.anchorKey)
    case .authority: call.text(.anchorAuthority)
    }
  }

  private static func sinks(_ standing: ServerStanding, _ call: PageCall) -> PageTable {
    let rows = standing.sinks.map { sink in
      [
        PageCell(sink.name), PageCell(String(sink.delivered)),
        PageCell(String(max(0, standing.lastRow - sink.delivered))), call.moment(sink.waitingSince),
      ]
    }
    return PageTable(
      caption: call.text(.sinks), columns: [.sink, .delivered, .waitingRows, .waitingSince].map(call.text), rows: rows,
      empty: call.text(.noSinks))
  }
}
