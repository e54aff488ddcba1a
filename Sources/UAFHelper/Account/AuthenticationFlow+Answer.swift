import Authenticator
import FidoResults
import UAFClient
import UAFMessages

extension AuthenticationFlow {
  /// Signs a request with a key of each authenticator of a way, and hears the verdict.
  ///
  /// - Parameters:
  ///   - keys: the keys to choose among, the favourite last.
  ///   - prompter: who waits for it: nothing is signed or sent for a front end that is gone.
  ///   - signer: makes a key ready for one signature.
  /// - Returns: the server's verdict or refusal.
  /// - Throws: ``Ending`` for what failed here.
  mutating func answer(
    _ offer: AuthenticationOffer, _ way: [AuthenticatorType], _ keys: [UAFKey], over network: inout Network,
    for prompter: Prompter, signer: (UAFKey) throws(Ending) -> KeySigner
  ) throws(Ending) -> Result<Verdict, Refusal> {
    let named = offer.sets.joined().flatMap { $0.keyIDs.map(\.bytes) }
    for type in way {
      let fitting = keys.last { $0.type == type && $0.appID == offer.appID && named.contains($0.keyID) }
      guard let key = fitting else {
        throw Ending(.noSuitableAuthenticator, because: .keysNotHere, log: "the server asks for keys that are not here")
      }
      try prompter.requireFrontEnd()
      var signer = try signer(key)
      do throws(Refusal) { try sign(with: &signer) } catch { return .failure(error) }
    }
    try prompter.requireFrontEnd()
    do throws(Refusal) { return .success(try send(over: &network)) } catch { return .failure(error) }
  }
}
