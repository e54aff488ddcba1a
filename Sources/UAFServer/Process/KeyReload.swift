import Logging
import ServiceLifecycle
import UAFService
import UnixSignals

/// Reads the keys again on SIGHUP, since the administrator may have rotated them, or brought those of another server.
struct KeyReload: Service {
  let keys: ServerKeys
  let state: ServerDirectory
  let manager: ServiceManager
  let logger: Logger
  /// SIGHUP, heard since before the keys were read for the first time.
  let hangups: UnixSignalsSequence

  func run() async throws {
    logKeys()
    await cancelWhenGracefulShutdown {
      for await _ in hangups { self.reload() }
    }
  }

  /// Reads the keys; if they cannot be used, those in use stay.
  private func reload() {
    manager.reloading()
    do {
      try StateLock.wait(for: state) { try keys.reload(from: state) }
      logKeys()
    } catch {
      let reason = (error as? ServerError)?.description ?? "\(type(of: error))"
      logger.error("keys-not-read", metadata: ["error": "\(reason)"])
    }
    manager.ready()
  }

  /// Says by which ids the keys are known: several servers of one store must have the same.
  private func logKeys() {
    let lines = KeyList.lines(keys, now: Terminal.now).dropFirst().map { $0.split(separator: "\t") }
    let texts = lines.filter { $0.count == 4 }.map { "\($0[0]) \($0[1]) \($0[3])" }
    logger.notice("keys", metadata: ["decoys": "\(keys.decoySecret.id)", "keys": "\(texts.joined(separator: ", "))"])
  }
}
