import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Carries out the actions of ``LoginMachine`` for one authentication of an account, on this machine and at the server.
///
/// The request and the list of facets are fetched from the server while the person types. Nothing secret is sent before the
/// person's secrets are verified.
@safe final class LoginDriver {
  private let tools: AuthenticationTools
  private let held: AccountAuthenticators
  private let rules: LoginRules
  private var machine: LoginMachine
  private var exchange: LoginExchange
  private var signers: LoginSigners
  private var verdict: LoginVerdict
  /// The ending if the last action failed.
  private var stop = Ending.outOfTurn(in: "login")

  /// - Throws: ``Ending`` if no connection to the server can be prepared.
  init(
    _ tools: AuthenticationTools, _ held: AccountAuthenticators, _ client: ClientSettings, _ settings: ServerSettings,
    for purpose: LoginPurpose = .login
  ) throws(Ending) {
    self.tools = tools
    self.held = held
    let text = tools.prompter.confirmed
    rules = LoginRules(
      isApproval: purpose.isApproval, isDivided: purpose.isLogin && tools.call.begin.isDivided,
      takesServersText: client.takesServersTexts && text == nil, allowsOffline: tools.offline.isAllowed,
      hidesState: tools.hidesState,
      authenticators: held.types.count)
    machine = LoginMachine(rules)
    exchange = LoginExchange(
      over: try tools.server.network(settings, for: held.account, isForLogin: true), client, as: held.account,
      for: purpose, confirming: text, at: tools.now())
    signers = LoginSigners(held, tools)
    verdict = LoginVerdict(on: held, client, tools, isApproval: purpose.isApproval)
  }

  /// Verifies the person here, and then lets the server decide.
  ///
  /// - Throws: ``Ending``.
  func run() throws(Ending) -> Success {
    var event = LoginEvent.began
    while true {
      let action = machine.received(event)
      if case .finish(let end) = action { return try finish(end) }
      do throws(Ending) { event = try perform(action) } catch {
        stop = error
        event = .stopped
      }
    }
  }

  /// The keys that have signed, still open for further signatures.
  var signedKeys: SignedKeys { SignedKeys(held: held, keys: signers.signed, records: tools.keys) }

  private func perform(_ action: LoginAction) throws(Ending) -> LoginEvent {
    let prompter = tools.prompter
    switch action {
    case .sendQuestion(isFirst: true):
      guard rules.asksPersonFirst else { return exchange.ask(at: tools.now()) }
      // The prompt is sent first, so that it does not wait for the HTTP request, which takes 0.7 ms to make.
      prompter.onceAsked { [weak self] in self?.begin() }
      prompter.onceArrived(exchange.arrival { [weak self] in self?.exchange.receiveAhead() })
      return .questionSent
    case .sendQuestion(isFirst: false): return exchange.askAgain(confirming: prompter.confirmed, at: tools.now())
    case .receiveRequest: return exchange.receive(among: try signers.described(), at: tools.now())
    case .dropAnswer: return exchange.drop()
    case .takeText:
      prompter.confirm(exchange.text)
      return .textTaken
    case .awaitResume:
      try prompter.awaitResume(orLog: "cancelled before the prompt")
      return .resumed
    case .openFirst: return try signers.openFirst()
    case .openAny: return try signers.openAny()
    case .openWay: return try signers.openWay(of: exchange.offer)
    case .registerAnew: throw try tools.registerAgain(held)
    case .measureAge: return .age(isOld: exchange.isOld(at: tools.now()))
    case .checkFrontEnd: return prompter.isFrontEndGone ? .frontEndGone : .frontEndThere
    case .sign: return exchange.sign(with: try signers.next(for: exchange.offer))
    case .sendAnswer: return exchange.send()
    case .believe: return try verdict.believe(exchange.acceptance)
    case .judgeRefusal: return try verdict.judge(exchange.refusal)
    case .judgeLastYes: return try verdict.judgeLastYes(without: exchange.refusal)
    case .finish: throw .outOfTurn(in: "login")
    }
  }

