import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// The questions and answers of one login, over one ``Network``.
struct LoginExchange {
  /// The current request.
  private(set) var offer: AuthenticationOffer?
  /// What came instead of a request or a success.
  private(set) var refusal: Refusal?
  /// The server's success.
  private(set) var acceptance: Acceptance?
  private var network: Network
  private var flow: AuthenticationFlow
  private var asked: BootTime
  private var hasBegun = false
  /// Why the first question could not be sent.
  private var obstacle: Refusal?
  private let client: ClientSettings
  private let account: AccountFile
  private let purpose: LoginPurpose

  /// The longest time for which a request is used, whatever lifetime it names.
  private static let requestLifetimeNanoseconds: Int64 = 60_000_000_000

  /// - Parameter text: what the person confirms with the first question, which is not sent yet.
  init(
    over network: Network, _ client: ClientSettings, as account: AccountFile, for purpose: LoginPurpose,
    confirming text: TextToConfirm?, at now: BootTime
  ) {
    self.network = network
    self.client = client
    self.account = account
    self.purpose = purpose
    flow = purpose.question(client, account, confirming: text)
    asked = now
  }

  /// Sends the first question unless it was sent.
  ///
  /// A failure is reported when the request should be received, and that is not before the person has verified a value.
  mutating func begin(at now: BootTime) {
    if hasBegun { return }
    (hasBegun, asked) = (true, now)
    do throws(Refusal) { try flow.start(over: &network) } catch { obstacle = error }
  }

  /// Reads the answer to the first question early; it does not wait if the answer has come.
  mutating func receiveAhead() { flow.receive(over: &network) }

  /// The arrival that makes the answer to the first question be read while the person types.
  func arrival(_ work: @escaping () -> Void) -> Arrival? { network.arrival(work) }

  /// Sends the first question now.
  mutating func ask(at now: BootTime) -> LoginEvent {
    begin(at: now)
    if let obstacle = obstacle.take() { return refused(obstacle) }
    return .questionSent
  }

  /// Sends another question, which replaces the first.
  ///
  /// A new text of the server is refused: the person did not see it before entering the value.
  mutating func askAgain(confirming text: TextToConfirm?, at now: BootTime) -> LoginEvent {
    var client = client
    client.takesServersTexts = false
    flow = purpose.question(client, account, confirming: text)
    (asked, offer) = (now, nil)
    do throws(Refusal) { try flow.start(over: &network) } catch { return refused(error) }
    return .questionSent
  }

  /// Waits for the request.
  mutating func receive(among authenticators: [AuthenticatorDescription], at now: BootTime) -> LoginEvent {
    begin(at: now)
    if let obstacle = obstacle.take() { return refused(obstacle) }
    do throws(Refusal) {
      let offer = try flow.collect(over: &network, among: authenticators)
      self.offer = offer
      return .request(challenge: offer.challenge, hasText: offer.transaction != nil)
    } catch { return refused(error) }
  }

  /// Reads an answer that is no longer used; the event says whether there was one.
  mutating func drop() -> LoginEvent {
    guard hasBegun, obstacle.take() == nil else { return .dropped(isReached: false) }
    return .dropped(isReached: flow.drop(over: &network))
  }

  /// Whether too much time has passed since the request was asked for.
  func isOld(at now: BootTime) -> Bool {
    let age = now.nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    return age.overflow || age.partialValue > Self.requestLifetimeNanoseconds
  }

  /// The text that the server added to the request, in the form in which the person confirms it.
  var text: TextToConfirm? {
    offer?.transaction.map { TextToConfirm(text: $0, isServers: !purpose.isApproval) }
  }

  /// Signs the request.
  mutating func sign(with signer: consuming KeySigner) -> LoginEvent {
    do throws(Refusal) { try flow.sign(with: &signer) } catch { return refused(error) }
    return .signed
  }

  /// Sends what was signed, and waits for the verdict.
  mutating func send() -> LoginEvent {
    do throws(Refusal) {
      switch try flow.send(over: &network) {
      case .accepted(let acceptance):
        self.acceptance = acceptance
        return .accepted(challenge: acceptance.challenge)
      case .furtherRequest: return .furtherRequest
      }
    } catch { return refused(error) }
  }

