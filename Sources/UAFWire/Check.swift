/// The check that a prompt asks for (PROTOCOL.md, *prompt*): what kind of answer the core expects.
///
/// The list is closed. A name that is not in it is still read, because a front end answers it: it asks nobody and cancels.
public struct Check: RawRepresentable, Hashable, Sendable, CaseIterable, ExpressibleByStringLiteral {
  /// The name in the packet; at most 32 bytes.
  public let rawValue: String

  /// A check of this name, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A check of this name, known or not.
  public init(stringLiteral name: String) { self.init(rawValue: name) }

  /// A passcode.
  public static let passcode: Check = "passcode"
  /// A pattern, as the digits of its nodes.
  public static let pattern: Check = "pattern"
  /// The number of an option.
  public static let choice: Check = "choice"
  /// An enrolment code.
  public static let code: Check = "code"

  /// The checks of the list.
  public static let allCases: [Check] = [.passcode, .pattern, .choice, .code]
}