  private func begin() { exchange.begin(at: tools.now()) }

  private func finish(_ end: LoginEnd) throws(Ending) -> Success {
    do throws(Ending) {
      switch end.outcome {
      case .accepted: return try verdict.accepted(exchange.acceptance, asked: signers.answered)
      case .acceptedOffline: return try verdict.acceptedOffline()
      case .refused: throw try verdict.refused(exchange.refusal)
      case .noRequest: throw .noRequest(exchange.refusal)
      case .stateIsOlder: throw verdict.ofOlderState
      case .stopped: throw stop
      case .frontEndGone: throw .frontEndGone
      case .answerUnused: throw .answerUnused
      case .outOfTurn: throw .outOfTurn(in: "login")
      }
    } catch {
      // Registering anew needs no earlier secret, and locks do not prevent it. So it does not count as a verification of the
      // person.
      throw end.standing.marked(error, hasProved: !held.opened.isEmpty)
    }
  }
}

/// The tools that an authentication uses.
struct AuthenticationTools {
  let call: Call
  let prompter: Prompter
  let accounts: AccountAccess
  let server: ServerAccess
  let keys: KeyRecords
  let opener: AuthenticatorOpener
  let offline: OfflineLogin
  let log: CallLog
  /// Whether the person must not be able to distinguish a wrong secret, a lock, an unregistered account and an unknown name.
  let hidesState: Bool
  let now: () -> BootTime
  /// Registers anew from the prompt, and returns how the call ends.
  let registerAgain: (AccountAuthenticators) throws(Ending) -> Ending
}

/// The authenticators of one login: lets the person open them, and prepares them to sign the request.
struct LoginSigners {
  /// A time that is certainly before the response was sent to which the verdict refers.
  private(set) var answered: BootTime?
  /// The keys that have signed the request.
  private(set) var signed: [RegisteredKey] = []
  private let held: AccountAuthenticators
  private let tools: AuthenticationTools
  /// The types that still have to sign the request.
  private var way: [AuthenticatorType] = []

  init(_ held: AccountAuthenticators, _ tools: AuthenticationTools) {
    self.held = held
    self.tools = tools
  }

  /// The descriptions with which the server's policy is compared.
  ///
  /// - Throws: ``Ending`` if the keys cannot be read.
  func described() throws(Ending) -> [AuthenticatorDescription] {
    AuthenticatorDescription.all(of: held.types, keys: try keys())
  }

  /// Prompts for the authenticator about which the person has no choice, if there is one, and opens it.
  ///
  /// - Throws: ``Ending``.
  func openFirst() throws(Ending) -> LoginEvent {
    guard let first = try tools.opener.firstType(of: held) else { return .leftToChoose }
    try tools.opener.openFirst(first, of: held)
    return .verified
  }

