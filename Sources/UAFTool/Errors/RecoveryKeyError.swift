import Glibc
import Wording

/// Why the file of the recovery key cannot be used.
struct RecoveryKeyError: Error, Equatable, Catalogued {
  let path: String
  /// The system's error number.
  let number: CInt

  var english: FindingText {
    FindingText(
      "recovery key: \(ShownText.line(path)): \(SystemReason(number).english)",
      do: number == EEXIST ? "name a file that does not exist" : nil)
  }

  var korean: FindingText {
    FindingText(
      "복구 키: \(ShownText.line(path)): \(SystemReason(number).korean)",
      do: number == EEXIST ? "없는 파일의 이름을 주십시오" : nil)
  }
}
