import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// How an operation ended without success: the result, the text for the person, and the text for the log.
struct Ending: Error {
  /// The result.
  private(set) var result: FidoResult
  /// The text for the person in place of the result's own.
  let text: PromptText?
  /// The text in place of both: for administrators only (`uafctl` as root).
  let detail: RootText?
  /// What the log says beside the result: never a value, a key or a token.
  let log: String
  /// What the entry was for, where one was checked or refused.
  let types: [AuthenticatorType]
  /// What the server contributed to it.
  private(set) var server: ServerPart
  /// What is special about it; nil for most.
  private(set) var circumstance: Circumstance?
  /// Whether the person has entered a correct value: without that, no stack goes on because the server is away.
  private(set) var hasProved = false

  /// An ending.
  init(
    _ result: FidoResult, text: PromptText? = nil, detail: RootText? = nil, log: String,
    types: [AuthenticatorType] = [], server: ServerPart = ServerPart(), _ circumstance: Circumstance? = nil
  ) {
    self.result = result
    self.text = text
    self.detail = detail
    self.log = log
    self.types = types
    self.server = server
    self.circumstance = circumstance
  }

  /// An ending whose cause decides the text for the person.
  init(_ result: FidoResult, because cause: EndCause, log: String, server: ServerPart = ServerPart()) {
    self.init(result, text: .cause(cause), log: log, server: server)
  }

  /// Root's configuration, or an argument of the module, cannot be used: 1001, PAM_SERVICE_ERR.
  ///
  /// - Parameter isRoots: false where the machine could not read it, which others can cause: 1007, PAM_SYSTEM_ERR.
  static func configuration(_ log: String, detail: RootText? = nil, isRoots: Bool = true) -> Ending {
    Ending(
      isRoots ? .invalidParameter : .cannotUse, text: .configurationError, detail: detail, log: log,
      isRoots ? .rootsFault : nil)
  }

  /// The front end went away, and nobody waits for the result.
  static var frontEndGone: Ending {
    Ending(.applicationCancel, log: "the front end went away: nothing more was signed or sent")
  }

  /// The front end went away after an answer was sent, which the server may have accepted.
  static var answerUnused: Ending {
    Ending(
      .applicationCancel, log: "the front end went away: the answer was sent, and is of no use", .unusedAnswer)
  }

  /// A divided login without the server's request, before anybody was asked: 1100, whatever the reason.
  static func noRequest(_ refusal: Refusal?) -> Ending {
    Ending(
      .requestNotExist, because: .noRequest,
      log: "no request of the server's to be ready with: \(refusal?.detail ?? "none came")")
  }

  /// Something came that the operation did not ask for.
  static func outOfTurn(in operation: String) -> Ending {
    Ending(.cannotUse, log: "something came that the \(operation) did not ask for")
  }

  /// The event that the log has beside the ending; nil for most.
  var incident: LogEvent? {
    switch circumstance {
    case .damage, .renamed: .damaged
    case .overreach: .peer
    default: text == .configurationError || text == .serverNameChanged ? .configuration : nil
    }
  }

  /// The text for root's uafctl, where the other one says too little.
  var forRoot: RootText? {
    switch circumstance {
    case .damage(let text), .renamed(let text), .serverNameChanged(let text), .serverNameTaken(let text): text
    default: nil
    }
  }

  /// Whether it shows that the account is registered here.
  var showsRegistration: Bool {
    if case .renamed = circumstance { return true }
    return [.locked, .lockedForGood, .notRegistered, .wrongValue].contains(result)
  }

  /// The text for a person's uafctl, where the one for logins would mislead: no unlock mends a damaged file.
  var forTool: PromptText? {
    if case .damage = circumstance { .cause(.accountDamaged) } else { text }
  }

  // MARK: The same ending, with more known

  /// With another text for the person, and if need be for the log.
  func saying(_ text: PromptText?, log: String? = nil) -> Ending {
    var ending = Ending(
      result, text: text, detail: detail, log: log ?? self.log, types: types, server: server, circumstance)
    ending.hasProved = hasProved
    return ending
  }

  /// As 7011, because the time of the call is over.
  func outOfTime(after limit: Duration) -> Ending {
    var ending = adding("the call took longer than its timeout of \(limit.components.seconds) s")
    ending.result = .systemCancel
    return ending
  }

  /// With more for the log.
  func adding(_ log: String) -> Ending { saying(text, log: "\(self.log); \(log)") }

