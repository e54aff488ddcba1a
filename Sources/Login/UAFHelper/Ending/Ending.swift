import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// How an operation ended without success: the result, the text for the person, and the text for the log.
struct Ending: Error {
  /// The result.
  private(set) var result: FidoResult
  /// The text for the person instead of the result's own.
  let text: PromptText?
  /// The text that replaces both, for administrators only (`uafctl` as root).
  let detail: RootText?
  /// What the log says in addition to the result: never a value, a key or a token.
  let log: String
  /// The types of an entry that was checked or refused.
  let types: [AuthenticatorType]
  /// The server's part in it.
  private(set) var server: ServerPart
  /// The special circumstance; nil for most endings.
  private(set) var circumstance: Circumstance?
  /// Whether the person has entered a correct value: without that, no stack continues because the server is unreachable.
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
  /// - Parameter isRoots: false if the machine could not read the file, which others can cause: 1007, PAM_SYSTEM_ERR.
  static func configuration(_ log: String, detail: RootText? = nil, isRoots: Bool = true) -> Ending {
    Ending(
      isRoots ? .invalidParameter : .cannotUse, text: .configurationError, detail: detail, log: log,
      isRoots ? .rootsFault : nil)
  }

  /// The front end went away, so nobody waits for the result.
  static var frontEndGone: Ending {
    Ending(.applicationCancel, log: "the front end has ended: nothing more was signed or sent")
  }

  /// The front end went away after an answer was sent, which the server may have accepted.
  static var answerUnused: Ending {
    Ending(
      .applicationCancel, log: "the front end has ended: the response was sent, but is of no use", .unusedAnswer)
  }

  /// A divided login got no request from the server before anybody was asked: 1100, whatever the reason.
  static func noRequest(_ refusal: Refusal?) -> Ending {
    Ending(
      .requestNotExist, because: .noRequest,
      log: "there is no request from the server, so the login is not ready: \(refusal?.detail ?? "none came")")
  }

  /// Something happened that the operation did not ask for.
  static func outOfTurn(in operation: String) -> Ending {
    Ending(.cannotUse, log: "something arrived that the \(operation) did not request")
  }

  /// The event that the log has in addition to the ending; nil for most endings.
  var incident: LogEvent? {
    switch circumstance {
    case .damage, .renamed: .damaged
    case .overreach: .peer
    default: text == .configurationError || text == .serverNameChanged ? .configuration : nil
    }
  }

  /// The text for root's uafctl, if the other text says too little.
  var forRoot: RootText? {
    switch circumstance {
    case .damage(let text), .renamed(let text), .serverNameChanged(let text), .serverNameTaken(let text): text
    default: nil
    }
  }

  /// Whether the ending shows that the account is registered here.
  var showsRegistration: Bool {
    if case .renamed = circumstance { return true }
    return [.locked, .lockedForGood, .notRegistered, .wrongValue].contains(result)
  }

  /// The text for a person's uafctl, if the text for logins would mislead: no unlock repairs a damaged file.
  var forTool: PromptText? {
    if case .damage = circumstance { .cause(.accountDamaged) } else { text }
  }

  // MARK: The same ending, with more known

  /// The ending with a different text for the person, and if needed for the log.
  func saying(_ text: PromptText?, log: String? = nil) -> Ending {
    var ending = Ending(
      result, text: text, detail: detail, log: log ?? self.log, types: types, server: server, circumstance)
    ending.hasProved = hasProved
    return ending
  }

  /// The ending as 7011, because the time of the call is over.
  func outOfTime(after limit: Duration) -> Ending {
    var ending = adding("the call took longer than its timeout of \(limit.components.seconds) s")
    ending.result = .systemCancel
    return ending
  }

  /// The ending with more text for the log.
  func adding(_ log: String) -> Ending { saying(text, log: "\(self.log); \(log)") }

  /// The ending with the authenticators whose keys the server does not know.
  func forgetting(_ types: [AuthenticatorType]) -> Ending {
    var ending = self
    ending.server.forgottenTypes = types
    return ending
  }

  /// The ending with what had happened in the operation before it.
  ///
  /// - Parameters:
  ///   - isReached: whether the server, or something at its address, was reached.
  ///   - isRefused: whether the server answered with anything other than a success.
  ///   - hasProved: whether a value was verified.
  ///   - wasAsked: whether the person was asked for anything.
  func after(isReached: Bool, isRefused: Bool, hasProved: Bool, wasAsked: Bool) -> Ending {
    var ending = self
    // A server that answered earlier in this call is not unreachable, even if a later request fails.
    ending.server.handshakeCompleted = server.handshakeCompleted || isReached
    ending.server.hasRefused = server.hasRefused || isRefused
    ending.hasProved = hasProved
    // Once somebody was asked, no stack may continue as if there were nothing to ask for.
    if wasAsked, circumstance == .neverRegistered || circumstance == .nothingToChange { ending.circumstance = nil }
    return ending
  }

