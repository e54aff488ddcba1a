import AuthenticatorTypes
import FidoResults
import Glibc
import UAFConfiguration
import Wording

/// Checks the configuration: it must be readable, belong to root and name a server, and each of its keys must be known and have
/// an effect.
struct ConfigurationCheck {
  /// The file that root named, which must exist; nil for the machine's, which need not exist.
  let given: String?
  let standard: String
  let owner: uid_t
  let isRoot: Bool

  /// The file that is used.
  var path: String { given ?? standard }

  /// What was found and, if it can be used, the configuration.
  func run() -> (findings: [Finding], configuration: Configuration?) {
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration.load(path: given, defaultPath: standard, requiredOwner: owner)
    } catch {
      if !isRoot, case .file(_, .system(EACCES)) = error {
        return ([.skipped(ConfigurationText.closed(path: path))], nil)
      }
      return ([.failure(.configurationUnusable, ConfigurationText.unusable(error))], nil)
    }
    var findings = [Finding.ok(ConfigurationText.fine(path: path, files: configuration.files))]
    findings += configuration.withoutEffect.map {
      .warning(.configurationNoEffect, ConfigurationText.noEffect(key: $0))
    }
    if configuration.server?.verifiesTLS == false {
      findings.append(.alarm(.tlsVerify, ConfigurationText.unverified))
    }
    return (findings + Self.choices(of: configuration), configuration)
  }

  /// Settings that root may want, with their risks.
  private static func choices(of configuration: Configuration) -> [Finding] {
    let sections = configuration.sections
    let offline = sections.filter { $0.settings.general.offline == .allow }.map(\.name)
    let told = sections.filter { $0.settings.general.hideState == false }.map(\.name)
    var findings: [Finding] = []
    if !offline.isEmpty {
      findings.append(.warning(.offline, ConfigurationText.offline(sections: offline)))
    }
    if !told.isEmpty {
      findings.append(.warning(.hideState, ConfigurationText.toldState(sections: told)))
    }
    if !configuration.sensorsWithoutChip.isEmpty {
      findings.append(
        .warning(.fingerprintSoftware, ConfigurationText.softwareSensors(configuration.sensorsWithoutChip)))
    }
    if configuration.authenticators.contains(.face), configuration.countsAlone(.face) {
      findings.append(.warning(.faceAlone, ConfigurationText.faceAlone))
    }
    findings += configuration.missingOfFace.map {
      .warning(.faceIncomplete, ConfigurationText.faceIncomplete(key: $0))
    }
    if configuration.server?.webAuthn.hasWebOrigin == true {
      findings.append(.warning(.webOrigin, ConfigurationText.webOrigin))
    }
    return findings
  }
}

/// Doctor's texts about the configuration.
enum ConfigurationText: FindingCatalogue {
  /// Only root may read it.
  case closed(path: String)
  case unusable(ConfigurationError)
  /// The files that were read; the machine's need not exist.
  case fine(path: String, files: [String])
  case noEffect(key: String)
  case noServer(path: String)
  case unverified
  case offline(sections: [String])
  case toldState(sections: [String])
  /// Sensors whose keys no chip protects.
  case softwareSensors([AuthenticatorType])
  /// A face that lets somebody in without a typed secret.
  case faceAlone
  /// A face that nobody can register, because this key of `[face]` is missing.
  case faceIncomplete(key: String)
  /// The configured origin is that of web pages (https).
  case webOrigin

  var english: FindingText {
    switch self {
    case .closed(let path): FindingText.asRoot("configuration: \(path)")
    case .unusable(let error):
      FindingText("configuration: \(error.english)", do: "correct it; until then nobody can log in")
    case .fine(let path, let files): FindingText("configuration: \(Self.list(path, files))")
    case .noEffect(let key):
      FindingText(
        "configuration: \(key) has no effect in this version", do: "leave it out, and rely on nothing it says")
    case .noServer(let path):
      FindingText("configuration: \(path) names no server", do: "write [server], or uafctl trust --code FILE")
    case .unverified:
      FindingText(
        "configuration: tls_verify = false: whoever stands between this machine and the server decides who logs in",
        do: "remove it, and name the server's authority with ca_file")
    case .offline(let sections):
      FindingText(
        "configuration: offline = \"allow\" in \(sections.joined(separator: ", ")): whoever cuts this machine off from the "
          + "server, or was revoked since, gets in by the passcode alone until offline_max_age is over",
        do: "take it out where the server must decide")
    case .toldState(let sections):
      FindingText(
        "configuration: hide_state = false in \(sections.joined(separator: ", ")): over the network, too, anybody can find out who "
          + "is registered and who is locked", do: "take it out: locally it is the default")
    case .softwareSensors(let types):
      FindingText(
        "configuration: require_tpm = false: the keys of \(types.map { "\($0.rawValue)s" }.joined(separator: " and ")) are "
          + "protected by software alone, and a match brings no secret",
        do: "bind the device key to a chip, and remove the setting")
    case .faceAlone:
      FindingText(
        "configuration: face.alone = true: a face lets somebody in without a passcode or pattern, and a picture or a mask may "
          + "be enough for the camera",
        do: "remove the setting; the face is then asked for after the value")
    case .faceIncomplete(let key):
      FindingText(
        "configuration: face is in authenticators, but face.\(key) is missing: nobody can register a face",
        do: "write it in [face], or take face out of authenticators")
    case .webOrigin:
      FindingText(
        "configuration: server.origin is an https origin: whoever takes over uaf-fetch or the server can use the answer to a "
          + "login here in a browser's session as well",
        do: "take it out where the server accepts linux://RPID; otherwise let the key log in to this machine alone")
    }
  }