  private mutating func refused(_ refusal: Refusal) -> LoginEvent {
    self.refusal = refusal
    return .refused(LoginRefusal(refusal))
  }
}

/// What the server's verdict on one login means here, and what is stored about it.
struct LoginVerdict {
  private let held: AccountAuthenticators
  private let client: ClientSettings
  private let tools: AuthenticationTools
  private let isApproval: Bool
  /// How often the server had refused before it was asked.
  private let refusalsBefore: UInt64?
  /// The ending if an older copy of this machine's state was restored.
  private var olderState: Ending?
  /// The success of a login that the server's last success allows.
  private var offline: Success?

  init(on held: AccountAuthenticators, _ client: ClientSettings, _ tools: AuthenticationTools, isApproval: Bool) {
    self.held = held
    self.client = client
    self.tools = tools
    self.isApproval = isApproval
    refusalsBefore = tools.offline.refusals(of: held.account)
  }

  /// Checks the server's success as root's configuration requires.
  ///
  /// - Throws: ``Ending``.
  func believe(_ acceptance: Acceptance?) throws(Ending) -> LoginEvent {
    guard let acceptance else { throw .outOfTurn(in: "login") }
    let believed = try tools.server.believe(acceptance)
    try tools.keys.noteAccepted(held.account, held.opened.map(\.type))
    tools.keys.note(believed.machineSecret, of: try tools.server.place(client.authentication), held.account)
    return .believed
  }

  /// Decides whether a refusal allows another attempt.
  ///
  /// - Throws: ``Ending``.
  mutating func judge(_ refusal: Refusal?) throws(Ending) -> LoginEvent {
    guard let refusal else { throw .outOfTurn(in: "login") }
    olderState = try tools.keys.olderState(refusal, held.account)
    guard olderState == nil else { return .judged(.stateIsOlder) }
    guard refusal.result == .requestNotExist, refusal.spokenByServer else { return .judged(.final) }
    return .judged(refusal.seenCounter == nil ? .expired : .overtaken)
  }

  /// Decides whether the server's last success is still valid.
  ///
  /// - Throws: ``Ending`` if it is not.
  mutating func judgeLastYes(without refusal: Refusal?) throws(Ending) -> LoginEvent {
    offline = try tools.offline.withoutServer(try refused(refusal), held, try tools.server.terms(client.authentication))
    return .lastYesHolds
  }

  // MARK: The end

  /// The success of a login that the server has accepted.
  ///
  /// - Parameter asked: a time before the answer was sent that the server accepted.
  /// - Throws: ``Ending``.
  func accepted(_ acceptance: Acceptance?, asked: BootTime?) throws(Ending) -> Success {
    guard let acceptance else { throw .outOfTurn(in: "login") }
    if let text = tools.prompter.confirmed, text.isServers { tools.log.write(.confirmed, text.text.shown) }
    if tools.offline.isAllowed {
      tools.offline.noteYes(
        asked: asked, since: refusalsBefore, held, try tools.server.terms(client.authentication))
    }
    return Success(token: acceptance.token, machineNews: acceptance.machineNews)
  }

  /// The result of a login that the server's last success allows.
  ///
  /// - Throws: ``Ending``.
  func acceptedOffline() throws(Ending) -> Success {
    guard let offline else { throw .outOfTurn(in: "login") }
    return offline
  }

  /// The ending for the server's refusal; what it says about the keys is stored first.
  ///
  /// - Throws: ``Ending``.
  func refused(_ refusal: Refusal?) throws(Ending) -> Ending {
    guard let refusal else { throw .outOfTurn(in: "login") }
    let ending = try tools.keys.noted(refusal, held.account, held.opened.map(\.type))
    // If nobody has been asked yet, the server refused the code of the approval.
    let isCodes = isApproval && held.opened.isEmpty && refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    return isCodes ? ending.saying(.cause(.approvalRefused)) : ending
  }

