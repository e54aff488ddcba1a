import Authenticator
import FidoResults
import UAFClient
import UAFMessages

/// What allows a new key: an enrolment code, or a proof by another authenticator.
struct RegistrationWord {
  /// What the server is told.
  let authority: Authority
  /// The keys that have signed the proof, and that authorise the new ones; nil without a proof.
  var signed: SignedKeys?
  /// Whether a registered authenticator has verified the person just now, here and at the server.
  var isVerifiedHere = false

  /// The token of a fresh verification, and the keys that were verified.
  static func proof(_ token: String, by signed: SignedKeys) -> RegistrationWord {
    RegistrationWord(authority: .proof(token), signed: signed, isVerifiedHere: true)
  }

  /// Whether the server judges an enrolment code.
  var isCode: Bool {
    switch authority {
    case .code, .plainCode: true
    case .none, .proof: false
    }
  }

  /// Checks whether it may set a new value.
  ///
  /// For an account in use, a code counts only if the server judges it and signs its verdict. In the plain dialect a server may
  /// ignore the code, and a program that controls uaf-fetch may forge an unsigned answer: any text would then set a new value. An
  /// account without any value is treated as one that never registered. Where root himself asks, with uafctl, his word is enough;
  /// a login through a host with root is not root's word.
  ///
  /// - Throws: ``Ending`` where it may not.
  func judge(
    for account: AccountFile?, _ client: ClientSettings, _ tools: RegistrationTools
  ) throws(Ending) -> RegistrationEvent {
    let isRootsWord = tools.call.caller.isRoot && !tools.call.isLogin
    guard !isVerifiedHere, let account, !isRootsWord else { return .wordAllowed }
    guard isCode else {
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