  var korean: FindingText {
    switch self {
    case .closed(let path): FindingText.asRootKorean("설정: \(path)")
    case .unusable(let error): FindingText("설정: \(error.korean)", do: "이것을 고칠 때까지 아무도 로그인할 수 없습니다")
    case .fine(let path, let files): FindingText("설정: \(Self.list(path, files))")
    case .noEffect(let key):
      FindingText("설정: \(key): 이 버전에서는 효과가 없습니다", do: "지우십시오. 적힌 내용에 의지하지 마십시오")
    case .noServer(let path):
      FindingText("설정: \(path)에 서버가 없습니다", do: "[server]를 쓰거나 uafctl trust --code FILE 명령을 실행하십시오")
    case .unverified:
      FindingText(
        "설정: tls_verify = false: 이 컴퓨터와 서버 사이에 있는 누구나 로그인을 결정할 수 있습니다",
        do: "지우고, 서버의 인증 기관을 ca_file에 적으십시오")
    case .offline(let sections):
      FindingText(
        "설정: \(sections.joined(separator: ", "))의 offline = \"allow\": 이 컴퓨터를 서버와 끊어 놓거나 그사이 폐기된 사람도 "
          + "offline_max_age가 지날 때까지 패스코드만으로 들어올 수 있습니다",
        do: "서버가 결정해야 하는 곳에서는 지우십시오")
    case .toldState(let sections):
      FindingText(
        "설정: \(sections.joined(separator: ", "))의 hide_state = false: 네트워크에서도 누가 등록되었고 누가 잠겼는지 알 수 있습니다",
        do: "지우십시오. 로컬에서는 이것이 기본값입니다")
    case .softwareSensors(let types):
      FindingText(
        "설정: require_tpm = false: \(Self.koreanNames(types)) 키는 소프트웨어로만 보호되고, \(Self.koreanNames(types)) 일치는 비밀 값을 "
          + "가져오지 않습니다",
        do: "장치 키를 칩에 묶은 뒤 지우십시오")
    case .faceAlone:
      FindingText(
        "설정: face.alone = true: 패스코드나 패턴 없이 얼굴만으로 들어올 수 있으며, 카메라는 사진이나 가면을 구별하지 못할 수 있습니다",
        do: "지우십시오. 그러면 값을 입력한 뒤에 얼굴을 확인합니다")
    case .faceIncomplete(let key):
      FindingText(
        "설정: authenticators에 face가 있지만 face.\(key)이(가) 없습니다. 아무도 얼굴을 등록할 수 없습니다",
        do: "[face]에 쓰거나 authenticators에서 face를 지우십시오")
    case .webOrigin:
      FindingText(
        "설정: server.origin이 https origin입니다. uaf-fetch나 서버를 장악한 사람은 이 컴퓨터의 로그인에 대한 응답을 브라우저 세션에도 쓸 수 있습니다",
        do: "서버가 linux://RPID를 받아들이면 지우십시오. 그렇지 않으면 그 키를 이 컴퓨터의 로그인에만 쓰십시오")
    }
  }

  private static func koreanNames(_ types: [AuthenticatorType]) -> String {
    types.map { $0 == .face ? "얼굴" : "지문" }.joined(separator: "과 ")
  }

  private static func list(_ path: String, _ files: [String]) -> String {
    files.isEmpty ? path : files.joined(separator: ", ")
  }
}

extension ConfigurationFileProblem {
  /// Whether the caller may not read the file; the file itself may be right.
  var isSecrecy: Bool { self == .system(EACCES) }
}
