import Doctor
import FidoResults
import UAFWire
import Wording

/// Why a conversation with the core did not end properly.
enum CoreError: Equatable {
  /// There is no socket of the core, and only root may start a core; the system's error number.
  case absent(CInt)
  /// The process behind the socket is not root's.
  case notRoots
  /// The core's program cannot be started; the system's error number.
  case notStarted(path: String, CInt)
  /// The core ended before it sent a result.
  case ended
  /// The core cannot work for anybody (1007): its text, in the caller's language, or its result.
  case unable(ConfigurationProblem)
  /// The core sent nothing in time.
  case silent
  /// The core sent something that violates docs/protocol.md.
  case confused(Confusion)
  /// The core's prompt is of a check that this person or script cannot answer (2002).
  case noHandler(check: String, remedy: ChoiceRemedy = .nameOne)
}

/// What a script can do to avoid the prompt for a choice of authenticators.
enum ChoiceRemedy: Equatable {
  /// Name the type: the command accepts one.
  case nameOne
  /// Run the command once for each authenticator: it concerns all of them, and accepts no type together with that.
  case oneAfterTheOther
  /// Use a terminal: the command accepts no type.
  case terminal
}

extension CoreError: Catalogued {
  var english: FindingText {
    switch self {
    case .absent(let number):
      FindingText(
        "cannot reach the core at \(InstalledPaths.socket): \(SystemReason(number).english)",
        do: "start the unit pam-uaf.socket, or run it as root")
    case .notRoots:
      FindingText(
        "what serves \(InstalledPaths.socket) is not root's", do: "stop what listens there; the core runs as root")
    case .notStarted(let path, let number):
      FindingText(
        "cannot start the core at \(ShownText.line(path)): \(SystemReason(number).english)",
        do: "reinstall the libpam-uaf package")
    case .ended: FindingText("the core ended before it said how it went", do: Self.logSaysMore)
    case .unable(let what):
      FindingText(
        "the core cannot work: \(what.english)", do: "first fix what failed in the checks of the state and the programs"
      )
    case .silent: FindingText("the core said nothing within the time", do: Self.logSaysMore)
    case .confused(let what):
      FindingText("the core does not keep to the protocol: \(what.english)", do: Self.versions)
    case .noHandler(check: Check.choice.rawValue, let remedy):
      FindingText(
        "several authenticators fit, and nobody is there to choose [\(FidoResult.noSuitableAuthenticator.code)]",
        do: remedy.english)
    case .noHandler(let check, _):
      FindingText(
        "the core asks for '\(ShownText.line(check))', which cannot be answered here "
          + "[\(FidoResult.noSuitableAuthenticator.code)]", do: Self.versions)
    }
  }

  var korean: FindingText {
    switch self {
    case .absent(let number):
      FindingText(
        "\(InstalledPaths.socket)의 코어에 연결할 수 없습니다: \(SystemReason(number).korean)",
        do: "유닛 pam-uaf.socket을 시작하거나 root로 실행하십시오")
    case .notRoots:
      FindingText(
        "\(InstalledPaths.socket)에서 응답하는 프로그램이 root의 것이 아닙니다",
        do: "그곳에서 대기하는 프로그램을 멈추십시오. 코어는 root로 실행됩니다")
    case .notStarted(let path, let number):
      FindingText(
        "\(ShownText.line(path))의 코어를 시작할 수 없습니다: \(SystemReason(number).korean)",
        do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .ended: FindingText("코어가 결과를 알리기 전에 끝났습니다", do: Self.koreanLogSaysMore)
    case .unable(let what):
      FindingText("코어가 동작할 수 없습니다: \(what.korean)", do: "상태와 프로그램에 관한 줄에서 실패한 것을 바로잡으십시오")
    case .silent: FindingText("코어가 제시간에 응답하지 않았습니다", do: Self.koreanLogSaysMore)
    case .confused(let what):
      FindingText("코어가 프로토콜을 따르지 않습니다: \(what.korean)", do: Self.koreanVersions)
    case .noHandler(check: Check.choice.rawValue, let remedy):
      FindingText(
        "쓸 수 있는 인증 수단이 여럿인데 고를 사람이 없습니다 [\(FidoResult.noSuitableAuthenticator.code)]",
        do: remedy.korean)
    case .noHandler(let check, _):
      FindingText(
        "코어가 요구하는 '\(ShownText.line(check))'은(는) 여기서 답할 수 없습니다 "
          + "[\(FidoResult.noSuitableAuthenticator.code)]", do: Self.koreanVersions)
    }
  }

  private static let logSaysMore = "the log (authpriv) says more; uafctl doctor checks the installation"
  private static let koreanLogSaysMore = "로그(authpriv)에 자세한 내용이 있습니다. uafctl doctor로 설치를 점검하십시오"
  private static let versions = "uafctl and uaf-helper may be of different versions: reinstall the libpam-uaf package"
  private static let koreanVersions = "uafctl과 uaf-helper의 버전이 다를 수 있습니다. libpam-uaf 패키지를 다시 설치하십시오"
}

extension ChoiceRemedy: Catalogued {
  /// What can be done about a prompt for a choice in this conversation.
  init(_ begin: Begin) {
    self =
      switch begin.operation {
      case .deregisterAll: .oneAfterTheOther
      // The payload of an approval names the text, and the command has no argument for a type.
      case .authenticate where begin.payload != nil: .terminal
      default: .nameOne
      }
  }

  var english: String {
    switch self {
    case .nameOne: "name one of them, or run it on a terminal"
    case .oneAfterTheOther: "run it on a terminal, or deregister one after the other by their types, without --all"
    case .terminal: "run it on a terminal"
    }
  }

  var korean: String {
    switch self {
    case .nameOne: "하나를 지정하거나 터미널에서 실행하십시오"
    case .oneAfterTheOther: "터미널에서 실행하거나, --all 없이 인증 수단을 하나씩 지정해 등록을 해지하십시오"
    case .terminal: "터미널에서 실행하십시오"
    }
  }
}

/// How the core has violated docs/protocol.md.
enum Confusion: Catalogued, Equatable {
  case packet(PacketError)
  /// A PAM code that does not fit the result.
  case code(UInt8, result: UInt32)
  case statusDocument

  var english: String {
    switch self {
    case .packet(let error): "\(error)"
    case .code(let code, let result): "code \(code) does not go with result \(result)"
    case .statusDocument: "the status document cannot be read"
    }
  }

  var korean: String {
    switch self {
    case .packet(let error): Self.korean(error)
    case .code(let code, let result): "코드 \(code)와(과) 결과 \(result)이(가) 맞지 않습니다"
    case .statusDocument: "상태 문서를 읽을 수 없습니다"
    }
  }

  private static func korean(_ error: PacketError) -> String {
    switch error {
    case .size: "패킷의 크기는 1~\(WireLimit.packet)바이트여야 합니다"
    case .unknownType(let type): "모르는 종류의 패킷입니다(\(type))"
    case .unexpectedField(let type, let tag): "\(type): 필드 \(tag)이(가) 있을 수 없는 곳에 있습니다"
    case .truncated(let type): "\(type): 필드가 패킷의 끝을 넘습니다"
    case .invalidValue(let type, let tag): "\(type): 필드 \(tag)의 값이 올바르지 않습니다"
    case .missingField(let type, let tag): "\(type): 필드 \(tag)이(가) 없습니다"
    case .unexpectedType(let type): "\(type): 대화의 이 시점에 올 수 없습니다"
    }
  }
}
