import FidoResults
import Wording

/// The core: whether it answers, which version it has, and what it knows about the caller's account and the server's policy.
struct CoreCheck {
  let core: any StatusSource
  let isRoot: Bool

  func findings() -> [Finding] {
    let document: StatusDocument
    do throws(StatusFailure) {
      document = try core.own()
    } catch {
      // A missing socket has already been reported, and root's programs start a core of their own.
      if error.isAbsence { return [.skipped(CoreText.failed(error))] }
      if error.isOfAccount { return [.ok(CoreText.answers), .failure(.accountDamaged, CoreText.unusable(error))] }
      return [.failure(.coreSilent, CoreText.failed(error))]
    }
    var findings: [Finding] = [.ok(CoreText.answers)]
    if let version = document.version, version != ToolVersion.number {
      findings = [.failure(.coreVersion, CoreText.version(version, expected: ToolVersion.number))]
    }
    let policy = document.policy.map { ServerPolicyCheck(policy: $0).finding }
    let unknown = document.serverUnknownSince.map { Finding.warning(.machineUnknown, CoreText.unknownMachine($0)) }
    return findings + account(document) + [policy, unknown].compactMap(\.self)
  }

  private func account(_ document: StatusDocument) -> [Finding] {
    let name = ShownText.line(document.accountName ?? "this account")
    let codes = document.codeUse(isRoot: isRoot)
    let usable = document.authenticators.filter { $0.state == AuthenticatorState.available }
    let locked = document.authenticators.filter { $0.state == AuthenticatorState.locked }
    var findings = locked.map { authenticator in
      Finding.warning(.accountLocked, CoreText.locked(account: name, authenticator, codes))
    }
    if document.authenticators.contains(where: { $0.atServer == "ahead" }) {
      findings.append(.warning(.keyBehind, CoreText.behind(account: name, codes)))
    }
    findings += document.authenticators.compactMap { authenticator in
      StatusReport.obstacle(to: authenticator).map {
        .warning(authenticator.type == "face" ? .face : .fingerprint, CoreText.sensor(type: authenticator.type, $0))
      }
    }
    if !usable.isEmpty {
      findings.append(.ok(CoreText.usable(account: name, usable)))
    } else if document.authenticators.contains(where: \.isRefused) {
      // Keys in these two states have findings of their own.
      let refused = document.authenticators.filter { $0.isRefused && !["ahead", "forbidden"].contains($0.atServer) }
      let forbidden = document.authenticators.filter { $0.isRefused && $0.atServer == "forbidden" }
      if !forbidden.isEmpty {
        findings.append(.warning(.accountForbidden, CoreText.forbidden(account: name, forbidden)))
      }
      if !refused.isEmpty {
        findings.append(.warning(.accountUnregistered, CoreText.refused(account: name, refused, codes)))
      }
    } else if locked.isEmpty, isRoot {
      findings.append(.ok(CoreText.nothingOfRoots(account: name)))
    } else if locked.isEmpty {
      findings.append(.warning(.accountUnregistered, CoreText.nothing(account: name, codes)))
    }
    return findings
  }
}

/// Doctor's texts about the core, and about the caller's account.
enum CoreText: FindingCatalogue {
  case failed(StatusFailure)
  case answers
  case version(String, expected: String)
  /// Root ends a lock; everybody else waits, asks the helpdesk for an unlock, or sets a new passcode or pattern.
  case locked(account: String, StatusDocument.Authenticator, CodeUse)
  /// Why the state of the caller's account cannot be used, with the core's text.
  case unusable(StatusFailure)
  case usable(account: String, [StatusDocument.Authenticator])
  /// Authenticators are registered on this machine, but the server no longer accepts their keys.
  case refused(account: String, [StatusDocument.Authenticator], CodeUse)
  /// Authenticators are registered on this machine, but the server does not let the account log in with any of them.
  case forbidden(account: String, [StatusDocument.Authenticator])
  /// Root has no registration, and needs none.
  case nothingOfRoots(account: String)
  case nothing(account: String, CodeUse)
  /// The server has seen more signatures with the account's keys than this machine has made.
  case behind(account: String, CodeUse)
  /// Why a fingerprint or a face cannot be used now.
  case sensor(type: String, FidoResult)
  /// The server does not know this machine, since a time in seconds since 1970.
  case unknownMachine(Int64)

