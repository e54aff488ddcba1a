import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFWire

/// Carries out the actions of ``LoginMachine`` for one authentication of an account, here and at the server.
///
/// The server is asked for its request and its list of facets while the person types. Nothing secret is sent before the values
/// are verified.
@safe final class LoginDriver {
  private let tools: AuthenticationTools
  private let held: AccountAuthenticators
  private let rules: LoginRules
  private var machine: LoginMachine
  private var exchange: LoginExchange
  private var signers: LoginSigners
  private var verdict: LoginVerdict
  /// Why an action failed.
  private var stop = Ending.outOfTurn(in: "login")

  /// - Throws: ``Ending`` if there is no way to the server.
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
      // The prompt comes first: making the question takes 0.7 ms.
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
      // Registering anew does not ask for the earlier value, and locks do not stop it. So the person does not count as verified.
      throw end.standing.marked(error, hasProved: !held.opened.isEmpty)
    }
  }
}

/// A login, in which the person is verified first here, then at the server.
struct LoginOperation: CallOperation {
  let account: LoginAccount
  let authentication: AuthenticationTools
  /// The machine's name, which a text to be confirmed contains.
  let hostName: String

  func run() throws(Ending) -> Success {
    let server = authentication.server
    let settings = try server.settings()
    let client = try server.clientSettings(settings)
    let held = try account.find(client, settings)
    try takeOwnText(of: held.account)
    let driver = try LoginDriver(authentication, held, client, settings)
    return try account.finish(try driver.run(), held)
  }

  /// Sets the text that a peer that is not root wants to have confirmed.
  ///
  /// The account's name in it is known only now.
  private func takeOwnText(of account: AccountFile) throws(Ending) {
    let call = authentication.call
    guard call.begin.transaction != nil, authentication.prompter.confirmed == nil else { return }
    let source = TransactionSource(call.begin, call.caller, hostName: hostName, account: account.identity.name)
    authentication.prompter.confirm(TextToConfirm(text: try source.text(in: authentication.server.charset)))
  }
}

/// The steps of a login before the request is answered.
enum LoginPreparation: Hashable {
  /// The text of an approval must have come before the person is asked.
  case approvalText
  /// A text that the server may add must have come.
  case serversText
  /// The request must have come before the pause, so that there is no waiting after it.
  case request
  /// The front end says when to continue.
  case pause
  /// The value that is asked for without a choice.
  case firstValue

  /// Whether this step waits for the request.
  var needsRequest: Bool { self != .pause && self != .firstValue }

  /// The steps of this login, in their order.
  static func all(under rules: LoginRules) -> [LoginPreparation] {
    if rules.isApproval { return [.approvalText, .firstValue] }
    let text: [LoginPreparation] = rules.takesServersText ? [.serversText] : []
    let pause: [LoginPreparation] = rules.isDivided ? [.request, .pause] : []
    return text + pause + [.firstValue]
  }
}

/// How a login ended, and what had happened before.
struct LoginEnd: Hashable {
  /// The possible outcomes.
  enum Outcome: Hashable {
    /// The person was verified here, and the server accepted the answer.
    case accepted
    /// The person was verified here, and the server's last success is still valid.
    case acceptedOffline
    /// The server refused, or was not reached.
    case refused
    /// There is no request, and the front end must know of one before anybody is asked.
    case noRequest
    /// An older copy of this machine's state was restored.
    case stateIsOlder
    /// The last action failed.
    case stopped
    /// The front end went away: nothing more was signed or sent.
    case frontEndGone
    /// The front end went away after an answer was sent.
    case answerUnused
    /// An event came that does not fit the last action.
    case outOfTurn
  }

  let outcome: Outcome
  /// What had happened before the end.
  let standing: LoginStanding
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
  /// Whether wrong, locked, unregistered and unknown must look alike.
  let hidesState: Bool
  let now: () -> BootTime
  /// Registers anew from the prompt, and says how the call ends.
  let registerAgain: (AccountAuthenticators) throws(Ending) -> Ending
}
