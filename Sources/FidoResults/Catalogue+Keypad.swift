// Purpose: how each language says the layout of a shuffled keypad.

extension EnglishCatalogue {
  static let digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

  static let keypadExplanation = "The keys are shuffled: for each digit, press the key below it."

  static let keypadHeads = (digit: "Digit", key: "Press")

  static let keypadOpening = "Keys: "

  static func text(keypad: [(digit: String, key: String)]) -> String {
    keypadOpening + keypad.map { "for \($0.digit) press \($0.key)" }.joined(separator: ", ") + "."
  }
}

extension KoreanCatalogue {
  static let digits = ["영", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구"]

  static let keypadExplanation = "키가 섞여 있습니다. 숫자마다 바로 아래에 있는 키를 누르십시오."

  static let keypadHeads = (digit: "숫자", key: "누름")

  static let keypadOpening = "누를 키: "

  static func text(keypad: [(digit: String, key: String)]) -> String {
    // The particle follows from whether the digit's word ends in a consonant.
    let open: Set<String> = ["이", "사", "오", "구"]
    let pairs = keypad.map { "\($0.digit)\(open.contains($0.digit) ? "는" : "은") \($0.key)" }
    return keypadOpening + pairs.joined(separator: ", ") + "."
  }
}
