// Purpose: the one list of authenticator types. A new type is a folder beside this file and one entry of the list.

extension AuthenticatorType: CaseIterable {
  /// Every type of this program, once each, in the order in which texts and documents name them.
  public static let allCases: [AuthenticatorType] = [.passcode, .pattern, .fingerprint, .face] + furtherTypes

  #if DEBUG
    /// Types that a test adds, in a build for tests only: the released programs cannot add one.
    ///
    /// ``allCases`` is made when it is first read, and never changes afterwards.
    // SAFETY: only tests write it, in a process of their own, before the list is read for the first time.
    nonisolated(unsafe) static var addedByTests: [AuthenticatorType] = []

    // SAFETY: see `addedByTests`.
    private static var furtherTypes: [AuthenticatorType] { unsafe addedByTests }
  #else
    private static var furtherTypes: [AuthenticatorType] { [] }
  #endif

  /// The type with a name; nil if there is none.
  public init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }

  /// The type with a name or an AAID, with hexadecimal digits in either case; nil if there is none.
  public init?(nameOrAAID text: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == text || $0.aaid == text.uppercased() }) else {
      return nil
    }
    self = found
  }
}
