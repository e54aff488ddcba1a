import CSeccomp
import Sandbox
import Testing

@testable import UAFFetch

/// What the table of the network program's system calls says.
@Suite struct FetchTableTests {
  private var allowed: Set<String> {
    Set(
      FetchSandbox.calls.flatMap { (rule) -> [String] in
        switch rule {
        case .allowed(let names, _): names
        case .allowedIf(let name, _, _): [name]
        case .forbidden: []
        }
      })
  }

  private var forbidden: Set<String> {
    Set(
      FetchSandbox.calls.flatMap { (rule) -> [String] in
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
    "listen", "accept", "accept4", "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv",
    "process_vm_writev",
    "kill", "mount", "unshare", "setns", "bpf", "io_uring_setup", "keyctl", "memfd_create", "pidfd_getfd",
    "open_by_handle_at", "userfaultfd", "perf_event_open",
  ])
  func `forbids what no download needs`(_ name: String) {
    #expect(forbidden.contains(name))
  }

  @Test(arguments: ["mkdir", "rename", "unlink", "link", "ftruncate", "pwrite64", "flock", "fchmod", "fchown"])
  func `allows no change of a file`(_ name: String) {
    #expect(!allowed.contains(name))
  }

  @Test func `leaves clone3 unknown, so that libc takes to clone`() {
    #expect(!allowed.contains("clone3") && !forbidden.contains("clone3"))
  }
}
