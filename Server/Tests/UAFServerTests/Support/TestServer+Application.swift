import Logging

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

extension TestServer {
  var application: TestClient { application() }

  /// The routes of a server that has just started.
  func application(
    _ admission: Admission = Admission(), store: (any ServerStore)? = nil,
    log: any LogHandler = SwiftLogNoOpLogHandler(), metrics: ServerMetrics = ServerMetrics()
  ) -> TestClient {
    let logger = Logger(label: "test") { _ in log }
    let environment = ServiceEnvironment(
      store: store ?? environment.store, keys: environment.keys, models: environment.models,
      policies: environment.policies, departed: environment.departed, unknown: environment.unknown,
      identity: environment.identity, now: environment.now, random: environment.random)
    return TestClient(
      routes: UAFRoutes(environment: environment, logger: logger, admission: admission, metrics: metrics))
  }
}
