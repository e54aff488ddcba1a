import FidoResults

extension PAMContext {
  /// Every possible combination of the context's fields.
  static let everyOne: [PAMContext] = PAMContext.Stage.allCases.flatMap { stage in
    (0..<64).map { bits in
      PAMContext(
        stage: stage, mustNotReportUnavailable: bits & 1 != 0, spokenByServer: bits & 2 != 0, hideState: bits & 4 != 0,
        nouserok: bits & 8 != 0, neverHadRow: bits & 16 != 0, isRootsFault: bits & 32 != 0)
    }
  }
}