  /// Lets the person open any authenticator.
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
      held.sign(with: way)
      return .wayOpen(signatures: way.count)
    } catch {
      let leftOut = AuthenticatorType.all(named: offer.leftOut)
      // The server's request names keys of this account, but none of this type.
      let asked = held.named.map { [$0] } ?? held.opened.map(\.type)
      guard error.result == .noSuitableAuthenticator, asked.count == 1, let type = asked.first, leftOut.contains(type)
      else { throw error.forgetting(leftOut) }
      noteTaken(offer)
      // The request could also mean that the server does not accept this AAID. The stored status of the key tells which is the
      // case.
      let isGone = try tools.accounts.deadTypes(held.account).contains(type)
      throw error.saying(isGone ? .keyGone(type.kind) : .notAskedFor(type.kind)).forgetting(leftOut)
    }
  }

  /// Stores a type that the server's request names, so that the next login that can show only one prompt asks for this type.
  ///
  /// If that cannot be written, this login still ends the same way.
  private func noteTaken(_ offer: AuthenticationOffer) {
    let ways = AuthenticatorOpener.ways(offer.sets, among: held.types.filter(\.isTyped), named: nil)
    guard held.named == nil, let other = ways.first(where: { $0.count == 1 })?.first else { return }
    try? held.account.noteUse(of: other)
  }

  /// The key of the next authenticator, prepared for one signature.
  ///
  /// - Throws: ``Ending``.
  mutating func next(for offer: AuthenticationOffer?) throws(Ending) -> KeySigner {
    guard let offer, let type = way.first else { throw .outOfTurn(in: "login") }
    way.removeFirst()
    guard let key = offer.key(of: type, among: try keys()) else {
      throw Ending(
        .noSuitableAuthenticator, because: .keysNotHere, log: "the server asks for keys that are not on this machine")
    }
    guard let unlocked = held[type] else { throw Ending(.cannotUse, log: "the authenticator is not open") }
    signed.append(key)
    return try tools.keys.signer(key, held.account, unlocked)
  }

  private func keys() throws(Ending) -> [RegisteredKey] { try tools.accounts.keys(of: held.account) }
}

/// Handles the server's verdict on one login: what it means on this machine, and what is stored about it.
struct LoginVerdict {
  private let held: AccountAuthenticators
  private let client: ClientSettings
  private let tools: AuthenticationTools
  private let isApproval: Bool
  /// How many refusals the server had given before it was asked; nil if that is not needed or not known.
  private let refusalsBefore: UInt64?
  /// The ending if an older copy of this machine's state was restored; nil if that was not found.
  private var olderState: Ending?
  /// The success of a login without the server, which the server's last success allows; nil if it does not.
  private var offline: Success?

  init(on held: AccountAuthenticators, _ client: ClientSettings, _ tools: AuthenticationTools, isApproval: Bool) {
    self.held = held
    self.client = client
    self.tools = tools
    self.isApproval = isApproval
    refusalsBefore = tools.offline.refusals(of: held.account)
  }

  /// Checks whether the server's success meets the demands of root's configuration.
  ///
  /// - Throws: ``Ending``.
  func believe(_ acceptance: Acceptance?) throws(Ending) -> LoginEvent {
    guard let acceptance else { throw .outOfTurn(in: "login") }
    let believed = try tools.server.believe(acceptance)
    try tools.keys.noteAccepted(held.account, held.answering)
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

  /// Checks whether the server's last success still allows the login.
  ///
  /// - Throws: ``Ending`` if it does not.
  mutating func judgeLastYes(without refusal: Refusal?) throws(Ending) -> LoginEvent {
    offline = try tools.offline.withoutServer(try refused(refusal), held, try tools.server.terms(client.authentication))
    return .lastYesHolds
  }

  // MARK: The end

  /// The success of a login that the server has accepted.
  ///
  /// - Parameter asked: a time before the response was sent that the server accepted.
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

  /// The success of a login that the server's last success allows.
  ///
  /// - Throws: ``Ending``.
  func acceptedOffline() throws(Ending) -> Success {
    guard let offline else { throw .outOfTurn(in: "login") }
    return offline
  }

  /// The ending for the server's refusal; what it says about the keys is stored too.
  ///
  /// - Throws: ``Ending``.
  func refused(_ refusal: Refusal?) throws(Ending) -> Ending {
    guard let refusal else { throw .outOfTurn(in: "login") }
    let ending = try tools.keys.noted(refusal, held.account, held.answering)
    // If no authenticator has been opened yet, it is the code of the approval that the server refused.
    let isCodes = isApproval && held.opened.isEmpty && refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    return isCodes ? ending.saying(.cause(.approvalRefused)) : ending
  }

  /// The ending if an older copy of this machine's state was restored.
  var ofOlderState: Ending { olderState ?? .outOfTurn(in: "login") }
}