  /// With the authenticators whose keys the server does not know.
  func forgetting(_ types: [AuthenticatorType]) -> Ending {
    var ending = self
    ending.server.forgottenTypes = types
    return ending
  }

  /// With what had happened in the operation by then.
  ///
  /// - Parameters:
  ///   - isReached: whether the server, or something at its address, was reached.
  ///   - isRefused: whether the server answered with anything but a success.
  ///   - hasProved: whether a value was verified.
  ///   - wasAsked: whether the person was asked for anything.
  func after(isReached: Bool, isRefused: Bool, hasProved: Bool, wasAsked: Bool) -> Ending {
    var ending = self
    // A server that answered earlier in this call is not away, even if a later request fails.
    ending.server.handshakeCompleted = server.handshakeCompleted || isReached
    ending.server.hasRefused = server.hasRefused || isRefused
    ending.hasProved = hasProved
    // Once somebody was asked, no stack may go on as if there were nothing to ask for.
    if wasAsked, circumstance == .neverRegistered || circumstance == .nothingToChange { ending.circumstance = nil }
    return ending
  }

  // MARK: What is told

  /// The text for the person, and what to do next.
  ///
  /// The next step belongs to the text: one result has several texts.
  ///
  /// - Parameter codes: who may set a new value by a code.
  func told(in language: Language, codes: CodeUse = .persons) -> (text: String, nextStep: String?) {
    // A detail for administrators says what to do.
    if let detail { return (detail.text(in: language), nil) }
    guard let text else { return (result.text(in: language), result.nextStep(in: language, codes: codes)) }
    return (text.text(in: language, codes: codes), text.nextStep(in: language, codes: codes))
  }

  /// The same as it goes to a front end: uafctl shows the second line as a hint.
  ///
  /// A PAM host says "try again" by itself, so it gets the next step only with a cause, or with the result's own text.
  func told(in language: Language, toTool isTool: Bool, codes: CodeUse = .persons) -> String {
    let (told, nextStep) = (isTool ? saying(forTool) : self).told(in: language, codes: codes)
    guard let nextStep else { return told }
    if isTool { return "\(told)\n\(nextStep)" }
    if case .cause = text { return "\(told) \(nextStep)" }
    return text == nil ? "\(told) \(nextStep)" : told
  }
}

/// How an operation ended with success.
struct Success {
  /// The result.
  var result = FidoResult.success
  /// The text for the person; nil for none.
  var text: PromptText?
  /// The text in its place, for administrators.
  var detail: RootText?
  /// Whether today's rules would refuse the value that was verified.
  var valueIsStale = false
  /// What the person has verified.
  var types: [AuthenticatorType] = []
  /// How old the server's last success is, where this is a login without the server.
  var offlineAge: Duration?
  /// The server's token, which is secret.
  var token: String?
  /// The number of the server's news for machines that have joined it; nil for none.
  var machineNews: Int64?
  /// The JSON document of *status* or *check-in*.
  var document: String?
}

/// What is special about an ending.
///
/// No ending has two of these.
enum Circumstance: Equatable {
  /// Root's configuration or module arguments are wrong.
  ///
  /// Nothing else gives PAM_SERVICE_ERR.
  case rootsFault
  /// A file of the state is damaged, edited, or of another account, in this way.
  case damage(RootText)
  /// The account has another name than it was registered under, in this way.
  case renamed(RootText)
  /// Root has changed the account's name at the server, in this way.
  case serverNameChanged(RootText)
  /// Another account of this machine is registered under the account's name at the server, in this way.
  case serverNameTaken(RootText)
  /// A peer has asked for what it may not ask for. The name is the peer's own, or its number in digits.
  case overreach(peer: UInt32, name: [UInt8])
  /// An answer was sent for a front end that was gone by then: the server may have accepted it.
  case unusedAnswer
  /// The person denied what was to be approved.
  case denial
  /// Nothing was ever registered for the account here.
  ///
  /// It affects only `nouserok`.
  case neverRegistered
  /// The account has nothing to change here, so that the stack's other modules go on by themselves.
  case nothingToChange
}

/// What the server contributed to an ending.
struct ServerPart {
  /// Whether the server must not be reported as away, see ``Refusal/handshakeCompleted``.
  ///
  /// It affects only the code of 4001.
  var handshakeCompleted = true
  /// Whether the ending states what the server said.
  var hasSpoken = false
  /// Whether the server answered with anything but a success.
  ///
  /// From then on no login succeeds without the server.
  var hasRefused = false
  /// Whether it forbade the account what it asked for (1403), as it does while an account is disabled or locked.
  var hasForbidden = false
  /// The authenticators whose keys the server does not know.
  var forgottenTypes: [AuthenticatorType] = []
}

