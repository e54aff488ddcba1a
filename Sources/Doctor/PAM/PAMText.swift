import PAMStacks
import Wording

/// What doctor says of the services' stacks; `file` is the service's file.
enum PAMText: FindingCatalogue {
  case noFolder(String)
  case unused(folder: String)
  case noModule(String)
  case module(path: String)
  case moduleNoFile(path: String)
  case moduleOpen(path: String)
  case letsIn(file: String)
  /// A line lets somebody in before the module is asked.
  case passedOver(file: String, line: Int)
  /// A stack of `uafctl pam enable` in which a refusal is none any more.
  case edited(file: String, service: String)
  case noEffect(file: String)
  case wayBehind(file: String)
  case wayBefore(file: String)
  case wayPast(file: String)
  case noWayIn(file: String)

  var english: FindingText {
    switch self {
    case .noFolder(let path): FindingText("pam: \(path) cannot be read", do: "name the folder with --pam-directory")
    case .unused(let folder):
      FindingText("pam: no service in \(folder) uses \(PAMLine.ownModule)", do: "uafctl pam enable SERVICE")
    case .noModule(let name):
      FindingText("pam: \(name) is not where PAM looks for it", do: "reinstall the libpam-uaf package")
    case .module(let path): FindingText("pam: \(path)")
    case .moduleNoFile(let path): FindingText("pam: \(path) is no plain file", do: "reinstall the libpam-uaf package")
    case .moduleOpen(let path):
      FindingText(
        "pam: \(path) can be changed by others than root", do: "chown root:root \(path) && chmod 644 \(path)")
    case .letsIn(let file):
      FindingText(
        "pam: \(file): a refusal is followed by nothing that refuses", do: "put 'auth required pam_deny.so' behind it")
    case .passedOver(let file, let line):
      Self.ofPAM(StackError.passedOver(path: file, line: line).english)
    case .edited(let file, let service):
      FindingText(
        "pam: \(file): was edited: somebody whom pam_uaf has refused can still get in",
        do: "uafctl pam enable \(service), which puts the ready stack back and keeps the edited one")
    case .noEffect(let file):
      FindingText(
        "pam: \(file): whatever pam_uaf says, the lines behind it decide",
        do: "give its line a control word that counts: a stack of pam.d/")
    case .wayBehind(let file): FindingText("pam: \(file): another way in stands behind it")
    case .wayBefore(let file): FindingText("pam: \(file): another way in stands before it")
    case .wayPast(let file): FindingText("pam: \(file): some are led past it to another way in")
    case .noWayIn(let file):
      FindingText(
        "pam: \(file): nobody gets in where it refuses, administrators included",
        do: "keep another way in: a stack of pam.d/, or root's console without it")
    }
  }

  var korean: FindingText {
    switch self {
    case .noFolder(let path): FindingText("pam: \(path)을(를) 읽을 수 없습니다", do: "--pam-directory로 폴더를 지정하십시오")
    case .unused(let folder):
      FindingText("pam: \(folder)에서 \(PAMLine.ownModule)를 쓰는 서비스가 없습니다", do: "uafctl pam enable SERVICE")
    case .noModule(let name):
      FindingText("pam: \(name)이(가) PAM이 찾는 곳에 없습니다", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .module(let path): FindingText("pam: \(path)")
    case .moduleNoFile(let path): FindingText("pam: \(path): 일반 파일이 아닙니다", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .moduleOpen(let path):
      FindingText(
        "pam: root가 아닌 사용자가 \(path)을(를) 바꿀 수 있습니다", do: "chown root:root \(path) && chmod 644 \(path)")
    case .letsIn(let file):
      FindingText("pam: \(file): 거부된 뒤에 거부하는 줄이 없습니다", do: "그 뒤에 'auth required pam_deny.so'를 넣으십시오")
    case .passedOver(let file, let line):
      Self.ofPAM(StackError.passedOver(path: file, line: line).korean)
    case .edited(let file, let service):
      FindingText(
        "pam: \(file): 직접 고쳐져, pam_uaf가 거부해도 로그인될 수 있습니다",
        do: "uafctl pam enable \(service). 준비된 스택으로 되돌리고 고친 것은 남겨 둡니다")
    case .noEffect(let file):
      FindingText(
        "pam: \(file): pam_uaf가 무엇이라 하든 그 뒤의 줄이 결정합니다",
        do: "pam.d/의 스택처럼, 결과가 반영되는 제어 값을 주십시오")
    case .wayBehind(let file): FindingText("pam: \(file): 그 뒤에 들어올 다른 방법이 있습니다")
    case .wayBefore(let file): FindingText("pam: \(file): 그 앞에 들어올 다른 방법이 있습니다")
    case .wayPast(let file): FindingText("pam: \(file): 일부 사용자는 이를 건너뛰어 다른 방법으로 들어옵니다")
    case .noWayIn(let file):
      FindingText(
        "pam: \(file): 거부되면 관리자를 포함해 아무도 들어올 수 없습니다",
        do: "다른 방법을 남기십시오. pam.d/의 스택을 쓰거나, root의 콘솔에서는 쓰지 마십시오")
    }
  }

  /// What `uafctl pam enable` says of the same line.
  private static func ofPAM(_ text: FindingText) -> FindingText { FindingText("pam: " + text.what, do: text.remedy) }
}
