import Sandbox
import Testing

struct SandboxReportTests {
  @Test
  func `the report names each part of the sandbox that failed, with its error number, and is empty if all work`() {
    var report = SandboxReport()
    for feature in SandboxFeature.allCases { report.note(feature, 0) }
    #expect(report.text == nil)
    report.note(.seccomp, 22)
    report.note(.network, 1)
    #expect(report.text == "network:1,seccomp:22")
  }
}
