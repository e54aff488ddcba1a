import ServiceLifecycle
import UAFService

/// Follows which policy for workstations was saved last, also at other servers and by the command line.
///
/// It looks once a second, so that no login waits for it. The answer to a login a second after a policy was saved has its number.
struct MachinePolicyFollower: Service {
  let policies: any MachinePolicies

  /// Learns of the last one before the server listens.
  ///
  /// - Throws: `StoreFailure`.
  func prepare() async throws { try await policies.renew() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // While the store is away no policy is saved or handed over.
        try? await self.prepare()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}