  // MARK: What is told

  /// The text for the person, and what to do next.
  ///
  /// The next step belongs to the text: one result has several texts.
  ///
  /// - Parameter codes: who may set a new value with a code.
  func told(in language: Language, codes: CodeUse = .persons) -> (text: String, nextStep: String?) {
    // A detail for administrators says what to do.
    if let detail { return (detail.text(in: language), nil) }
    guard let text else { return (result.text(in: language), result.nextStep(in: language, codes: codes)) }
    return (text.text(in: language, codes: codes), text.nextStep(in: language, codes: codes))
  }

  /// The same texts in the form for a front end: uafctl shows the second line as a hint.
  ///
  /// A PAM host says "try again" by itself, so it gets the next step only if there is a cause, or with the result's own text.
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
  /// The text that replaces it, for administrators.
  var detail: RootText?
  /// Whether the current rules would refuse the value that was verified.
  var valueIsStale = false
  /// The types that the person verified.
  var types: [AuthenticatorType] = []
  /// How old the server's last success is, if this is a login without the server.
  var offlineAge: Duration?
  /// The server's token, which is secret.
  var token: String?
  /// The number of the server's latest notice for joined machines; nil for none.
  var machineNews: Int64?
  /// The JSON document of *status* or *check-in*.
  var document: String?
}

/// A special circumstance of an ending.
///
/// No ending has two of these.
enum Circumstance: Equatable {
  /// Root's configuration or module arguments are wrong.
  ///
  /// Only this gives PAM_SERVICE_ERR.
  case rootsFault
  /// A file of the state is damaged, edited, or belongs to a different account; with the details.
  case damage(RootText)
  /// The account's name differs from the one that it was registered under; with the details.
  case renamed(RootText)
  /// Root has changed the account's name at the server; with the details.
  case serverNameChanged(RootText)
  /// A different account of this machine is registered under this account's server name; with the details.
  case serverNameTaken(RootText)
  /// A peer asked for something that it may not ask for. The name is the peer's own, or its uid in digits.
  case overreach(peer: UInt32, name: [UInt8])
  /// An answer was sent for a front end that was gone by then: the server may have accepted it.
  case unusedAnswer
  /// The person denied the text that should be approved.
  case denial
  /// Nothing was ever registered for the account here.
  ///
  /// It affects only `nouserok`.
  case neverRegistered
  /// The account has nothing to change here, so the stack's other modules continue on their own.
  case nothingToChange
}

/// The server's part in an ending.
struct ServerPart {
  /// Whether the server must not be reported as unreachable, see ``Refusal/handshakeCompleted``.
  ///
  /// It affects only the code of 4001.
  var handshakeCompleted = true
  /// Whether the ending states what the server said.
  var hasSpoken = false
  /// Whether the server answered with anything other than a success.
  ///
  /// From then on no login succeeds without the server.
  var hasRefused = false
  /// The authenticators whose keys the server does not know.
  var forgottenTypes: [AuthenticatorType] = []
}

extension Ending {
  /// The end of a flow with the server.
  init(_ refusal: Refusal) { self.init(refusal, refusal.result, text: Self.text(of: refusal)) }

  /// The end of an exchange in which the server had to check an enrolment code.
  ///
  /// - Parameter result: the result for a refusal of the server; nil for the result that the refusal itself has. If the server
  ///   forbids the request (1403), the result is the same in every operation.
  init(judgingCode refusal: Refusal, serversNo result: FidoResult? = nil) {
    let isCodeRefused =
      refusal.result == .serverNoRegistration || refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    let own = isCodeRefused ? FidoResult.serverNoRegistration : refusal.result
    self.init(
      refusal, refusal.spokenByServer && !refusal.isForbidden ? result ?? own : own,
      text: isCodeRefused ? .cause(.codeRefused) : Self.text(of: refusal))
  }

  private init(_ refusal: Refusal, _ result: FidoResult, text: PromptText?) {
    let server = ServerPart(
      handshakeCompleted: refusal.handshakeCompleted, hasSpoken: refusal.spokenByServer,
      hasRefused: refusal.isServersNo,
      forgottenTypes: AuthenticatorType.all(named: refusal.leftOut))
    self.init(result, text: text, log: refusal.detail, server: server)
  }

  /// The text about a refusal for the person; nil if the result's own text is enough.
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
    // 429 and a gateway's statuses (502 to 504) mean that the server is busy or unavailable for a while.
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
      // Root must correct it. It is not a `rootsFault`, because no stack may let a registered person continue to the password.
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
