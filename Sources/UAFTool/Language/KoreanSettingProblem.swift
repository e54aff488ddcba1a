import FidoResults

/// Problems of a configuration file in Korean.
enum KoreanSettingProblem {
  static func text(_ problem: String) -> String { "이 값은 사용할 수 없습니다" }
}
