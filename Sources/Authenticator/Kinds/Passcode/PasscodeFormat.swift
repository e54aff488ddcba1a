import SecretMemory

/// What any passcode is made of, whatever the policy.
public enum PasscodeFormat {
  /// The longest value, in bytes of its normalised form: 64 characters of four bytes.
  public static let maximumByteCount = NormalisedText.maximumByteCount

  /// The longest entry that is looked at, in bytes: a value may be typed in four times as many as it is stored in.
  public static let maximumEntryByteCount = NormalisedText.maximumEntryByteCount

  /// The entry in Unicode's Normalization Form C: what is stored, checked, compared and held against the policy.
  ///
  /// Nil if it could never have been stored: empty, not UTF-8, a control, private-use or unassigned code point, or more than
  /// ``maximumByteCount`` bytes after normalising (also if there is no memory). That is what sshd feeds PAM for users it has
  /// already refused; such an answer is treated like a wrong one, but is not an attempt.
  public static func normalised(_ value: borrowing Secret) -> Secret? {
    value.withBytes { bytes in
      guard let text = NormalisedText(bytes) else { return nil }
      return text.utf8
    }
  }
}
