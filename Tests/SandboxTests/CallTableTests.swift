import CSeccomp
import Sandbox
import Testing

@testable import UAFFetch
@testable import UAFHelper

/// What the tables of system calls of the core and of the network program say.
@Suite struct CallTableTests {
  private static let core = Table(HelperSandbox.calls)
  private static let network = Table(FetchSandbox.calls)

  private struct Table {
    var allowed: Set<String> = []
    var forbidden: Set<String> = []

    init(_ rules: [CallRule]) {
      for rule in rules {
        switch rule {
        case .allowed(let names, _): allowed.formUnion(names)
        case .allowedIf(let name, _, _): allowed.insert(name)
        case .forbidden(let names): forbidden.formUnion(names)
        }
      }
    }
  }

  @Test func `no call is both allowed and forbidden`() {
    for table in [Self.core, Self.network] { #expect(table.allowed.intersection(table.forbidden) == []) }
  }

  @Test func `libseccomp knows each call by its name`() {
    for table in [Self.core, Self.network] {
      // SAFETY: the name is lent for the call. -1 is an unknown name; other numbers below 0 are calls of other architectures.
      let unknown = table.allowed.union(table.forbidden).filter { unsafe seccomp_syscall_resolve_name($0) == -1 }
      #expect(unknown == [])
    }
  }

  @Test(arguments: [
    "listen", "accept", "accept4", "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv",
    "process_vm_writev", "kill", "mount", "unshare", "setns", "bpf", "io_uring_setup", "keyctl", "memfd_create",
    "pidfd_getfd", "open_by_handle_at", "userfaultfd", "perf_event_open",
  ])
  func `calls that no login needs are forbidden`(_ name: String) {
    #expect(Self.core.forbidden.contains(name))
    #expect(Self.network.forbidden.contains(name))
  }

  @Test(arguments: ["socket", "socketpair", "connect", "bind", "sendmsg", "clone", "prctl", "ioctl"])
  func `calls that would let the core escape are forbidden`(_ name: String) {
    #expect(Self.core.forbidden.contains(name))
  }

  @Test(arguments: ["mkdir", "rename", "unlink", "link", "ftruncate", "pwrite64", "flock", "fchmod", "fchown"])
  func `the network program may change no file`(_ name: String) {
    #expect(!Self.network.allowed.contains(name))
  }

  @Test func `clone3 is answered as unknown, so that libc uses clone`() {
    for table in [Self.core, Self.network] {
      #expect(!table.allowed.contains("clone3") && !table.forbidden.contains("clone3"))
    }
  }
}
