// Purpose: the one list of authenticator types. A new type is a folder beside this file and one entry of the list.

extension AuthenticatorType: CaseIterable {
  /// Every type of this program, each once, in the order in which texts and documents name them.
  public static let allCases: [AuthenticatorType] = [.passcode, .pattern, .fingerprint] + furtherTypes

  #if DEBUG
    /// A type of a test, in a build for tests alone: the released programs have no way to add one.
    ///
    /// ``allCases`` is made when it is first read, and never changes afterwards.
    // SAFETY: only tests write it, in a process of their own, before the list is read for the first time.
    nonisolated(unsafe) static var addedByTests: [AuthenticatorType] = []

    // SAFETY: see `addedByTests`.
    private static var furtherTypes: [AuthenticatorType] { unsafe addedByTests }
  #else
    private static var furtherTypes: [AuthenticatorType] { [] }
  #endif

  /// The type of a name; nil if there is none.
  public init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }

  /// The type of a name or an AAID, hexadecimal digits in either case; nil if there is none.
  public init?(nameOrAAID text: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == text || $0.aaid == text.uppercased() }) else {
      return nil
    }
    self = found
  }
}
