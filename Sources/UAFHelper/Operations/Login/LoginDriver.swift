import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Does what ``LoginMachine`` says, for one authentication of an account, here and at the server.
///
/// The server's request travels while the person types; nothing secret leaves before the values were verified.
@safe final class LoginDriver {
  private let tools: AuthenticationTools
  private let held: AccountAuthenticators
  private let client: ClientSettings
  private let purpose: LoginPurpose
  private var machine: LoginMachine
  private var exchange: LoginExchange
  /// The authenticators that are to sign the request.
  private var way: [AuthenticatorType] = []
  /// When the answer was asked for that the verdict refers to.
  private var answered: BootTime?
  /// How often the server had refused before it was asked.
  private let refusalsBefore: UInt64?
  /// Why an action could not be done.
  private var stop = outOfTurn
  /// A login by the server's last yes.
  private var offline: Success?

  private static var outOfTurn: Ending { Ending(.cannotUse, log: "something came that the login did not ask for") }

  /// - Throws: ``Ending`` where there is no way to the server.
  init(
    _ tools: AuthenticationTools, _ held: AccountAuthenticators, _ client: ClientSettings, _ settings: ServerSettings,
    for purpose: LoginPurpose = .login
  ) throws(Ending) {
    self.tools = tools
    self.held = held
    self.client = client
    self.purpose = purpose
    let text = tools.prompter.confirmed
    machine = LoginMachine(
      LoginRules(
        isApproval: purpose.isApproval, isDivided: purpose.isLogin && tools.call.begin.isDivided,
        takesServersText: client.takesServersTexts && text == nil, allowsOffline: tools.offline.isAllowed,
        authenticators: held.types.count))
    exchange = LoginExchange(
      over: try tools.server.network(settings, isForLogin: true),
      first: purpose.question(client, held.account, confirming: text), at: tools.now())
    refusalsBefore = tools.offline.refusals(of: held.account)
  }

  /// Has the person prove to be who they say, and the server decide.
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

  // MARK: Actions

  private func perform(_ action: LoginAction) throws(Ending) -> LoginEvent {
    switch action {
    case .sendQuestion(isFirst: true): exchange.ask(at: tools.now())
    case .sendQuestion(isFirst: false): exchange.ask(anew: question(), at: tools.now())
    case .receiveRequest: exchange.receive(among: AuthenticatorDescription.all(of: held.types, keys: try keys()))
    case .dropAnswer: exchange.drop()
    case .takeText: takeText()
    case .awaitResume: try awaitResume()
    case .openFirst: try openFirst()
    case .openAny: try opened(tools.opener.openAny(of: held))
    case .openWay: try openWay()
    case .registerAnew: throw try tools.registerAgain(held)
    case .measureAge: .age(isOld: exchange.isOld(at: tools.now()))
    case .checkFrontEnd: tools.prompter.isFrontEndGone ? .frontEndGone : .frontEndThere
    case .sign: try sign()
    case .sendAnswer: exchange.send()
    case .believe: try believe()
    case .judgeRefusal: try judgeRefusal()
    case .judgeLastYes: try judgeLastYes()
    case .finish: throw Self.outOfTurn
    }
  }

  private func keys() throws(Ending) -> [UAFKey] { try tools.accounts.keys(of: held.account) }

  /// A question in place of an earlier one: a text that was not shown before the value was entered is taken no more.
  private func question() -> AuthenticationFlow {
    var client = client
    client.takesServersTexts = false
    return purpose.question(client, held.account, confirming: tools.prompter.confirmed)
  }

  private func takeText() -> LoginEvent {
    tools.prompter.confirm(
      exchange.offer?.transaction.map { ConfirmedText(text: $0, isServers: !purpose.isApproval) })
    return .textTaken
  }

  private func awaitResume() throws(Ending) -> LoginEvent {
    try tools.prompter.awaitResume(orLog: "cancelled before the prompt")
    return .resumed
  }

