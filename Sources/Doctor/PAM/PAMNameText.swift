import PAMStacks
import Wording

/// What doctor says about names: of modules, of arguments that do not do what was meant, and of the service beside sudo.
enum PAMNameText: FindingCatalogue {
  case misspelt(service: String, module: String)
  /// A wrong argument, at which everybody is refused unless the line reads none.
  case argument(place: String, problem: String, isRead: Bool)
  case hidden(service: String)
  case polkit(service: String, asking: String)
  case sudoService(service: String)
  case sudoAsks(SudoSettings.Asked)

  var english: FindingText {
    switch self {
    case .misspelt(let service, let module):
      FindingText(
        "pam: \(service): there is no module \(module): libpam refuses at this line, or leaves it out",
        do: "write \(PAMLine.ownModule), if that is meant")
    case .argument(let place, let problem, let isRead):
      FindingText(
        "pam: \(place): \(problem): this line \(isRead ? "refuses everybody" : "ignores it")", do: "correct the line")
    case .hidden(let service):
      FindingText(
        "pam: \(service): nouserok has no effect, because hide_state = true: whoever never registered is refused",
        do: "take hide_state out, or have everybody register")
    case .polkit(let service, let asking):
      FindingText(
        "pam: \(service) asks without the passcode: whom \(asking) asks for it, pkexec and run0 make root by the password",
        do: "uafctl pam enable \(service)")
    case .sudoService(let service):
      FindingText(
        "pam: \(StackText.sudoService(service).english)", do: "uafctl pam enable \(service) --template sudo")
    case .sudoAsks(let asked): FindingText("pam: \(StackText.sudoAsks(asked).english)")
    }
  }

  var korean: FindingText {
    switch self {
    case .misspelt(let service, let module):
      FindingText(
        "pam: \(service): 모듈 \(module)이(가) 없습니다. libpam은 이 줄에서 거부하거나 이 줄을 건너뜁니다",
        do: "뜻한 것이 \(PAMLine.ownModule)이면 그렇게 쓰십시오")
    case .argument(let place, let problem, let isRead):
      FindingText(
        "pam: \(place): \(problem): 이 줄\(isRead ? "에서 모두 거부됩니다" : "은 이 인수를 무시합니다")", do: "이 줄을 고치십시오")
    case .hidden(let service):
      FindingText(
        "pam: \(service): hide_state = true여서 nouserok이 효과가 없습니다. 등록한 적이 없는 사람은 거부됩니다",
        do: "hide_state를 지우거나, 모두 등록하게 하십시오")
    case .polkit(let service, let asking):
      FindingText(
        "pam: \(service)은(는) 패스코드를 묻지 않습니다. \(asking)에서 패스코드를 묻는 사람도 pkexec와 run0로는 비밀번호만으로 root가 됩니다",
        do: "uafctl pam enable \(service)")
    case .sudoService(let service):
      FindingText(
        "pam: \(StackText.sudoService(service).korean)", do: "uafctl pam enable \(service) --template sudo")
    case .sudoAsks(let asked): FindingText("pam: \(StackText.sudoAsks(asked).korean)")
    }
  }
}
