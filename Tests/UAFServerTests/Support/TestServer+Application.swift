import Hummingbird
import Logging

@testable import ServerTesting
@testable import UAFServer

extension TestServer {
  var application: some ApplicationProtocol { application() }

  func application(
    _ admission: Admission = Admission(), log: any LogHandler = SwiftLogNoOpLogHandler()
  ) -> some ApplicationProtocol {
    let logger = Logger(label: "test") { _ in log }
    return Application(router: UAFRoutes(environment: environment, logger: logger, admission: admission).router)
  }
}
