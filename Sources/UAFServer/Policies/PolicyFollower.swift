import Logging
import ServiceLifecycle
import UAFAdministration
import UAFService

/// Follows the policies that are saved in the store, also by other servers and by the command line.
///
/// It looks once a second, so that no login waits for it. A policy is in force at all servers two seconds after it was saved.
struct PolicyFollower: Service {
  let store: any ServerStore
  let policies: CurrentPolicies
  let logger: Logger

  /// Takes the saved policy before the server listens, and closes the codes that must not be used under it.
  ///
  /// - Throws: ``ServerError/unusablePolicy(number:reason:)``, `StoreFailure`.
  func prepare() async throws {
    let source = policies.areOfFile ? "yes" : "no"
    let known = try await store.read { try $0.settings.value(of: .policyFile) }
    if known != source { try await store.write { try $0.settings.set(.policyFile, to: source) } }
    if !policies.areOfFile, let version = try await newer() {
      do throws(PolicyProblem) {
        try policies.replace(by: version)
      } catch { throw ServerError.unusablePolicy(number: version.number, reason: error.reason) }
    }
    try await PrivilegedStart.closeLesserCodes(
      in: store, by: try policies.value(), host: ServerEvents.host, now: { Terminal.now })
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        if !self.policies.areOfFile { await self.look() }
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Looks once; while the store is away, nothing is issued or accepted anyway.
  func look() async {
    guard let version = try? await newer() else { return }
    do throws(PolicyProblem) {
      try policies.replace(by: version)
      logger.notice("policy", metadata: ["number": "\(version.number)"])
    } catch {
      logger.critical("policy-unusable", metadata: ["number": "\(version.number)", "reason": "\(error.reason)"])
    }
  }

  /// The saved policy, if it is another one than that in force.
  private func newer() async throws -> PolicyVersion? {
    try await store.read { [number = policies.number] records in
      let last = try records.policyVersions.lastNumber()
      return last == number ? nil : try records.policyVersions.version(last)
    }
  }
}
