import CProcess
import Glibc
import Testing

@testable import UAFServer

struct ServerProcessTests {
  @Test func `the server forbids core dumps, and tracing by other processes`() async {
    // In a separate process, because the ban would apply to all tests of this process.
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
