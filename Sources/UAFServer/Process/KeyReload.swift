import Logging
import ServiceLifecycle
import UAFService
import UnixSignals

/// Reads the keys again on SIGHUP, since the administrator may have rotated them, or brought those of another server.
struct KeyReload: Service {
  let keys: ServerKeys
  let state: ServerDirectory
  let manager: ServiceManager
  let store: any ServerStore
  let logger: Logger
  /// SIGHUP, heard since before the keys were read for the first time.
  let hangups: UnixSignalsSequence

  func run() async throws {
    logKeys()
    await cancelWhenGracefulShutdown {
      for await _ in hangups { await self.reload() }
    }
  }

  /// Reads the keys; if they cannot be used, those in use stay.
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
    manager.ready()
  }

  /// Says by which ids the keys are known: several servers of one store must have the same.
  private func logKeys() {
    logger.notice(
      "keys", metadata: ["decoys": "\(keys.decoySecret.id)", "keys": "\(KeyList.text(keys, now: Terminal.now))"])
  }
}
