import ServiceLifecycle
import UAFService

/// Follows which joined machines have left or were revoked, also at other servers and by the command line.
///
/// It looks once a second, so that no login waits for it. A machine is an unknown one at all servers two seconds after it left.
struct DepartureFollower: Service {
  let departed: DepartedMachines
  let store: any ServerStore
  let keys: ServerKeys

  /// Learns of all of them before the server listens.
  ///
  /// - Throws: `StoreFailure`; `CryptoError`.
  func prepare() async throws {
    try await departed.renew(from: store, keys: keys)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // While the store is away, a joined machine has its place in the queue of what is refused anyway.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}
