import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// The requests to and answers of the server in one registration, over one ``Network``.
struct RegistrationExchange {
  /// The server's current UAF request.
  private(set) var offer: RegistrationOffer?
  /// The further request that came with a verdict.
  private(set) var furtherOffer: AuthenticationOffer?
  /// The server's success.
  private(set) var acceptance: Acceptance?
  /// The ending, if something other than a request or a success arrived.
  private(set) var refusal: Ending?
  private var network: Network
  private var flow: any EnrolmentFlow
  private var further: (any LoginFlow)?
  private let question: any EnrolmentFlow
  private let permit: RegistrationPermit
  /// The account's name at the server, if it differs from its name here.
  private let otherName: String?

  /// - Parameters:
  ///   - joined: the machine secret that the server gave when this machine joined.
  ///   - lost: keys of this machine that are replaced. Keys of other machines are never sent.
  init(
    over network: Network, _ client: ClientSettings, for identity: AccountIdentity, with permit: RegistrationPermit,
    joined: MachineSecret?, replacing lost: [KeyID]
  ) {
    self.network = network
    self.permit = permit
    let username = identity.serverUserName
    otherName = Array(username.utf8) == identity.name ? nil : username
    question = client.registration(
      as: username, entitlement: permit.entitlement, joined: joined, lostKeyIDs: lost)
    flow = question
  }

  /// Asks the server for a request, and waits for it.
  mutating func ask(among types: [AuthenticatorType], _ keys: [RegisteredKey]) -> RegistrationEvent {
    flow = question
    let others = AuthenticatorType.allCases.filter { !types.contains($0) }
    do throws(Refusal) {
      try flow.start(over: &network)
      let offer = try flow.collect(
        over: &network, among: AuthenticatorDescription.all(of: types, keys: keys),
        besides: AuthenticatorDescription.all(of: others, keys: keys))
      self.offer = offer
      return .request(challenge: offer.challenge)
    } catch { return refused(permit.isCode ? Ending(judgingCode: error, named: otherName) : Ending(error)) }
  }

  /// Makes a key for each authenticator.
  mutating func makeKeys(with makers: inout [NewKeyMaker]) -> RegistrationEvent {
    do throws(Refusal) {
      for index in makers.indices { _ = try flow.makeKey(with: &makers[index]) }
    } catch { return refused(Ending(error)) }
    return .keysMade
  }

  /// Has a registered key authorise the new ones.
  mutating func authorize(with signer: consuming KeySigner) -> RegistrationEvent {
    do throws(Refusal) { try flow.authorize(with: &signer, describedBy: permit.signed?.described ?? []) } catch {
      return refused(Ending(error))
    }
    return .signed
  }

  /// Sends the keys, and waits for the verdict.
  mutating func sendKeys() -> RegistrationEvent {
    do throws(Refusal) {
      let verdict = try flow.send(over: &network)
      if verdict == .furtherRequest { further = flow.furtherAuthentication() }
      return heard(verdict)
    } catch { return refused(Ending(error)) }
  }

  /// Reads the further request.
  mutating func receive(among types: [AuthenticatorType], _ keys: [RegisteredKey]) -> RegistrationEvent {
    do throws(Refusal) {
      let offer = try further?.collect(over: &network, among: AuthenticatorDescription.all(of: types, keys: keys))
      furtherOffer = offer
      return .request(challenge: offer?.challenge ?? "")
    } catch { return refused(Ending(error)) }
  }

  /// Signs the further request.
  mutating func sign(with signer: consuming KeySigner) -> RegistrationEvent {
    do throws(Refusal) { try further?.sign(with: &signer) } catch { return refused(Ending(error)) }
    return .signed
  }

  /// Sends the signed response, and waits for the verdict.
  mutating func sendAnswer() -> RegistrationEvent {
    do throws(Refusal) {
      guard let verdict = try further?.send(over: &network) else { return .stopped }
      return heard(verdict)
    } catch { return refused(Ending(error)) }
  }

  private mutating func heard(_ verdict: Verdict) -> RegistrationEvent {
    guard case .accepted(let acceptance) = verdict else { return .furtherRequest }
    self.acceptance = acceptance
    return .accepted(challenge: acceptance.challenge)
  }

  private mutating func refused(_ ending: Ending) -> RegistrationEvent {
    refusal = ending
    return .refused(isCodeGood: ending.result == .noSuitableAuthenticator && !ending.server.hasSpoken)
  }
}
