/// The kernel, the clock and the log.
struct MachineCheck {
  let facts: MachineFacts

  // 1 January 2026: no machine with this program has an earlier date.
  private static let earliest = 1_767_225_600
  private static let sandbox = "logins work, with one wall less around core and network; a newer kernel has it"

  func findings() -> [Finding] { kernel() + time() + log() }

  private func kernel() -> [Finding] {
    var findings: [Finding] = []
    if !facts.hasNetworkNamespaces || facts.mayLeaveNetwork == false {
      let why = facts.hasNetworkNamespaces ? "root may make none here, as in many containers" : "the kernel has none"
      findings.append(
        .warning(.kernelNetwork, "kernel: no network namespaces for the core: \(why)", do: Self.sandbox))
    }
    if facts.landlock < 1 {
      findings.append(.warning(.kernelLandlock, "kernel: no Landlock", do: Self.sandbox))
    }
    if !facts.hasSeccomp {
      findings.append(.warning(.kernelSeccomp, "kernel: no filters of system calls (seccomp)", do: Self.sandbox))
    }
    let state = "Landlock \(facts.landlock), seccomp, network namespaces"
    return findings.isEmpty ? [.ok("kernel: \(state)")] : findings
  }

  private func time() -> [Finding] {
    guard let bootID = facts.bootID, isBootID(bootID) else {
      return [
        .failure(
          .bootID, "clock: /proc/sys/kernel/random/boot_id cannot be read: no lock can be timed",
          do: "mount /proc for root's programs")
      ]
    }
    guard facts.time >= Self.earliest else {
      return [
        .warning(
          .clock, "clock: it is before 2026 here: no certificate of the server is valid yet",
          do: "set the clock, for example with timedatectl")
      ]
    }
    return [.ok("clock: set, and this start of the machine has its number")]
  }

  private func isBootID(_ text: String) -> Bool {
    text.utf8.count(where: { $0 != UInt8(ascii: "\n") }) == 36
      && text.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "\n") || UnicodeScalar($0).properties.isASCIIHexDigit
      }
  }

  private func log() -> [Finding] {
    guard facts.logFailure == 0 else {
      return [
        .warning(
          .log, "log: /dev/log: \(SystemError.text(facts.logFailure)): nobody can see why a login was refused",
          do: "start systemd-journald, or a syslog daemon")
      ]
    }
    return [.ok("log: /dev/log takes lines")]
  }
}
