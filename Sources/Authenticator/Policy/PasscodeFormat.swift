/// What any passcode is made of, whatever the policy.
public enum PasscodeFormat {
  /// The longest value, in bytes.
  public static let maximumByteCount = CodePoints.maximumByteCount

  /// Whether the value could ever have been stored.
  ///
  /// Empty, longer than ``maximumByteCount``, not UTF-8 or with a control character: what sshd feeds PAM for users it has already
  /// refused. Such an answer is treated like a wrong one, but is not an attempt.
  public static func isStorable(_ value: Span<UInt8>) -> Bool {
    guard !value.isEmpty else { return false }
    return CodePoints.with(value) { points in
      for index in points.indices where isControl(points[index]) { return false }
      return true
    } ?? false
  }

  private static func isControl(_ value: UInt32) -> Bool {
    value < 0x20 || (0x7f...0x9f).contains(value)
  }
}
