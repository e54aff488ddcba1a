import Wording

/// A payload's file that others may read.
struct PayloadWarning: Catalogued {
  let path: String

  var english: FindingText {
    FindingText(
      "warning: others may read \(ShownText.line(path)), and its code works for whoever has it",
      do: "chmod 600 \(ShownText.line(path)), and remove it after use")
  }

  var korean: FindingText {
    FindingText(
      "경고: 다른 사용자가 \(ShownText.line(path))을(를) 읽을 수 있습니다. 그 안의 코드는 가진 사람이면 누구나 쓸 수 있습니다",
      do: "chmod 600 \(ShownText.line(path)), 사용한 뒤에는 지우십시오")
  }
}
