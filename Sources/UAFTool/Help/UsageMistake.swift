import Wording

/// What is wrong with a command line that names options or arguments that do not go together.
enum UsageMistake: CaseIterable, Catalogued {
  case allAndType
  case accountTwice
  case statusAsksOnce
  case twoKindsOfJSON
  case togetherAlone
  case denyAndToken
  case serviceOrAll
  case onlyWithoutService
  case unlockOnceProved
  case unlockOfNobody

  var english: String {
    switch self {
    case .accountTwice: "the account stands once: uafctl deregister USER TYPE"
    case .allAndType: "--all and a type exclude each other"
    case .statusAsksOnce: "--json, --supported, --registered, --locked and --available exclude each other"
    case .twoKindsOfJSON: "--json-conversation ends with the same object: leave --json out"
    case .togetherAlone: "--together goes with --json-conversation"
    case .denyAndToken: "--deny and --token exclude each other"
    case .serviceOrAll: "Name a service, or give --all."
    case .onlyWithoutService: "--only goes with a service."
    case .unlockOnceProved: "--payload and --code exclude each other"
    case .unlockOfNobody: "Name an account, or give --payload or --code."
    }
  }

  var korean: String {
    switch self {
    case .accountTwice: "계정은 한 번만 지정하십시오: uafctl deregister USER TYPE"
    case .allAndType: "--all과 인증 수단은 함께 쓸 수 없습니다"
    case .statusAsksOnce: "--json, --supported, --registered, --locked, --available은 함께 쓸 수 없습니다"
    case .twoKindsOfJSON: "--json-conversation도 같은 객체로 끝납니다. --json을 빼십시오"
    case .togetherAlone: "--together는 --json-conversation과 함께 쓰십시오"
    case .denyAndToken: "--deny와 --token은 함께 쓸 수 없습니다"
    case .serviceOrAll: "서비스를 지정하거나 --all을 주십시오"
    case .onlyWithoutService: "--only는 서비스와 함께 쓰십시오"
    case .unlockOnceProved: "--payload와 --code는 함께 쓸 수 없습니다"
    case .unlockOfNobody: "계정을 지정하거나 --payload 또는 --code를 주십시오"
    }
  }
}