  /// The ending if an older copy of this machine's state was restored.
  var ofOlderState: Ending { olderState ?? .outOfTurn(in: "login") }
}

/// The authenticators of one login: lets the person open them, and makes them ready to sign the request.
struct LoginSigners {
  /// A time before the answer was sent that the verdict refers to.
  private(set) var answered: BootTime?
  /// The keys that have signed the request.
  private(set) var signed: [UAFKey] = []
  private let held: AccountAuthenticators
  private let tools: AuthenticationTools
  /// The types that have not yet signed the request.
  private var way: [AuthenticatorType] = []

  init(_ held: AccountAuthenticators, _ tools: AuthenticationTools) {
    self.held = held
    self.tools = tools
  }

  /// The descriptions that the server's policy is compared with.
  ///
  /// - Throws: ``Ending`` if the keys cannot be read.
  func described() throws(Ending) -> [AuthenticatorDescription] {
    AuthenticatorDescription.all(of: held.types, keys: try keys())
  }

  /// Opens the authenticator that is asked for without a choice, if there is one.
  ///
  /// - Throws: ``Ending``.
  func openFirst() throws(Ending) -> LoginEvent {
    guard let first = try tools.opener.firstType(of: held) else { return .leftToChoose }
    try tools.opener.openFirst(first, of: held)
    return .verified
  }

  /// Opens any authenticator.
  ///
  /// - Throws: ``Ending``.
  func openAny() throws(Ending) -> LoginEvent {
    if case .way = try tools.opener.openAny(of: held) { .verified } else { .registerAnewChosen }
  }

  /// Opens the authenticators that the request needs and that are not open yet.
  ///
  /// - Throws: ``Ending``.
  mutating func openWay(of offer: AuthenticationOffer?) throws(Ending) -> LoginEvent {
    guard let offer else { throw .outOfTurn(in: "login") }
    do throws(Ending) {
      guard case .way(let way) = try tools.opener.open(offer, held) else { return .registerAnewChosen }
      (self.way, answered, signed) = (way, tools.now(), [])
      return .wayOpen(signatures: way.count)
    } catch {
      let leftOut = AuthenticatorType.all(named: offer.leftOut)
      // The server names keys of this account, but none of this type.
      let asked = held.named.map { [$0] } ?? held.opened.map(\.type)
      guard error.result == .noSuitableAuthenticator, asked.count == 1, let type = asked.first, leftOut.contains(type)
      else { throw error.forgetting(leftOut) }
      noteTaken(offer)
      // The request alone could also mean that the server does not accept the model. The key's stored status decides.
      let isGone = try tools.accounts.deadTypes(held.account).contains(type)
      throw error.saying(isGone ? .keyGone(type.kind) : .notAskedFor(type.kind)).forgetting(leftOut)
    }
  }

  /// Makes the next login with one prompt ask for an authenticator that the server's request names.
  ///
  /// If that cannot be written, this login still ends the same way.
  private func noteTaken(_ offer: AuthenticationOffer) {
    let ways = AuthenticatorOpener.ways(offer.sets, among: held.types.filter(\.isTyped), named: nil)
    guard held.named == nil, let other = ways.first(where: { $0.count == 1 })?.first else { return }
    try? held.account.noteUse(of: other)
  }

  /// The next authenticator's key, ready for one signature.
  ///
  /// - Throws: ``Ending``.
  mutating func next(for offer: AuthenticationOffer?) throws(Ending) -> KeySigner {
    guard let offer, let type = way.first else { throw .outOfTurn(in: "login") }
    way.removeFirst()
    guard let key = offer.key(of: type, among: try keys()) else {
      throw Ending(
        .noSuitableAuthenticator, because: .keysNotHere,
        log: "the server asks for keys that are not on this machine")
    }
    guard let unlocked = held[type] else { throw Ending(.cannotUse, log: "the authenticator is not open") }
    signed.append(key)
    return try tools.keys.signer(key, held.account, unlocked)
  }

  private func keys() throws(Ending) -> [UAFKey] { try tools.accounts.keys(of: held.account) }
}
