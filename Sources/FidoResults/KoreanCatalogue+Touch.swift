extension KoreanCatalogue {
  /// What came of a touch.
  static func text(_ touch: TouchText) -> String {
    switch touch {
    case .notMatched: "등록된 지문이 아닙니다. 센서에 다시 대십시오."
    case .again: "지문을 읽지 못했습니다. 센서에 다시 대십시오."
    case .tooShort: "너무 짧게 밀었습니다. 다시 시도하십시오."
    case .notCentred: "손가락을 센서 가운데에 대십시오."
    case .liftFirst: "손가락을 뗀 다음 센서에 다시 대십시오."
    case .tooFast: "손가락을 너무 빨리 뗐습니다. 센서에 다시 대십시오."
    case .waiting: "지문 센서가 기다리고 있습니다."
    }
  }
}
