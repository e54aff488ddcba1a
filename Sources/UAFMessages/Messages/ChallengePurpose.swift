/// What a challenge of this project's server is for (PROTOCOL.md, "What a challenge is for").
///
/// A signature over the challenge is a signature over its purpose: it cannot be spent on anything else.
public enum ChallengePurpose: UInt8, CaseIterable, Sendable {
  /// To log in.
  case login = 1
  /// To log in, and to confirm a text that the client has sent.
  case text = 2
  /// To register keys with an enrolment code.
  case registrationByCode = 3
  /// To register keys that a registered key has to authorise.
  case registrationByKey = 4
  /// To be let ask for a registration of further keys.
  case furtherKeys = 5
  /// To authorise new keys, each by its AAID, KeyID and public key.
  case newKeys = 6
  /// To remove keys, each by its KeyID.
  case removal = 7
  /// To approve a text that waits at the server.
  case approval = 8
  /// To sign in to the server's console.
  case consoleSignIn = 9
  /// To confirm a step in the server's console.
  case consoleStep = 10

  /// The word for it in a verdict and in a log.
  public var word: String {
    switch self {
    case .login: "login"
    case .text: "text"
    case .registrationByCode: "registration by code"
    case .registrationByKey: "registration by key"
    case .furtherKeys: "further keys"
    case .newKeys: "new keys"
    case .removal: "removal"
    case .approval: "approval"
    case .consoleSignIn: "console sign-in"
    case .consoleStep: "console step"
    }
  }

  /// The operation that an authentication for this purpose authorises with its token; nil where it authorises none.
  public var authorizedOperation: UAFOperation? {
    switch self {
    case .furtherKeys: .registration
    case .removal: .deregistration
    case .login, .text, .registrationByCode, .registrationByKey, .newKeys, .approval, .consoleSignIn, .consoleStep: nil
    }
  }
}