/// What came in place of a request or a success, as far as the order of a login depends on it.
enum LoginRefusal: Hashable, CaseIterable {
  /// The server answered, and the answer was not a success.
  case no
  /// No server was reached.
  case silence
  /// The server, or something at its address, was reached, and gave no answer that counts.
  case brokenOff
  /// The cause is on this machine, and no server was reached.
  case local

  /// The refusal of a flow.
  init(_ refusal: Refusal) {
    if refusal.isServersNo {
      self = .no
    } else if refusal.handshakeCompleted {
      self = .brokenOff
    } else {
      self = refusal.result == .noAnswer ? .silence : .local
    }
  }
}

extension Ending {
  /// The end of a flow with the server.
  init(_ refusal: Refusal) { self.init(refusal, refusal.result, text: Self.text(of: refusal)) }

  /// The end of an exchange in which the server had an enrolment code to judge.
  ///
  /// - Parameter result: the result for a refusal of the server; nil for the result that the refusal itself has.
  init(judgingCode refusal: Refusal, serversNo result: FidoResult? = nil) {
    let isCodeRefused =
      refusal.result == .serverNoRegistration || refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    let own = isCodeRefused ? FidoResult.serverNoRegistration : refusal.result
    self.init(
      refusal, refusal.spokenByServer ? result ?? own : own,
      text: isCodeRefused ? .cause(.codeRefused) : Self.text(of: refusal))
  }

  private init(_ refusal: Refusal, _ result: FidoResult, text: PromptText?) {
    let server = ServerPart(
      handshakeCompleted: refusal.handshakeCompleted, hasSpoken: refusal.spokenByServer,
      hasRefused: refusal.isServersNo,
      hasForbidden: refusal.spokenByServer && refusal.serverStatus == UAFStatusCode.forbidden.rawValue,
      forgottenTypes: AuthenticatorType.all(named: refusal.leftOut))
    self.init(result, text: text, log: refusal.detail, server: server)
  }

  /// The text about a refusal for the person; nil where the result's own text says it.
  private static func text(of refusal: Refusal) -> PromptText? {
    if let failure = refusal.networkFailure { return .noAnswer(failure) }
    let status = refusal.serverStatus.map(UAFStatusCode.init(rawValue:))
    if status == .revokedAuthenticator { return .revoked(said: refusal.serverText) }
    if refusal.spokenByServer, refusal.serverText != nil || refusal.saysPlainNo {
      return .refusedByServer(refusal.serverText)
    }
    if let cause = refusal.cause { return .cause(cause) }
    if refusal.spokenByServer, refusal.result == .invalidParameter {
      return .cause(refusal.serverStatus == nil ? .messageNotValid : .messageNotAccepted)
    }
    switch status {
    case .forbidden: return .serverForbids
    case .accepted: return .serverUndecided
    case .internalServerError: return .serverFailed
    case .some(let status) where refusal.result == .unknown: return .serverStatus(Int(status.rawValue))
    default: break
    }
    // 429 and a gateway's statuses (502 to 504) mean that the server is busy or away for a while.
    guard let http = refusal.httpStatus, (500...599).contains(http), ![502, 503, 504].contains(http) else { return nil }
    return .serverFailed
  }
}

extension Ending {
  /// The ending for a failure of the state.
  ///
  /// A file that somebody may have changed is a locked account.
  init(_ error: StateError) {
    if case .serverNameChanged = error {
      // Root has to correct it. It is not a `rootsFault`, because no stack may let a registered person go on to the password.
      self.init(.invalidParameter, text: .serverNameChanged, log: "\(error)", .serverNameChanged(RootText(error)))
    } else if error == .identityMismatch {
      // No unlock helps. It is not a `rootsFault` either, for the same reason.
      self.init(.invalidParameter, text: .cause(.accountRenamed), log: "\(error)", .renamed(RootText(error)))
    } else if error.meansLocked {
      self.init(.lockedForGood, text: .lockedForGood, log: "\(error)", .damage(RootText(error)))
    } else {
      self.init(.cannotUse, log: "\(error)")
    }
  }
}

extension AuthenticatorType {
  /// The authenticators of some models.
  static func all(named aaids: [AAID]) -> [AuthenticatorType] {
    allCases.filter { type in aaids.contains { $0.text == type.aaid } }
  }
}
