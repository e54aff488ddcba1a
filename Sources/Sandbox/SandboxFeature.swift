// Purpose: what a program gives up permanently before it reads anything from outside: the network, and the paths and system calls
// that it does not need. Nothing is decided here: each program has tables of its own. Imports Glibc, CProcess and libseccomp; no
// Foundation.

/// A feature of the kernel a sandbox is made of.
///
/// Where one is missing the program goes on and says so: a login must not depend on the kernel's configuration.
public enum SandboxFeature: String, CaseIterable, Sendable {
  /// A network of its own, in which there is nothing.
  case network
  /// Landlock: no path but the listed ones.
  case landlock
  /// Seccomp: no system call but the listed ones.
  case seccomp
}
