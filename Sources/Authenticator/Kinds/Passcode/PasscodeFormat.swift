import SecretMemory

/// What every passcode consists of, whatever the policy.
public enum PasscodeFormat {
  /// The longest secret, in bytes of its normalised form: 64 characters of four bytes.
  public static let maximumByteCount = NormalisedText.maximumByteCount

  /// The longest entry that is checked, in bytes: an entry may have four times the bytes of its normalised form.
  public static let maximumEntryByteCount = NormalisedText.maximumEntryByteCount

  /// The entry in Unicode's Normalization Form C: what is sealed, compared and checked against the policy.
  ///
  /// Nil if it could never have been stored: empty, not UTF-8, a control, private-use or unassigned code point, or more than
  /// ``maximumByteCount`` bytes after normalising (also if there is no memory). sshd sends PAM such bytes for users
  /// that it has already refused. Such an answer is refused like a wrong one, but is not counted.
  public static func normalised(_ value: borrowing Secret) -> Secret? {
    value.withBytes { bytes in
      guard let text = NormalisedText(bytes) else { return nil }
      return text.utf8
    }
  }
}
