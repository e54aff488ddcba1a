/// How a passcode is entered: `ui_type`.
///
/// A secret is the same for every type: 1111 set under ``pin4`` works under ``normal``.
public enum PasscodeUIType: String, CaseIterable, Sendable {
  /// Text.
  case normal
  /// Exactly four digits.
  case pin4
  /// Exactly six digits.
  case pin6

  /// How many digits an entry has; nil for text.
  public var digitCount: Int? {
    switch self {
    case .normal: nil
    case .pin4: 4
    case .pin6: 6
    }
  }

  /// Whether an entry has this type's format.
  ///
  /// Another entry is answered with the format, and neither checked nor counted.
  public func accepts(_ value: Span<UInt8>) -> Bool {
    guard let digitCount else { return true }
    guard value.count == digitCount else { return false }
    for index in value.indices where !(0x30...0x39).contains(value[index]) { return false }
    return true
  }
}
