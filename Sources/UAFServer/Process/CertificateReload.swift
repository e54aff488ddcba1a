import Logging
import UAFService

/// Reads the certificates again, and says in the log which of them clients refuse.
struct CertificateReload: Sendable {
  let certificates: ServedCertificates
  let identity: IdentityBox
  /// The name or address by which clients know the server; nil if that is not known.
  let host: String?
  let logger: Logger

  /// How often a certificate is looked at that nobody has renewed.
  static let interval = Duration.seconds(3600)

  /// Reads the files; if they cannot be used, the certificates in use stay.
  func reload(now: Int64) {
    do {
      let earlier = certificates.visible
      let new = try certificates.read()
      if new.visible != earlier {
        // Before the first connection has it, so that no login is refused in between.
        try identity.renew(new.visible.map(\.der), after: earlier.map(\.der))
      }
      certificates.use(new)
      logger.notice("certificates", metadata: ["until": "\(new.ends.min().map(SecondText.iso8601.text(at:)) ?? "-")"])
    } catch {
      let reason = (error as? ServerError)?.description ?? "\(error)"
      logger.error("certificates-not-read", metadata: ["error": "\(reason)"])
    }
    logFaults(now: now)
  }

  /// Logs why clients refuse certificates, a line each.
  ///
  /// - Returns: what was found.
  @discardableResult func logFaults(
    now: Int64, except known: [ServedCertificates.Fault] = []
  ) -> [ServedCertificates.Fault] {
    let faults = certificates.faults(host: host, now: now)
    for fault in faults where !known.contains(fault) {
      switch fault {
      case .expired(let certificate, let end):
        logger.error(
          "certificate-expired",
          metadata: ["certificate": "\(certificate.path)", "until": "\(SecondText.iso8601.text(at: end))"])
      case .notYetValid(let certificate, let start):
        logger.error(
          "certificate-not-yet-valid",
          metadata: ["certificate": "\(certificate.path)", "from": "\(SecondText.iso8601.text(at: start))"])
      case .otherName(let certificate, let host):
        logger.error("certificate-other-name", metadata: ["certificate": "\(certificate.path)", "host": "\(host)"])
      }
    }
    return faults
  }

  /// Looks every hour, until the task is cancelled, and says each fault once.
  func watch(now: @Sendable () -> Int64) async {
    var known = logFaults(now: now())
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.interval)
      if !Task.isCancelled { known = logFaults(now: now(), except: known) }
    }
  }
}
