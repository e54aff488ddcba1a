import ArgumentParser
import Logging
import UAFCrypto
import UAFMessages
import UAFService

/// The options of `serve` that say where the audit goes besides the store.
struct AuditOutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("File to which each signed head of the audit is added as a line.", valueName: "file"),
    completion: .file())
  var auditHeads: String?

  @Option(help: ArgumentHelp("Send each row of the audit to a syslog server, over TLS.", valueName: "host:port"))
  var auditSyslog: ListenAddress?
  @Option(
    help: ArgumentHelp("Authorities of the syslog server, PEM (default: the system's).", valueName: "file"),
    completion: .file())
  var auditSyslogCa: String?
  @Option(
    help: ArgumentHelp("Certificate chain for the syslog server to see, PEM.", valueName: "file"), completion: .file())
  var auditSyslogCertificate: String?
  @Option(
    help: ArgumentHelp("Private key of that certificate, PEM, readable by its owner alone.", valueName: "file"),
    completion: .file())
  var auditSyslogKey: String?

  @Option(help: ArgumentHelp("Send each row of the audit to an HTTPS URL, as JSON lines.", valueName: "url"))
  var auditWebhook: PublicURL?
  @Option(
    help: ArgumentHelp(
      "File with the secret that signs what the webhook gets, readable by its owner alone.", valueName: "file"),
    completion: .file())
  var auditWebhookSecret: String?
  @Option(
    help: ArgumentHelp("Authorities of the webhook's server, PEM (default: the system's).", valueName: "file"),
    completion: .file())
  var auditWebhookCa: String?

  func validate() throws {
    if let auditSyslog {
      guard case .network(_, let port) = auditSyslog, port != 0, auditSyslog.host != nil else {
        throw ValidationError("--audit-syslog takes HOST:PORT of the syslog server.")
      }
    }
    guard (auditSyslogCertificate == nil) == (auditSyslogKey == nil) else {
      throw ValidationError("--audit-syslog-certificate and --audit-syslog-key go together.")
    }
    guard auditSyslog != nil || auditSyslogCa == nil && auditSyslogCertificate == nil else {
      throw ValidationError("--audit-syslog-ca and --audit-syslog-certificate are of no use without --audit-syslog.")
    }
    guard (auditWebhook == nil) == (auditWebhookSecret == nil) else {
      throw ValidationError("--audit-webhook and --audit-webhook-secret go together.")
    }
    guard auditWebhook != nil || auditWebhookCa == nil else {
      throw ValidationError("--audit-webhook-ca is of no use without --audit-webhook.")
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
