import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

extension Session {
  /// Takes the code of a text that waits at the server for this account out of the payload, if one was given.
  ///
  /// - Throws: ``Ending`` (1001) for a payload of another operation, server, authority or account; 1100 after its time.
  func readApproval(of account: AccountFile, _ server: ServerSettings) throws(Ending) {
    guard begin.payload != nil else { return }
    let payload = try payload(.authentication)
    try requireTrusted(payload, server)
    guard payload.username == account.identity.serverUserName else {
      throw Ending(
        .invalidParameter, detail: "the payload is for another account than \(account.identity.serverUserName)",
        log: "payload of another account")
    }
    approvalCode = payload.authCode
  }

  /// Takes over the text of an approval, to be shown with the prompt.
  ///
  /// - Throws: ``Ending`` (1001) for another text than the one that was shown before.
  func takeText(of offer: AuthenticationOffer) throws(Ending) {
    guard approvalCode != nil, let text = offer.transaction else { return }
    guard transaction == nil || transaction == text else {
      var ending = Ending(.invalidParameter, log: "the server changed the text that was shown")
      ending.isServers = true
      throw ending
    }
    transaction = text
  }

  /// What a refusal means where a text was to be approved: of the code, nothing that would be known of the keys.
  func approvalRefusal(_ refusal: Refusal) -> Ending? {
    guard approvalCode != nil, refusal.serverStatus == UAFStatusCode.unauthorized.rawValue else { return nil }
    var ending = Ending(refusal)
    ending.detail = "the server does not accept the payload's code: ask for another payload"
    return ending
  }
}
