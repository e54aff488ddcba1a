import Authenticator
import FidoResults
import UAFClient

/// What allows a new key: an enrolment code, or a proof by another authenticator.
struct RegistrationWord {
  /// An enrolment code, which the server judges.
  var code: String?
  /// The server's token for a fresh verification with another authenticator.
  var proof: String?
  /// Whether a registered authenticator has verified the person just now, here and at the server.
  var isVerifiedHere = false

  /// An enrolment code, and nothing else.
  static func code(_ text: String) -> RegistrationWord { RegistrationWord(code: text) }

  /// The token of a fresh verification.
  static func proof(_ token: String) -> RegistrationWord { RegistrationWord(proof: token, isVerifiedHere: true) }

  /// Checks whether it may set a new value.
  ///
  /// For an account in use, a code counts only if the server judges it and signs its verdict. In the plain dialect a server may
  /// ignore the code, and a program that controls uaf-fetch may forge an unsigned answer: any text would then set a new value. An
  /// account without any value is treated as one that never registered.
  ///
  /// - Throws: ``Ending`` where it may not.
  func judge(
    for account: AccountFile?, _ client: ClientSettings, _ tools: RegistrationTools, replacingValues: Bool
  ) throws(Ending) -> RegistrationEvent {
    guard !isVerifiedHere, let account, !tools.call.caller.isRoot || replacingValues else { return .wordAllowed }
    guard code != nil else {
      guard try tools.accounts.isInUse(account) else { return .wordAllowed }
      throw Ending(
        .invalidParameter, because: .otherTypeInUse,
        log: "the account is in use, and nothing proves that it is this person's")
    }
    guard client.dialect == .fido else {
      throw Ending(.invalidParameter, because: .codesNotJudged, log: "the server cannot judge an enrolment code")
    }
    guard tools.server.isWordUnsigned, try tools.accounts.isInUse(account) else { return .wordAllowed }
    throw Ending(
      .invalidParameter, because: .codesNotSigned,
      log: "a code for an account in use, and server.require_signed_verdict is not set")
  }
}
