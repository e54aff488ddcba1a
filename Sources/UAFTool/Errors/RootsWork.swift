import Wording

/// What only root may ask for.
enum RootsWork: Catalogued, Equatable {
  case chooseConfiguration
  case unlock
  case initialise
  case moveKey
  case forget
  case rename
  case trust
  case join
  case checkIn
  case tellServer
  case changeServices

  var english: String {
    switch self {
    case .chooseConfiguration: "choose the configuration (--conf)"
    case .unlock: "unlock an account"
    case .initialise: "initialise this machine"
    case .moveKey: "move this machine's key"
    case .forget: "make this machine forget an account"
    case .rename: "take a registration over to another name"
    case .trust: "change which server is trusted"
    case .join: "join a server or leave it"
    case .checkIn: "tell the server how this machine is"
    case .tellServer: "choose whether the server is told (--deregister)"
    case .changeServices: "change how services ask"
    }
  }

  /// As it stands before "can".
  var korean: String {
    switch self {
    case .chooseConfiguration: "설정 파일을 고를"
    case .unlock: "계정의 잠금을 풀"
    case .initialise: "이 컴퓨터를 초기 설정할"
    case .moveKey: "이 컴퓨터의 키를 옮길"
    case .forget: "이 컴퓨터에서 계정을 지울"
    case .rename: "등록을 다른 이름으로 옮길"
    case .trust: "신뢰할 서버를 바꿀"
    case .join: "서버에 가입하거나 탈퇴할"
    case .checkIn: "서버에 이 컴퓨터의 상태를 알릴"
    case .tellServer: "서버에 알릴지(--deregister) 고를"
    case .changeServices: "서비스가 묻는 방법을 바꿀"
    }
  }
}
