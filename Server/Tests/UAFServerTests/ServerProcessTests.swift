import CProcess
import Glibc
import Testing

@testable import UAFServer

struct ServerProcessTests {
  @Test func `forbids core dumps, and tracing by other processes`() async {
    // In a separate process: what is forbidden is forbidden to all tests.
    await #expect(processExitsWith: .success) {
      try ServerProcess.forbidDumps()
      var limit = rlimit()
      // SAFETY: `limit` is an rlimit.
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
      #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
      #expect(process_control(PR_GET_DUMPABLE, 0) == 0)
    }
  }
}