  private func openFirst() throws(Ending) -> LoginEvent {
    guard let first = try tools.opener.firstType(of: held) else { return .leftToChoose }
    try tools.opener.openFirst(first, of: held)
    return .verified
  }

  private func opened(_ opened: AuthenticatorOpener.Opened) -> LoginEvent {
    if case .way = opened { .verified } else { .registerAnewChosen }
  }

  private func openWay() throws(Ending) -> LoginEvent {
    guard let offer = exchange.offer else { throw Self.outOfTurn }
    do throws(Ending) {
      guard case .way(let way) = try tools.opener.open(offer, held) else { return .registerAnewChosen }
      (self.way, answered) = (way, tools.now())
      return .wayOpen(signatures: way.count)
    } catch {
      var ending = error
      ending.forgottenTypes = AuthenticatorType.all(named: offer.leftOut)
      throw ending
    }
  }

  private func sign() throws(Ending) -> LoginEvent {
    guard let offer = exchange.offer, let type = way.first else { throw Self.outOfTurn }
    way.removeFirst()
    guard let key = offer.key(of: type, among: try keys()) else {
      throw Ending(.noSuitableAuthenticator, because: .keysNotHere, log: "the server asks for keys that are not here")
    }
    guard let unlocked = held[type] else { throw Ending(.cannotUse, log: "the authenticator is not open") }
    return exchange.sign(with: try tools.keys.signer(key, held.account, unlocked))
  }

  private func believe() throws(Ending) -> LoginEvent {
    guard let acceptance = exchange.acceptance else { throw Self.outOfTurn }
    _ = try tools.server.believe(acceptance)
    try tools.keys.noteAccepted(held.account, held.opened.map(\.type))
    return .believed
  }

  private func judgeRefusal() throws(Ending) -> LoginEvent {
    guard let refusal = exchange.refusal else { throw Self.outOfTurn }
    if let ending = try tools.keys.olderState(refusal, held.account) {
      stop = ending
      return .judged(.stateIsOlder)
    }
    guard refusal.result == .requestNotExist, refusal.spokenByServer else { return .judged(.final) }
    return .judged(refusal.seenCounter == nil ? .expired : .overtaken)
  }

  private func judgeLastYes() throws(Ending) -> LoginEvent {
    offline = try tools.offline.withoutServer(try refused(), held, try tools.offline.terms(client))
    return .lastYesHolds
  }

  // MARK: The end

  private func finish(_ end: LoginEnd) throws(Ending) -> Success {
    do throws(Ending) {
      switch end.outcome {
      case .accepted: return try accepted()
      case .acceptedOffline:
        guard let offline else { throw Self.outOfTurn }
        return offline
      case .refused: throw try refused()
      case .stateIsOlder, .stopped: throw stop
      case .frontEndGone: throw .frontEndGone
      case .answerUnused: throw .answerUnused
      case .outOfTurn: throw Self.outOfTurn
      }
    } catch {
      // Registering anew asks for no known value, and locks do not stop it: it proves nothing.
      throw end.standing.marked(error, hasProved: !held.opened.isEmpty)
    }
  }

  private func accepted() throws(Ending) -> Success {
    guard let acceptance = exchange.acceptance else { throw Self.outOfTurn }
    if let text = tools.prompter.confirmed, text.isServers { tools.log.write(.confirmed, text.text.shown) }
    if tools.offline.isAllowed {
      tools.offline.noteYes(asked: answered, since: refusalsBefore, held, try tools.offline.terms(client))
    }
    return Success(token: acceptance.token)
  }

  /// The ending for the server's refusal, after what it says of the keys was noted.
  private func refused() throws(Ending) -> Ending {
    guard let refusal = exchange.refusal else { throw Self.outOfTurn }
    var ending = try tools.keys.noted(refusal, held.account, held.opened.map(\.type))
    // Before anybody was asked, it is the code of the approval that was refused.
    if purpose.isApproval, held.opened.isEmpty, refusal.serverStatus == UAFStatusCode.unauthorized.rawValue {
      ending.text = .cause(.approvalRefused)
    }
    return ending
  }
}
