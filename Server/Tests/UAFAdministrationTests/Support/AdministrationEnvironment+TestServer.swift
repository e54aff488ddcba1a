@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

extension AdministrationEnvironment {
  /// The administration of a test server.
  ///
  /// - Parameters:
  ///   - store: nil for the server's own store.
  ///   - group: the group of an account in the policy.
  static func of(
    _ server: TestServer, host: String = "", store: (any ServerStore)? = nil,
    group: @escaping @Sendable (String) throws -> String? = { _ in nil }
  ) -> AdministrationEnvironment {
    AdministrationEnvironment(
      store: store ?? server.store, group: group, now: server.environment.now, random: server.environment.random,
      host: host, authority: { _ in nil }, verdictKeys: { "keys" },
      unlocks: { [keys = server.environment.keys] in UnlockGrants(keys: keys) },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) }, models: server.environment.models)
  }
}
