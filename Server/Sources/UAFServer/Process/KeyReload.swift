import Logging
import ServiceLifecycle
import UAFAdministration
import UAFCrypto
import UAFService
import UnixSignals

/// Rereads keys and certificates on SIGHUP: the administrator may have rotated keys, renewed certificates, or copied keys from
/// a different server.
struct KeyReload: Service {
  let keys: ServerKeys
  let state: ServerDirectory
  let manager: ServiceManager
  let store: any ServerStore
  let certificates: CertificateReload
  let logger: Logger
  /// The SIGHUPs, including those that arrived before the keys were read for the first time.
  let hangups: UnixSignalsSequence

  func run() async throws {
    logKeys()
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { self.certificates.logWaiting(await self.waitingAuthorities(now: Terminal.now)) }
        group.addTask { await self.certificates.watch { Terminal.now } }
        for await _ in hangups { await self.reload() }
        group.cancelAll()
      }
    }
  }

  /// Rereads keys and certificates.
  ///
  /// Those that cannot be used are logged, and the old ones stay in use.
  private func reload() async {
    manager.reloading()
    do {
      try StateLock.wait(for: state) { try keys.reload(from: state) }
      logKeys()
      let event = ServerEvents.keysRead(KeyList.text(keys, now: Terminal.now), now: Terminal.now)
      try await store.write { try $0.audit.append([event]) }
    } catch let error as any StoreFailure {
      logger.error("audit-not-written", metadata: ["error": "\(error.logName)", "text": "\(error.text)"])
    } catch {
      let reason = (error as? ServerError)?.description ?? "\(type(of: error))"
      logger.error("keys-not-read", metadata: ["error": "\(reason)"])
    }
    certificates.reload(now: Terminal.now, waiting: await waitingAuthorities(now: Terminal.now))
    manager.ready()
  }

  /// The authorities whose certificates machines would refuse, or may refuse: they lack it, and its time has not come, or it has
  /// ended; or machines learn no authorities, and its time has not come.
  ///
  /// While the store cannot be read, none is known: a renewal by the same authority must not wait for the store.
  private func waitingAuthorities(now: Int64) async -> [(authority: AnnouncedAuthority, coming: ComingTrust)] {
    let found = try? await store.read { records in
      try records.machineTrusts.authorities().filter { $0.endedAt != nil || $0.usedFrom > now }.map { authority in
        let anchor = TrustAnchor.authority(authority.fingerprint)
        return (authority, try ComingTrust(anchor, usedFrom: authority.usedFrom, in: records, now: now))
      }
    }
    return (found ?? []).filter { authority, coming in
      // Machines that learn no authorities do not learn the end of one either.
      coming.lacking > 0 || (authority.endedAt == nil && coming.learningNone > 0)
    }.map { (authority: $0.0, coming: $0.1) }
  }

  /// Logs the ids of the keys, so that an administrator can check that all servers of a store have the same.
  private func logKeys() {
    logger.notice(
      "keys", metadata: ["decoys": "\(keys.decoySecret.id)", "keys": "\(KeyList.text(keys, now: Terminal.now))"])
  }
}

/// Rereads the certificates, and logs those that clients will refuse.
struct CertificateReload: Sendable {
  let certificates: ServedCertificates
  let identity: IdentityBox
  /// The name or address by which clients know the server; nil if that is not known.
  let host: String?
  /// Where the rest of the server sees the chain in use.
  let served: ServedChain
  let logger: Logger

  /// How often the certificates in use are checked.
  static let interval = Duration.seconds(3600)

  /// Reads the files; if they cannot be used, the certificates in use stay.
  ///
  /// - Parameter waiting: announced authorities that machines lack or may lack, whose certificates are refused if the ones in use
  ///   are from a different authority.
  func reload(now: Int64, waiting: [(authority: AnnouncedAuthority, coming: ComingTrust)] = []) {
    do {
      let earlier = certificates.visible
      let new = try certificates.read()
      try Self.check(new, after: certificates.chain, waiting)
      if new.visible != earlier {
        // The identity accepts the new certificate before the first connection uses it, so that no login is refused in between.
        try identity.renew(new.visible.map(\.der), after: earlier.map(\.der))
      }
      certificates.use(new)
      served.set(new.chain)
      logger.notice("certificates", metadata: ["until": "\(new.ends.min().map(SecondText.iso8601.text(at:)) ?? "-")"])
    } catch {
      let reason = (error as? ServerError)?.description ?? "\(error)"
      logger.error("certificates-not-read", metadata: ["error": "\(reason)"])
    }
    logFaults(now: now)
  }

  /// Refuses certificates that machines would refuse.
  private static func check(
    _ new: ServedCertificates.Content, after chain: [[UInt8]],
    _ waiting: [(authority: AnnouncedAuthority, coming: ComingTrust)]
  ) throws(ServerError) {
    for (authority, coming) in waiting
    where ServedChain.comes(new.chain, from: authority) && !ServedChain.comes(chain, from: authority) {
      throw .refusedRotation(reason(authority, coming))
    }
  }

  private static func reason(_ authority: AnnouncedAuthority, _ coming: ComingTrust) -> String {
    let who =
      coming.lacking > 0
      ? "\(coming.lackingText) its authority \(authority.fingerprint): \(coming.namesText)"
      : "authority \(authority.fingerprint): \(coming.learningNoneText ?? "")"
    return who + "; "
      + (authority.endedAt == nil
        ? "'authority finish' says how to go on before \(Terminal.time(authority.usedFrom))"
        : "its end was announced, and 'authority announce --again' takes that back")
  }

  /// Logs, at the start, the reasons for which a reload would have refused the certificate in use.
  ///
  /// It is served nevertheless: a server that does not start helps nobody, and the earlier certificate may be gone.
  func logWaiting(_ waiting: [(authority: AnnouncedAuthority, coming: ComingTrust)]) {
    for (authority, coming) in waiting where ServedChain.comes(certificates.chain, from: authority) {
      logger.error("certificate-not-learned", metadata: ["error": "\(Self.reason(authority, coming))"])
    }
  }

  /// Logs, on one line each, the reasons for which clients will refuse certificates.
  ///
  /// - Returns: the faults that were found.
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
      case .weak(let certificate, .key(let bits)):
        logger.error("certificate-weak-key", metadata: ["certificate": "\(certificate.path)", "bits": "\(bits)"])
      case .weak(let certificate, .signature):
        logger.error("certificate-weak-signature", metadata: ["certificate": "\(certificate.path)"])
      case .otherName(let certificate, let host):
        logger.error("certificate-other-name", metadata: ["certificate": "\(certificate.path)", "host": "\(host)"])
      }
    }
    return faults
  }

  /// Checks every hour, until the task is cancelled, and logs each fault once.
  func watch(now: @Sendable () -> Int64) async {
    var known = logFaults(now: now())
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.interval)
      if !Task.isCancelled { known = logFaults(now: now(), except: known) }
    }
  }
}
