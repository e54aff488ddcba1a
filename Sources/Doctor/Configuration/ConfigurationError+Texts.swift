import FidoResults
import UAFConfiguration
import Wording

// Why there is no usable configuration, in the person's language; logs have its description.

extension ConfigurationError: Catalogued {
  package var english: String { description }

  package var korean: String {
    switch self {
    case .file(let path, let problem): "\(Self.shown(path)): \(problem.korean)"
    case .syntax(let path, let line, let problem): "\(Self.shown(path)):\(line): \(KoreanSettingProblem.text(problem))"
    case .key(let path, let line, let key, let problem):
      "\(Self.shown(path)):\(line): \(Self.shown(key)): \(KoreanSettingProblem.text(problem))"
    case .argument(let argument, let problem):
      "모듈 인수 \(Self.shown(argument)): \(KoreanSettingProblem.text(problem))"
    }
  }

  private static func shown(_ text: String) -> String { Text.cleaned(text, limit: 256) }
}
