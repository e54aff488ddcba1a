import CProcess
import Glibc
import Testing

@testable import UAFServer

struct ServerProcessTests {
  @Test func `forbids core dumps, and other processes to trace it`() throws {
    let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    var before = rlimit()
    var after = rlimit()
    // SAFETY: both are rlimits.
    try #require(unsafe getrlimit(core, &before) == 0)
    defer {
      _ = unsafe setrlimit(core, &before)
      _ = process_control(PR_SET_DUMPABLE, 1)
    }
    try ServerProcess.forbidDumps()
    try #require(unsafe getrlimit(core, &after) == 0)
    #expect(after.rlim_cur == 0 && after.rlim_max == 0)
    #expect(process_control(PR_GET_DUMPABLE, 0) == 0)
  }
}
