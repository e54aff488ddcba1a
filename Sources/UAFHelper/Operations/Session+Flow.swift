import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// Asks the server for a request; it travels while the person types.
  func startAuthentication(
    _ client: ClientSettings, _ account: AccountFile, for purpose: AuthenticationRun.Purpose,
    over network: inout Network
  ) throws(Ending) -> AuthenticationFlow {
    let name = account.identity.serverUserName
    var flow =
      switch purpose {
      case .login:
        AuthenticationFlow(
          settings: client, username: name, transaction: transaction, isServers: isTransactionServers)
      case .proof(let operation):
        AuthenticationFlow(
          settings: client, username: name, transaction: transaction, isServers: isTransactionServers,
          proofFor: operation)
      case .approval(let code): AuthenticationFlow(settings: client, username: name, approving: code)
      }
    do throws(Refusal) { try flow.start(over: &network) } catch { throw Ending(error) }
    return flow
  }

  /// For accounts that are not there: the same request leaves the machine.
  func startInVain(_ client: ClientSettings, _ server: ServerSettings) throws(Ending) {
    var network = try self.network(server, isForLogin: true)
    let name = caller.typedName.flatMap { try? serverUserName($0, server) } ?? "unknown"
    var flow = AuthenticationFlow(settings: client, username: name, transaction: transaction)
    do throws(Refusal) { try flow.start(over: &network) } catch { throw Ending(error) }
    vainNetwork = network
    vainFlow = flow
  }

  /// Takes a text that the server adds, where root lets it, for an account that is not there.
  ///
  /// - Returns: whether the server's answer was waited for.
  func takeVainText() -> Bool {
    guard let isAwaited = try? server().acceptedTransactions == .any, isAwaited, transaction == nil,
      var network = vainNetwork.take()
    else { return false }
    transaction = vainFlow?.text(over: &network)
    vainNetwork = network
    return true
  }

  /// Signs a request with a key of each authenticator of a way, and hears the verdict.
  ///
  /// - Parameters:
  ///   - keys: the keys to choose among, the favourite last.
  ///   - signer: makes a key ready for one signature.
  /// - Returns: the server's verdict or refusal.
  /// - Throws: ``Ending`` for what failed here.
  func answer(
    _ flow: inout AuthenticationFlow, _ offer: AuthenticationOffer, _ way: [AuthenticatorType], _ keys: [UAFKey],
    over network: inout Network, signer: (UAFKey) throws(Ending) -> KeySigner
  ) throws(Ending) -> Result<Verdict, Refusal> {
    let named = offer.sets.joined().flatMap { $0.keyIDs.map(\.bytes) }
    for type in way {
      let fitting = keys.last { $0.type == type && $0.appID == offer.appID && named.contains($0.keyID) }
      guard let key = fitting else {
        throw Ending(.noSuitableAuthenticator, because: .keysNotHere, log: "the server asks for keys that are not here")
      }
      try requireFrontEnd()
      var signer = try signer(key)
      do throws(Refusal) { try flow.sign(with: &signer) } catch { return .failure(error) }
    }
    try requireFrontEnd()
    do throws(Refusal) { return .success(try flow.send(over: &network)) } catch { return .failure(error) }
  }

  /// The key with its next counter, on disk before anything is signed with it.
  func signer(
    _ key: UAFKey, _ account: AccountFile, _ unlocked: UnlockedAuthenticatorBox
  ) throws(Ending) -> KeySigner {
    do {
      let counter = try account.nextSignCounter(key.keyID)
      return try KeySigner(key, counter: counter, nonce: RandomBytes.make(16), unlocked: unlocked)
    } catch let error as StateError { throw Ending(error) } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// Takes back what was noted of keys that the server has just accepted; a login does not fail for it.
  func noteAccepted(_ account: AccountFile, _ types: [AuthenticatorType]) throws(Ending) {
    let refused = try keys(of: account).filter { $0.serverStatus != 0 }.map(\.type)
    try note(0, of: types.filter(refused.contains), account)
  }

  /// The ending where the server has seen a signature that this state folder never made: an older copy was put back.
  ///
  /// No second try helps. The counter is not caught up with, because what was counted and locked in between is lost here too.
  /// Nil where another login of this person was merely faster: its counter stands here as well.
  func olderState(_ refusal: Refusal, _ account: AccountFile) throws(Ending) -> Ending? {
    guard let seen = refusal.seenCounter,
      let key = try keys(of: account).first(where: { $0.keyID == seen.keyID.bytes }), key.signCounter < seen.signCounter
    else { return nil }
    var ending = try noted(refusal, account, [key.type])
    ending.text = .stateIsOlder(user: shownName)
    ending.log =
      "the server has seen signature \(seen.signCounter) of the key, and this state folder counts \(key.signCounter): an older "
      + "copy was put back; 'uafctl reset', then register again"
    return ending
  }

  /// The ending for a refusal, after what the server said of the key was noted.
  func noted(
    _ refusal: Refusal, _ account: AccountFile, _ types: [AuthenticatorType]
  ) throws(Ending) -> Ending {
    var ending = Ending(refusal)
    if refusal.spokenByServer, let status = refusal.serverStatus {
      try note(status, of: types, account)
    } else if !types.isEmpty {
      // A request that names other keys of a model is how a server asks that has none of this machine's.
      try note(UAFStatusCode.unknownKeyID.rawValue, of: ending.forgottenTypes, account)
    }
    // With several signatures it is not told whose key it was.
    if refusal.serverStatus == UAFStatusCode.unknownKeyID.rawValue, types.count == 1 { ending.forgottenTypes = types }
    return ending
  }

  /// Notes the server's status of the keys of some types; a login does not fail for it.
  private func note(_ status: UInt32, of types: [AuthenticatorType], _ account: AccountFile) throws(Ending) {
    for key in try keys(of: account) where types.contains(key.type) {
      do throws(StateError) { try account.mark(key.keyID, serverStatus: status) } catch {
        log(.state, "the server's status \(status) could not be noted: \(error)", .warning)
      }
    }
  }
}
