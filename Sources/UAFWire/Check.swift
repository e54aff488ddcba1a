/// The check that a prompt asks for (PROTOCOL.md, *prompt*): what kind of answer the core expects.
public enum Check: Hashable, Sendable, CaseIterable, ExpressibleByStringLiteral {
  case passcode
  /// The digits of a pattern's nodes.
  case pattern
  /// The number of an option.
  case choice
  /// An enrolment code.
  case code
  /// A name that is not in the list of PROTOCOL.md: a front end asks nobody, and cancels.
  case unknown(String)

  /// The checks of the list.
  public static let allCases: [Check] = [.passcode, .pattern, .choice, .code]

  /// A check of this name, of the list or not.
  public init(rawValue name: String) {
    self = Self.allCases.first { $0.rawValue == name } ?? .unknown(name)
  }

  /// A check of this name, of the list or not.
  public init(stringLiteral name: String) { self.init(rawValue: name) }

  /// The name in the packet; at most 32 bytes.
  public var rawValue: String {
    switch self {
    case .passcode: "passcode"
    case .pattern: "pattern"
    case .choice: "choice"
    case .code: "code"
    case .unknown(let name): name
    }
  }
}
