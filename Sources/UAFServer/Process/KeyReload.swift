import Logging
import ServiceLifecycle
import UAFService
import UnixSignals

/// Reads keys and certificates again on SIGHUP, since the administrator may have rotated or renewed them, or brought keys of
/// another server.
struct KeyReload: Service {
  let keys: ServerKeys
  let state: ServerDirectory
  let manager: ServiceManager
  let store: any ServerStore
  let certificates: CertificateReload
  let logger: Logger
  /// SIGHUP, heard since before the keys were read for the first time.
  let hangups: UnixSignalsSequence

  func run() async throws {
    logKeys()
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.certificates.watch { Terminal.now } }
        for await _ in hangups { await self.reload() }
        group.cancelAll()
      }
    }
  }

  /// Reads them; what cannot be used is named in the log, and what is in use stays.
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
    certificates.reload(now: Terminal.now)
    manager.ready()
  }

  /// Says by which ids the keys are known: several servers of one store must have the same.
  private func logKeys() {
    logger.notice(
      "keys", metadata: ["decoys": "\(keys.decoySecret.id)", "keys": "\(KeyList.text(keys, now: Terminal.now))"])
  }
}