  var english: FindingText {
    switch self {
    case .failed(let error):
      FindingText("core: \(error.english.what)", do: error.english.remedy ?? "the log (authpriv) says more")
    case .answers: FindingText("core: answers")
    case .version(let version, let expected):
      FindingText(
        "core: is version \(version), not \(expected)",
        do: "systemctl restart pam-uaf.socket, or reinstall the libpam-uaf package")
    case .locked(let account, let authenticator, let codes):
      FindingText(
        "account: \(account): \(StatusReport(language: .english).line(authenticator))",
        do: (authenticator.isLockedForGood || codes.isRoot ? "" : "wait until the lock is over (uafctl status), or ")
          + Self.unlocking(account, codes))
    case .unusable(let error): FindingText("account: \(error.english.what)", do: error.english.remedy)
    case .usable(let account, let authenticators):
      FindingText(
        "account: \(account): " + authenticators.map(StatusReport(language: .english).line).joined(separator: ", "))
    case .refused(let account, let authenticators, let codes):
      FindingText(
        "account: \(account): " + authenticators.map(StatusReport(language: .english).line).joined(separator: ", "),
        do: codes.takesCodes
          ? (codes == .roots
            ? "ask the administrator whether the account is disabled at the server; if not, have root run " : "")
            + "\(codes.setting()), with a new enrolment code"
          : "ask the administrator whether the account is disabled at the server; if not, run \(codes.repair)")
    case .forbidden(let account, let authenticators):
      FindingText(
        "account: \(account): " + authenticators.map(StatusReport(language: .english).line).joined(separator: ", "),
        do: "ask the server's administrator: the account may be disabled or locked there")
    case .nothingOfRoots(let account):
      FindingText("account: \(account): nothing registered; each person runs doctor for their own account")
    case .nothing(let account, let codes):
      FindingText("account: \(account): nothing registered", do: codes.registration)
    case .behind(let account, let codes):
      FindingText(
        "account: \(account): the server has seen more signatures of its key than this machine has made: an older copy was put "
          + "back, or another machine has the key",
        do: codes.repair + (codes.takesCodes ? ", with a new enrolment code" : ""))
    case .sensor(let type, let result): Self.sensor(type, type, result, in: .english)
    case .unknownMachine(let since):
      FindingText(
        "server: since \(ShownTime.utc(since)) it says that it does not know this machine: it was revoked there, or the server uses "
          + "an older or a different store; the server gets no reports, gives no policy and announces no new keys, and people "
          + "log in only while it knows their keys and signs with a key that this machine knows",
        do: "uafctl join --payload FILE, with a new payload of the server; keys, locks and accounts stay")
    }
  }

