/// USER_VERIFY flags of the registry: how an authenticator knows the person.
public enum UserVerification {
  /// USER_VERIFY_PASSCODE.
  public static let passcode: UInt32 = 0x04
  /// USER_VERIFY_PATTERN.
  public static let pattern: UInt32 = 0x80
  /// USER_VERIFY_ALL: every flag beside it is needed, not one of them.
  public static let all: UInt32 = 0x400
}
