import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// The authenticator this call is for.
  ///
  /// - Throws: ``Ending``: 1012 for a type nobody knows, 2002 where root has not enabled it, 1007 for one that is
  ///   not built yet.
  func chosenType() throws(Ending) -> AuthenticatorType {
    let named = begin.authenticator.map { String(decoding: $0, as: UTF8.self) }
    guard let wanted = named ?? arguments.authenticator ?? settings.authenticator else {
      guard configuration.authenticators.contains(.passcode) else {
        throw Ending(.noSuitableAuthenticator, log: "no authenticator that is built is enabled")
      }
      return .passcode
    }
    guard let type = AuthenticatorType(nameOrAAID: wanted) else {
      throw Ending(.invalidAuthenticatorType, log: "no such authenticator type")
    }
    guard configuration.authenticators.contains(where: { $0.rawValue == type.rawValue }) else {
      throw Ending(.noSuitableAuthenticator, log: "\(type.rawValue) is not in the configuration's authenticators")
    }
    guard type == .passcode else { throw Ending(.cannotUse, log: "\(type.rawValue) is not built yet") }
    return type
  }

  /// Whether the account has a value of this type.
  func isEnrolled(_ account: AccountFile, _ type: AuthenticatorType) throws(Ending) -> Bool {
    do throws(StateError) { return try account.authenticator(type) != nil } catch { throw Ending(error) }
  }

  func keys(of account: AccountFile) throws(Ending) -> [UAFKey] {
    do throws(StateError) { return try account.keys() } catch { throw Ending(error) }
  }

  /// Asks the server for a request; it travels while the person types.
  func startAuthentication(
    _ client: ClientSettings, _ account: AccountFile, proving purpose: UAFMessages.Operation?,
    over network: inout Network
  ) throws(Ending) -> AuthenticationFlow {
    var flow = AuthenticationFlow(
      settings: client, username: account.identity.serverUserName, transaction: transaction, proofFor: purpose)
    do throws(Refusal) { try flow.start(over: &network) } catch { throw Ending(error) }
    return flow
  }

  /// For accounts that are not there: the same request leaves the machine.
  func startInVain(_ client: ClientSettings, _ server: ServerSettings) throws(Ending) {
    var network = try self.network(server)
    let name = caller.typedName.flatMap { try? serverUserName($0, server) } ?? "unknown"
    var flow = AuthenticationFlow(settings: client, username: name, transaction: transaction)
    do throws(Refusal) { try flow.start(over: &network) } catch { throw Ending(error) }
    vainNetwork = network
  }

  /// Takes the server's request, signs it with the key it names, and hears the verdict; again for each further request
  /// that the server answers with.
  ///
  /// - Parameters:
  ///   - keys: the keys to choose among, the favourite last.
  ///   - signer: makes a key ready for one signature.
  /// - Returns: the server's token or refusal.
  /// - Throws: ``Ending`` for what failed here.
  func answer(
    _ flow: inout AuthenticationFlow, _ type: AuthenticatorType, _ keys: [UAFKey], over network: inout Network,
    signer: (UAFKey) throws(Ending) -> KeySigner
  ) throws(Ending) -> Result<Acceptance, Refusal> {
    while true {
      let offer: AuthenticationOffer
      do throws(Refusal) { offer = try flow.collect(over: &network, among: descriptions([type], keys: keys)) } catch {
        return .failure(error)
      }
      let named = offer.sets.first { $0.count == 1 }?.first?.keyIDs.map(\.bytes) ?? []
      guard let key = keys.last(where: { named.contains($0.keyID) && $0.appID == offer.appID }) else {
        throw Ending(.noSuitableAuthenticator, log: "the server asks for keys that are not here")
      }
      var signer = try signer(key)
      do throws(Refusal) {
        try flow.sign(with: &signer)
        // The flow ends by itself what a server would go on with for ever.
        if case .accepted(let acceptance) = try flow.send(over: &network) { return .success(acceptance) }
      } catch { return .failure(error) }
    }
  }

  /// The same with the keys of an account.
  func answer(
    _ flow: inout AuthenticationFlow, _ account: AccountFile, _ unlocked: UnlockedAuthenticatorBox,
    over network: inout Network
  ) throws(Ending) -> Result<Acceptance, Refusal> {
    let keys = try keys(of: account)
    return try answer(&flow, unlocked.type, keys, over: &network) { (key) throws(Ending) in
      try signer(key, account, unlocked)
    }
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

  /// The ending for a refusal, after what the server said of the key was noted.
  func noted(
    _ refusal: Refusal, _ account: AccountFile, _ type: AuthenticatorType
  ) throws(Ending) -> Ending {
    if refusal.spokenByServer, let status = refusal.serverStatus {
      for key in try keys(of: account) where key.type == type {
        do throws(StateError) { try account.mark(key.keyID, serverStatus: status) } catch {
          log("state", "the server's status \(status) could not be noted: \(error)", .warning)
        }
      }
    }
    return Ending(refusal)
  }
}
