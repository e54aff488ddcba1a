// Why there is no usable configuration, in the person's language; logs have the descriptions.

import AuthenticatorTypes
import FidoResults
import UAFConfiguration
import Wording

extension ConfigurationError: Catalogued {
  package var english: String { description }

  package var korean: String {
    switch self {
    case .file(let path, let problem): "\(Self.shown(path)): \(problem.korean)"
    case .syntax(let path, let line, let problem): "\(Self.shown(path)):\(line): \(Self.shown(problem.korean))"
    case .key(let path, let line, let key, let problem):
      "\(Self.shown(path)):\(line): \(Self.shown(key)): \(Self.shown(problem.korean))"
    case .argument(let argument, let problem):
      "모듈 인수 \(Self.shown(argument)): \(Self.shown(problem.korean))"
    }
  }

  private static func shown(_ text: String) -> String { Text.cleaned(text, limit: 256) }
}

extension ConfigurationFileProblem: Catalogued {
  package var english: String { description }

  package var korean: String {
    switch self {
    case .badPath: "경로는 절대 경로여야 하며, 빈 부분이나 .과 ..이 없어야 합니다"
    case .missing: "그런 파일이 없습니다. 파일을 만들거나 경로를 바로잡으십시오"
    case .badDirectory(let path): "\(path): 없거나 폴더가 아니거나 심볼릭 링크입니다. 실제 경로를 쓰십시오"
    case .directoryOwner(let path): "\(path): 소유자가 다른 사용자입니다: chown root \(path)"
    case .directoryWritable(let path): "\(path): 다른 사용자가 쓸 수 있습니다: chmod go-w \(path)"
    case .symbolicLink: "심볼릭 링크입니다. 실제 경로를 쓰십시오"
    case .notRegular: "일반 파일이 아닙니다"
    case .owner(let uid): "소유자가 uid \(uid)입니다. chown root로 바꾸십시오"
    case .writable: "그룹이나 다른 사용자가 쓸 수 있습니다. chmod go-w로 바꾸십시오"
    case .hardLinks: "다른 이름(하드 링크)이 있습니다. 독립된 파일로 만드십시오"
    case .tooLarge(let limit): "읽을 수 있는 최대 크기인 \(limit)바이트보다 큽니다"
    case .tooManyFiles: "*.conf 파일이 \(ConfigurationFile.maximumDropIns)개보다 많습니다. 일부를 합치십시오"
    case .noCertificate: "PEM 인증서가 없습니다. -----BEGIN CERTIFICATE----- 줄이 하나도 없습니다"
    case .isDER: "DER 형식의 인증서입니다. PEM이어야 합니다. openssl x509 -inform DER로 변환하십시오"
    case .isUTF16: "UTF-16으로 저장되어 있습니다. UTF-8이나 ASCII로 저장하십시오"
    case .badCertificate(let line): "\(line)번째 줄에서 시작하는 인증서를 읽을 수 없습니다. 다시 복사하거나 지우십시오"
    case .system(let number): "읽을 수 없습니다(\(SystemReason(number).korean))"
    }
  }
}

extension TOMLProblem: Catalogued {
  package var english: String { description }
}

extension SettingForm: Catalogued {
  package var english: String { description }
}

extension SettingProblem: Catalogued {
  package var english: String { description }
}

extension ModuleArgumentProblem: Catalogued {
  package var english: String { description }

  package var korean: String {
    switch self {
    case .form(let form): form.korean
    case .unknown: "모르는 인수이거나, 값이 있으면 안 되거나, 값이 빠졌습니다(쓸 수 있는 인수: \(Self.allowed))"
    case .twice: "두 번 적혀 있습니다"
    case .tooMany(let limit): "인수가 \(limit)개를 넘습니다"
    case .bothFirstPasses: "try_first_pass와 함께 쓸 수 없습니다. 하나만 주십시오"
    case .accountCheckValue: "값이 없거나 account_check=required여야 합니다"
    case .notAccount: "account 줄에만 쓸 수 있습니다"
    case .notEnabled(let type): "\(type)은(는) 설정의 authenticators에 없습니다"
    case .shuffledKeypad: "keypad = \"shuffled\"와 함께 쓸 수 없습니다"
    case .transaction: "transaction = true와 함께 쓸 수 없습니다"
    case .anyTransaction: "server.accept_transaction = \"any\"와 함께 쓸 수 없습니다"
    }
  }
}
