import Wording

/// The kernel, the clock and the log.
struct MachineCheck {
  let facts: MachineFacts

  // 1 January 2026: no machine with this program has an earlier date.
  private static let earliest = 1_767_225_600

  func findings() -> [Finding] { kernel() + ids() + time() + log() }

  private func ids() -> [Finding] {
    facts.missingIDs.isEmpty ? [] : [.failure(.kernelIDs, MachineText.noIDs(facts.missingIDs))]
  }

  private func kernel() -> [Finding] {
    var findings: [Finding] = []
    if !facts.hasNetworkNamespaces || facts.mayLeaveNetwork == false {
      findings.append(
        .warning(.kernelNetwork, MachineText.noNetworkNamespaces(kernelHasThem: facts.hasNetworkNamespaces)))
    }
    if facts.landlock < 1 {
      findings.append(.warning(.kernelLandlock, MachineText.noLandlock))
    }
    if !facts.hasSeccomp {
      findings.append(.warning(.kernelSeccomp, MachineText.noSeccomp))
    }
    if facts.appArmor == .unloaded { findings.append(.warning(.kernelAppArmor, MachineText.profileNotLoaded)) }
    return findings.isEmpty
      ? [.ok(MachineText.kernel(landlock: facts.landlock, appArmor: facts.appArmor))] : findings
  }

  private func time() -> [Finding] {
    guard let bootID = facts.bootID, isBootID(bootID) else {
      return [.failure(.bootID, MachineText.noBootID)]
    }
    guard facts.time >= Self.earliest else {
      return [.warning(.clock, MachineText.early)]
    }
    guard facts.isSynchronised != false else { return [.warning(.clockUnsynchronised, MachineText.unsynchronised)] }
    return [.ok(MachineText.clock)]
  }

  private func isBootID(_ text: String) -> Bool {
    text.utf8.count(where: { $0 != UInt8(ascii: "\n") }) == 36
      && text.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "\n") || UnicodeScalar($0).properties.isASCIIHexDigit
      }
  }

  private func log() -> [Finding] {
    guard facts.logFailure == 0 else {
      return [.warning(.log, MachineText.noLog(SystemReason(facts.logFailure)))]
    }
    return [.ok(MachineText.log)]
  }
}

/// Doctor's texts about the kernel, the clock and the log.
enum MachineText: FindingCatalogue {
  /// Network namespaces cannot be used here; with whether the kernel has them at all.
  case noNetworkNamespaces(kernelHasThem: Bool)
  case noLandlock
  case noSeccomp
  /// The AppArmor profile is installed, and not loaded.
  case profileNotLoaded
  case kernel(landlock: CInt, appArmor: AppArmor?)
  /// These ids of our programs are not in this user namespace.
  case noIDs([UInt32])
  case noBootID
  case early
  case unsynchronised
  case clock
  case noLog(SystemReason)
  case log

  var english: FindingText {
    let sandbox = "logins work, without this barrier around core and network; a newer kernel has it"
    switch self {
    case .noNetworkNamespaces(let kernelHasThem):
      let why = kernelHasThem ? "root may make none here, as in many containers" : "the kernel has none"
      return FindingText("kernel: no network namespaces for the core: \(why)", do: sandbox)
    case .noLandlock: return FindingText("kernel: no Landlock", do: sandbox)
    case .noSeccomp: return FindingText("kernel: no filters of system calls (seccomp)", do: sandbox)
    case .profileNotLoaded:
      return FindingText(
        "kernel: AppArmor is on, but the profile of pam_uaf is not loaded", do: "apparmor_parser -r \(AppArmor.file)")
    case .kernel(let landlock, let appArmor):
      let features = "kernel: Landlock \(landlock), seccomp, network namespaces"
      switch appArmor {
      case .enforcing: return FindingText(features + ", AppArmor")
      case .complaining: return FindingText(features + "; AppArmor only reports what the profile forbids")
      case .withoutProfile: return FindingText(features + "; AppArmor is on, without a profile of pam_uaf")
      case .absent: return FindingText(features + "; no AppArmor")
      case .unloaded, nil: return FindingText(features)
      }
    case .noIDs(let ids):
      let names = ids.map(String.init).joined(separator: ", ")
      return FindingText(
        "kernel: the ids \(names) do not exist here (/proc/self/uid_map, gid_map), and the network program cannot run as one: no "
          + "login can ask the server",
        do: "give this container 65,536 ids, in /etc/subuid and /etc/subgid of its host and in its own configuration")
    case .noBootID:
      return FindingText(
        "clock: /proc/sys/kernel/random/boot_id cannot be read: no lock can be timed",
        do: "mount /proc for root's programs")
    case .early:
      return FindingText(
        "clock: it is before 2026 here: no certificate of the server is valid yet",
        do: "set the clock, for example with timedatectl")
    case .unsynchronised:
      return FindingText(
        "clock: nothing keeps it right (it is not synchronised)",
        do: "timedatectl set-ntp true, or install a time service such as chrony")
    case .clock: return FindingText("clock: set, and this boot of the machine has an ID")
    case .noLog(let reason):
      return FindingText(
        "log: /dev/log: \(reason.english): nobody can see why a login was refused",
        do: "start systemd-journald, or a syslog daemon")
    case .log: return FindingText("log: /dev/log takes lines")
    }
  }

