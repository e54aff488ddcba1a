import ArgumentParser
import Foundation
import Logging
import UAFCrypto
import UAFDecoder
import UAFMessages
import UAFService

/// `uaf-server audit`: shows, checks and exports the audit and the confirmed texts.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Look at the audit, check that nobody has changed it, and export it.",
    subcommands: [
      AuditListCommand.self, AuditVerifyCommand.self, AuditExportCommand.self, AuditPruneCommand.self,
      AuditTextsCommand.self, AuditShowCommand.self,
    ])
}

/// `uaf-server audit list`: lists rows of the audit.
struct AuditListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what happened, oldest first.",
    discussion: """
      Each row is one line, separated by tabs: number, time, kind, outcome, account, actor, address, machine, \
      authenticators, detail. '-' stands for a missing value. What a machine reports about itself is not verified. A \
      time is 2026-11-23T12:00:00Z, 2026-11-23, or seconds since 1970. For the next page, give the last number to \
      --after.
      """)

  @OptionGroup var place: AdministrationOptions
  @Option(help: "Only this account.", completion: AccountCompletion.accounts) var account: String?
  @Option(help: "Only this kind, such as login, registration, revocation.") var kind: String?
  @Option(help: "Only this outcome: ok, or the reason of a refusal.") var outcome: String?
  @Option(help: "Only this machine, as the machine column shows it.") var machine: String?
  @Option(help: "Only this PAM service, such as sudo, as the machine has named it.") var service: String?
  @Option(
    help: ArgumentHelp(
      "Only rows with these words in a text; upper and lower case are the same.", valueName: "text"))
  var words: String?
  @Option(
    name: .customLong("not"),
    help: ArgumentHelp(
      "Only rows that do not meet this condition: account, kind, outcome, machine, service, words; may be "
        + "repeated.",
      valueName: "condition"))
  var negated: [AuditField] = []
  @Option(help: "Only from this time on.") var since: TypedTime?
  @Option(help: "Only before this time.") var until: TypedTime?
  @Option(help: ArgumentHelp("Only rows with a higher number.", valueName: "number")) var after: Int64 = 0
  @Option(help: ArgumentHelp("The maximum number of rows, 1 to 100000.", valueName: "n")) var limit = 100
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
    guard after >= 0 else { throw ValidationError("--after must not be negative.") }
  }

  func run() async throws {
    let not = negated.isEmpty ? nil : negated.map(\.rawValue).joined(separator: ",")
    let conditions = [
      ("account", account), ("kind", kind), ("outcome", outcome), ("machine", machine), ("service", service),
      ("words", words), ("not", not),
      ("since", since.map { String($0.seconds) }), ("until", until.map { String($0.seconds) }), ("order", "oldest"),
    ]
    try await place.link { link in
      let request = APIRequest(.GET, ["audit"], query: conditions.map { (name: $0.0, value: $0.1) })
      try await link.forEach(
        request, "rows", after: String(after), atMost: limit, begin: { json.title(AuditLine.titles) }
      ) { row in json.print(row, orElse: AuditLine.text(row)) }
    }
  }
}

/// `uaf-server audit show`: shows one confirmed text, what was signed, and whether the signature is valid.
struct AuditShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one confirmed text, which part of it was signed, and by which key.",
    discussion: """
      'audit texts' shows the number. For a text of more than 200 bytes, its beginning, its end, its length and its \
      SHA-256 are signed. The exit status is 1 if the signature is not valid, or if there is no such number.
      """)

  @Argument(help: "The number of the text.") var number: Int64
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let store = try state.openStore()
    let found = try await store.read { [number] in try $0.confirmedTexts.confirmation(number) }
    guard let confirmation = found else {
      Terminal.note("there is no confirmed text with the number \(number)")
      throw ExitCode.failure
    }
    let fault = ConfirmedTextCheck.fault(in: confirmation)
    json.print(Self.json(confirmation, fault), orElse: Self.lines(confirmation, fault).joined(separator: "\n"))
    if fault != nil { throw ExitCode.failure }
  }

  static func json(_ confirmation: ConfirmedText, _ fault: ConfirmedTextCheck.Fault?) -> JSONObject {
    var object = AuditTextsCommand.json(confirmation, fault)
    object.set(
      "signed", (try? TransactionText(sent: confirmation.shown)?.signed(hash: SHA256.hash)).map(JSONValue.string))
    object.set("key", (try? SHA256.hash(confirmation.publicKey)).map { .string(Base64URL.encode($0)) })
    return object
  }

  static func lines(_ confirmation: ConfirmedText, _ fault: ConfirmedTextCheck.Fault?) -> [String] {
    let signed = try? TransactionText(sent: confirmation.shown)?.signed(hash: SHA256.hash)
    let key = try? SHA256.hash(confirmation.publicKey)
    return [
      "number     \(confirmation.id)",
      "time       \(Terminal.time(confirmation.confirmedAt))",
      "account    \(ShownValue.name(confirmation.username))",
      "text       \(AuditTextsCommand.text(confirmation.shown))",
      "signed     \(signed.map(AuditTextsCommand.text) ?? "-")",
      "key        SHA-256 \(key.map { Base64URL.encode($0) } ?? "-")",
      "signature  \(fault?.rawValue ?? "ok")",
    ]
  }
}

