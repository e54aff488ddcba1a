/// The text for a person that says which key stands for which digit.
public struct KeypadText: Hashable, Sendable {
  /// The key, 0 to 9, of each digit from 0 on.
  public let keys: [UInt8]

  /// In words on one line, for a screen reader; else in two rows below a line that explains them.
  public let isSpeltOut: Bool

  /// Makes the text of a layout of ten keys.
  public init(keys: [UInt8], isSpeltOut: Bool) {
    self.keys = keys
    self.isSpeltOut = isSpeltOut
  }

  /// Whether a prompt's text shows a keypad, in any language: its entry is typed with that keypad alone.
  ///
  /// Other lines may look the same. The caller must not lose more by that than one more question.
  public static func isPart(of text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      Language.allCases.contains { language in
        line == language.catalogue.keypadExplanation || line.hasPrefix(language.catalogue.keypadOpening)
      }
    }
  }

  /// The text.
  ///
  /// Each row but the last ends with a line end; words end with a full stop.
  public func text(in language: Language) -> String {
    let catalogue = language.catalogue
    let names = catalogue.digits
    guard isSpeltOut, keys.count == names.count, keys.allSatisfy({ names.indices.contains(Int($0)) }) else {
      let digits = keys.indices.map { "\($0)" }.joined(separator: " ")
      let pressed = keys.map { "\($0)" }.joined(separator: " ")
      let heads = catalogue.keypadHeads
      return "\(catalogue.keypadExplanation)\n\(heads.digit)  \(digits)\n\(heads.key)  \(pressed)"
    }
    return catalogue.text(keypad: keys.enumerated().map { (digit: names[$0.offset], key: names[Int($0.element)]) })
  }
}
