import CProcess
import Glibc
import HostSystem
import PAMStacks

/// What the kernel of this machine supports, and the time.
package struct MachineFacts {
  /// The version of Landlock; below 1 if there is none.
  package var landlock: CInt
  /// Whether system call filters are supported.
  package var hasSeccomp: Bool
  /// Whether network namespaces are supported.
  package var hasNetworkNamespaces: Bool
  /// Whether root may make a network namespace here, which containers often forbid; nil if the caller is not root.
  package var mayLeaveNetwork: Bool?
  /// The machine's boot ID.
  package var bootID: String?
  /// Seconds since 1970.
  package var time: Int
  /// Whether the kernel says that a program keeps the clock synchronised; nil if it does not say.
  package var isSynchronised: Bool?
  /// The system's error number from connecting to the log's socket; 0 for success.
  package var logFailure: CInt
  /// What AppArmor does with the core; nil if the caller may not see it, as only root may.
  package var appArmor: AppArmor? = .absent
  /// The user and group ids of our programs that do not exist here, as in a container with few of them.
  package var missingIDs: [UInt32] = []

  /// The facts of this machine.
  package static func ofThisMachine() -> MachineFacts {
    MachineFacts(
      landlock: landlock_version(), hasSeccomp: exists("/proc/sys/kernel/seccomp/actions_avail"),
      hasNetworkNamespaces: exists("/proc/self/ns/net"), mayLeaveNetwork: geteuid() == 0 ? hasAdministration() : nil,
      bootID: text("/proc/sys/kernel/random/boot_id"), time: Glibc.time(nil), isSynchronised: isSynchronised(),
      logFailure: reachLog("/dev/log"), appArmor: appArmor(),
      missingIDs: missingIDs(in: ["uid_map", "gid_map"].map { text("/proc/self/" + $0) }))
  }

  /// The ids that uaf-fetch, uaf-finger and uaf-name run under.
  private static let programIDs: [UInt32] = [60_990, 60_991, 60_992]

  /// Our IDs that are missing in a map of the user namespace (user_namespaces(7)); none for a map that cannot be read.
  static func missingIDs(in maps: [String?]) -> [UInt32] {
    programIDs.filter { id in
      maps.contains { map in
        guard let map, !map.isEmpty else { return false }
        return !map.split(separator: "\n").contains { line in
          let numbers = line.split(whereSeparator: \.isWhitespace).compactMap { UInt32($0) }
          return numbers.count == 3 && id >= numbers[0] && id - numbers[0] < numbers[2]
        }
      }
    }
  }

  private static func appArmor() -> AppArmor? {
    guard text("/sys/module/apparmor/parameters/enabled")?.hasPrefix("Y") == true else { return .absent }
    guard let profiles = text("/sys/kernel/security/apparmor/profiles") else { return nil }
    return AppArmor(profiles: profiles, isInstalled: exists(AppArmor.file))
  }

  private static func exists(_ path: String) -> Bool { (try? FileState.of(path).get()) != nil }

  private static func text(_ path: String) -> String? {
    let parts = path.split(separator: "/")
    guard let name = parts.last else { return nil }
    let folder = parts.dropLast().map { "/" + $0 }.joined()
    return PAMDirectory(path: folder).bytes(of: String(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether CAP_SYS_ADMIN (21) is among the effective capabilities.
  private static func hasAdministration() -> Bool {
    let line = text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let digits = line?.split(whereSeparator: \.isWhitespace).last
    return digits.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << 21 != 0 } ?? false
  }

  private static func isSynchronised() -> Bool? {
    let answer = clock_is_synchronised()
    return answer < 0 ? nil : answer == 1
  }

  /// Connects to the log as syslog(3) does, and sends nothing.
  static func reachLog(_ path: String) -> CInt {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
    // SAFETY: the path fits with its NUL, and connect reads no further than the structure.
    let end = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return end == 0 ? 0 : errno
  }
}

/// What AppArmor does with the core (docs/sandboxes.md).
package enum AppArmor: Equatable {
  /// The kernel has none, or it is off.
  case absent
  /// It is on, and pam_uaf's profiles were not installed.
  case withoutProfile
  /// It is on, and the installed profile is not loaded.
  case unloaded
  /// The profile is loaded, but only reports what it would refuse.
  case complaining
  case enforcing

  /// The file with the profiles of the programs of a login.
  static let file = "/etc/apparmor.d/pam-uaf"

  /// Reads the kernel's list of loaded profiles: a line for each, with its mode in parentheses.
  init(profiles: String, isInstalled: Bool) {
    let line = profiles.split(separator: "\n").first { $0.hasPrefix("uaf-helper (") }
    switch line {
    case "uaf-helper (enforce)", "uaf-helper (kill)": self = .enforcing
    case .some: self = .complaining
    case nil: self = isInstalled ? .unloaded : .withoutProfile
    }
  }
}