  var korean: FindingText {
    switch self {
    case .failed(let error):
      FindingText("코어: \(error.korean.what)", do: error.korean.remedy ?? "로그(authpriv)에 자세한 내용이 있습니다")
    case .answers: FindingText("코어: 응답합니다")
    case .version(let version, let expected):
      FindingText(
        "코어: 버전이 \(expected)이(가) 아니라 \(version)입니다",
        do: "systemctl restart pam-uaf.socket 명령을 실행하거나 libpam-uaf 패키지를 다시 설치하십시오")
    case .locked(let account, let authenticator, let codes):
      FindingText(
        "계정: \(account): \(StatusReport(language: .korean).line(authenticator))",
        do: (authenticator.isLockedForGood || codes.isRoot ? "" : "잠금이 풀릴 때까지 기다리거나(uafctl status), ")
          + Self.unlockingInKorean(account, codes))
    case .unusable(let error): FindingText("계정: \(error.korean.what)", do: error.korean.remedy)
    case .usable(let account, let authenticators):
      FindingText("계정: \(account): " + authenticators.map(StatusReport(language: .korean).line).joined(separator: ", "))
    case .refused(let account, let authenticators, let codes):
      FindingText(
        "계정: \(account): " + authenticators.map(StatusReport(language: .korean).line).joined(separator: ", "),
        do: !codes.takesCodes
          ? "서버에서 계정이 비활성화되었는지 관리자에게 문의하십시오. 아니라면 \(codes.repair) 명령으로 새 키를 만드십시오"
          : codes == .roots
            ? "서버에서 계정이 비활성화되었는지 관리자에게 문의하십시오. 아니라면 root 관리자가 새 등록 코드로 \(codes.setting()) 명령을 실행해야 합니다"
            : "새 등록 코드로 \(codes.setting()) 명령을 실행하십시오")
    case .forbidden(let account, let authenticators):
      FindingText(
        "계정: \(account): " + authenticators.map(StatusReport(language: .korean).line).joined(separator: ", "),
        do: "서버 관리자에게 문의하십시오. 서버에서 비활성화되었거나 잠긴 계정일 수 있습니다")
    case .nothingOfRoots(let account):
      FindingText("계정: \(account): 등록된 것이 없습니다. 각 사용자는 자신의 계정으로 doctor를 실행합니다")
    case .nothing(let account, let codes):
      FindingText("계정: \(account): 등록된 것이 없습니다", do: codes.registration)
    case .behind(let account, let codes):
      FindingText(
        "계정: \(account): 서버가 이 컴퓨터가 만든 것보다 더 많은 서명을 확인했습니다. 이전 사본이 복원되었거나 다른 컴퓨터에도 이 키가 "
          + "있습니다", do: "\(codes.takesCodes ? "새 등록 코드로 " : "")\(codes.repair) 명령을 실행하십시오")
    case .sensor(let type, let result): Self.sensor(type == "face" ? "얼굴" : "지문", type, result, in: .korean)
    case .unknownMachine(let since):
      FindingText(
        "서버: \(ShownTime.utc(since))부터 서버가 이 컴퓨터를 모른다고 합니다. 서버에서 해지되었거나 서버가 이전 또는 다른 저장소를 쓰고 "
          + "있습니다. 상태를 알릴 수 없고 정책과 새 서명 키도 받지 못합니다. 로그인은 서버가 사용자의 키를 알고 이 컴퓨터가 아는 키로 "
          + "서명하는 동안에만 할 수 있습니다",
        do: "서버의 새 가입 파일을 받아 uafctl join --payload FILE 명령을 실행하십시오. 키와 잠금, 계정은 그대로 남습니다")
    }
  }

  private static func sensor(
    _ name: String, _ type: String, _ result: FidoResult, in language: Language
  ) -> FindingText {
    let (what, nextStep) = StatusReport.words(about: result, of: type, in: language)
    return FindingText("\(name): \(what) [\(result.code)]", do: nextStep)
  }

  /// How a lock ends, or can be avoided.
  private static func unlocking(_ account: String, _ codes: CodeUse) -> String {
    switch codes {
    case .root: "uafctl unlock \(account)"
    case .noCodes(let root):
      (root == nil ? "have root run " : "") + "uafctl unlock \(account) or, for a new value, \(codes.setting())"
    case .roots: "have root run uafctl unlock \(account) or, for a new value, \(codes.setting())"
    case .persons:
      "have the helpdesk give out an unlock (uafctl unlock --code), or set a new value by a code (\(codes.setting()))"
    }
  }

  private static func unlockingInKorean(_ account: String, _ codes: CodeUse) -> String {
    switch codes {
    case .root: "uafctl unlock \(account) 명령을 실행하십시오"
    case .noCodes(let root):
      (root == nil ? "root 관리자가 " : "")
        + "uafctl unlock \(account) 명령을 실행하거나, 값을 새로 정하려면 \(codes.setting()) 명령을 실행해야 합니다"
    case .roots:
      "root 관리자가 uafctl unlock \(account) 명령을 실행하거나, 값을 새로 정하려면 \(codes.setting()) 명령을 실행해야 합니다"
    case .persons:
      "헬프데스크에서 잠금 해제 코드를 받거나(uafctl unlock --code), 등록 코드로 값을 새로 정하십시오(\(codes.setting()))"
    }
  }
}
