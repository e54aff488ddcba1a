import CSeccomp
import Sandbox
import Testing

@testable import UAFHelper

/// What the table of the core's system calls says.
@Suite struct SandboxTableTests {
  private var allowed: Set<String> {
    Set(
      HelperSandbox.calls.flatMap { (rule) -> [String] in
        switch rule {
        case .allowed(let names, _): names
        case .allowedIf(let name, _, _): [name]
        case .forbidden: []
        }
      })
  }

  private var forbidden: Set<String> {
    Set(
      HelperSandbox.calls.flatMap { (rule) -> [String] in
        guard case .forbidden(let names) = rule else { return [] }
        return names
      })
  }

  @Test func `allows nothing that it forbids`() {
    #expect(allowed.intersection(forbidden) == [])
  }

  @Test func `names no call that libseccomp has never heard of`() {
    // SAFETY: the name is lent for the call. -1 is an unknown name; other numbers below 0 are calls of other architectures.
    let unknown = allowed.union(forbidden).filter { unsafe seccomp_syscall_resolve_name($0) == -1 }
    #expect(unknown == [])
  }

  @Test(arguments: [
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendmsg", "execve", "execveat", "fork",
    "vfork",
    "clone", "ptrace", "process_vm_readv", "process_vm_writev", "kill", "mount", "unshare", "setns", "bpf",
    "io_uring_setup",
    "keyctl", "prctl", "ioctl", "memfd_create", "pidfd_getfd", "open_by_handle_at", "userfaultfd", "perf_event_open",
  ])
  func `forbids what would lead out of the core`(_ name: String) {
    #expect(forbidden.contains(name))
  }

  @Test func `leaves clone3 unknown, so that libc takes to clone`() {
    #expect(!allowed.contains("clone3") && !forbidden.contains("clone3"))
  }

  @Test func `reports what is missing with its number, and nothing where nothing is`() {
    var report = SandboxReport()
    for feature in SandboxFeature.allCases { report.note(feature, 0) }
    #expect(report.text == nil)
    report.note(.seccomp, 22)
    report.note(.network, 1)
    #expect(report.text == "network:1,seccomp:22")
  }
}