  var korean: FindingText {
    let sandbox = "로그인은 되지만 코어와 네트워크를 둘러싼 보호가 하나 줄어듭니다. 더 새로운 커널에는 있습니다"
    switch self {
    case .noNetworkNamespaces(let kernelHasThem):
      let why = kernelHasThem ? "컨테이너처럼 root도 만들 수 없는 환경입니다" : "커널에 없습니다"
      return FindingText("커널: 코어에 쓸 네트워크 네임스페이스가 없습니다: \(why)", do: sandbox)
    case .noLandlock: return FindingText("커널: Landlock이 없습니다", do: sandbox)
    case .noSeccomp: return FindingText("커널: 시스템 호출 필터(seccomp)가 없습니다", do: sandbox)
    case .profileNotLoaded:
      return FindingText(
        "커널: AppArmor가 켜져 있지만 pam_uaf의 프로필을 읽어 들이지 않았습니다", do: "apparmor_parser -r \(AppArmor.file)")
    case .kernel(let landlock, let appArmor):
      let features = "커널: Landlock \(landlock), seccomp, 네트워크 네임스페이스"
      switch appArmor {
      case .enforcing: return FindingText(features + ", AppArmor")
      case .complaining: return FindingText(features + ". AppArmor는 프로필에서 금지한 것을 막지 않고 알리기만 합니다")
      case .withoutProfile: return FindingText(features + ". AppArmor가 켜져 있지만 pam_uaf의 프로필은 없습니다")
      case .absent: return FindingText(features + ". AppArmor는 없습니다")
      case .unloaded, nil: return FindingText(features)
      }
    case .noIDs(let ids):
      let names = ids.map(String.init).joined(separator: ", ")
      return FindingText(
        "커널: 이곳에는 id \(names)이(가) 없어(/proc/self/uid_map, gid_map) 네트워크 프로그램을 실행할 수 없고, 로그인할 때 서버에 물을 수 없습니다",
        do: "호스트의 /etc/subuid와 /etc/subgid, 컨테이너 설정에서 이 컨테이너에 id 65,536개를 주십시오")
    case .noBootID:
      return FindingText(
        "시계: /proc/sys/kernel/random/boot_id를 읽을 수 없어 잠금 시간을 잴 수 없습니다",
        do: "root의 프로그램이 /proc을 볼 수 있게 마운트하십시오")
    case .early:
      return FindingText(
        "시계: 2026년 이전으로 되어 있어 유효한 서버 인증서가 없습니다", do: "timedatectl 등으로 시계를 맞추십시오")
    case .unsynchronised:
      return FindingText(
        "시계: 시계를 맞추는 것이 없습니다(동기화되지 않음)",
        do: "timedatectl set-ntp true 명령을 실행하거나 chrony 같은 시간 서비스를 설치하십시오")
    case .clock: return FindingText("시계: 맞춰져 있고, 이번 부팅의 번호가 있습니다")
    case .noLog(let reason):
      return FindingText(
        "로그: /dev/log: \(reason.korean). 로그인이 왜 거부되었는지 아무도 볼 수 없습니다",
        do: "systemd-journald나 syslog 데몬을 시작하십시오")
    case .log: return FindingText("로그: /dev/log에 기록할 수 있습니다")
    }
  }
}