/// `uaf-server audit export`: prints the rows after a number as JSON.
struct AuditExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the rows after a number as JSON, one object per line.",
    discussion: """
      To continue later, give the last number that was printed to --after. Each row has its hash, so the chain can be \
      checked elsewhere. The export itself is recorded as a row, unless it printed only rows about exports.
      """)

  @OptionGroup var state: StateOption
  @Option(help: ArgumentHelp("The number after which to begin.", valueName: "number")) var after: Int64 = 0

  func validate() throws {
    guard after >= 0 else { throw ValidationError("--after must not be negative.") }
  }

  func run() async throws {
    let store = try state.openStore()
    var (last, isWorthARow) = (after, false)
    try await AuditPages(store: store, filter: AuditFilter(after: after)).forEach { row in
      Terminal.result(AuditLine.json(row))
      last = row.number
      if row.event.kind != .export { isWorthARow = true }
    }
    // If printing failed, nothing was exported, so no row records an export. The program then ends with that error.
    guard isWorthARow, Terminal.failure == nil else { return }
    let detail: JSONObject = ["after": .integer(after), "through": .integer(last)]
    let event = ServerEvents.command(.export, detail: detail, now: Terminal.now)
    try await store.write { try $0.audit.append([event]) }
  }
}

/// The options of `serve` that say where the audit is sent in addition to the store.
struct AuditOutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("File to which each signed head of the audit is added as a line.", valueName: "file"),
    completion: .file())
  var auditHeads: String?

  @Option(help: ArgumentHelp("Send each row of the audit to a syslog server, over TLS.", valueName: "host:port"))
  var auditSyslog: ListenAddress?
  @Option(
    help: ArgumentHelp("Certificate authorities of the syslog server, PEM (default: the system's).", valueName: "file"),
    completion: .file())
  var auditSyslogCa: String?
  @Option(
    help: ArgumentHelp("Certificate chain that the syslog server sees, PEM.", valueName: "file"), completion: .file())
  var auditSyslogCertificate: String?
  @Option(
    help: ArgumentHelp("Private key of that certificate, PEM, readable only by its owner.", valueName: "file"),
    completion: .file())
  var auditSyslogKey: String?

  @Option(help: ArgumentHelp("Send each row of the audit to an HTTPS URL, as JSON lines.", valueName: "url"))
  var auditWebhook: PublicURL?
  @Option(
    help: ArgumentHelp(
      "File with the secret that signs what the webhook gets, readable only by its owner.", valueName: "file"),
    completion: .file())
  var auditWebhookSecret: String?
  @Option(
    help: ArgumentHelp(
      "Certificate authorities of the webhook's server, PEM (default: the system's).", valueName: "file"),
    completion: .file())
  var auditWebhookCa: String?

  func validate() throws {
    if let auditSyslog {
      guard case .network(_, let port) = auditSyslog, port != 0, auditSyslog.host != nil else {
        throw ValidationError("--audit-syslog needs HOST:PORT of the syslog server.")
      }
    }
    guard (auditSyslogCertificate == nil) == (auditSyslogKey == nil) else {
      throw ValidationError("--audit-syslog-certificate and --audit-syslog-key go together.")
    }
    guard auditSyslog != nil || auditSyslogCa == nil && auditSyslogCertificate == nil else {
      throw ValidationError("--audit-syslog-ca and --audit-syslog-certificate need --audit-syslog.")
    }
    guard (auditWebhook == nil) == (auditWebhookSecret == nil) else {
      throw ValidationError("--audit-webhook and --audit-webhook-secret go together.")
    }
    guard auditWebhook != nil || auditWebhookCa == nil else {
      throw ValidationError("--audit-webhook-ca needs --audit-webhook.")
    }
  }

  /// The services that send the audit's rows, one for each sink.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``; ``CryptoError``.
  func deliverers(from store: any ServerStore, _ figures: DeliveryFigures, _ logger: Logger) throws -> [AuditDeliverer]
  {
    let instance = Base64URL.encode(try RandomBytes.make(12))
    return try sinks().map {
      AuditDeliverer(
        to: $0, from: store, instance: instance, figures: figures, logger: logger, now: { Terminal.now })
    }
  }

  private func sinks() throws -> [any RowSink] {
    var sinks: [any RowSink] = []
    if case .network(let host, let port) = auditSyslog {
      var trust = SinkTrust(authorities: auditSyslogCa)
      if let auditSyslogCertificate, let auditSyslogKey { trust.own = (auditSyslogCertificate, auditSyslogKey) }
      sinks.append(try SyslogSink(host: host, port: port, trust: trust, sender: ServerEvents.host))
    }
    if let auditWebhook, let auditWebhookSecret {
      sinks.append(
        try WebhookSink(
          url: auditWebhook, secret: WebhookSecret(path: auditWebhookSecret),
          trust: SinkTrust(authorities: auditWebhookCa), now: { Terminal.now }))
    }
    return sinks
  }
}

/// Reads rows of the audit page by page, so that only one page is in memory, and the server does not have to wait.
struct AuditPages {
  private static let page = 1000

  let store: any ServerStore
  let filter: AuditFilter

  /// Calls `body` with each row, in the order of the row numbers.
  ///
  /// - Parameter most: how many at most.
  func forEach(atMost most: Int = .max, _ body: (AuditRow) -> Void) async throws {
    var (filter, left) = (filter, most)
    while left > 0 {
      let wanted = min(left, Self.page)
      let rows = try await store.read { [filter] in try $0.audit.rows(filter, limit: wanted) }
      for row in rows { body(row) }
      guard rows.count == wanted, let last = rows.last else { return }
      filter.after = last.number
      left -= wanted
    }
  }
}

extension AuditField: ExpressibleByArgument {}
